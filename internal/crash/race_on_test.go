//go:build race

package crash_test

// memoryStride: with the race detector, which makes everything many times
// slower, only some calls of the store in memory fail; without it, all do.
const memoryStride = 4
