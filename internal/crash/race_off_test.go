//go:build !race

package crash_test

// Every call of the store in memory fails, and every fifth of one in a file.
const (
	memoryStride = 1
	fileStride   = 5
	defaultKills = 60
)
