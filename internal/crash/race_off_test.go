//go:build !race

package crash_test

// memoryStride: every call of the store in memory fails.
const memoryStride = 1
