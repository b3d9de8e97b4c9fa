//go:build !race

package crash_test

// Every call of the store in memory fails.
const (
	memoryStride = 1
	defaultKills = 60
)
