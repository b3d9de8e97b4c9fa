//go:build race

package crash_test

// With the race detector, which makes everything many times slower, fewer
// calls of a store in a file fail.
const fileStride = 23
