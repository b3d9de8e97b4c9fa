//go:build !race

package crash_test

// Every fifth call of a store in a file fails.
const fileStride = 5
