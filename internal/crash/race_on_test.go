//go:build race

package crash_test

// With the race detector, which makes everything many times slower, less is
// disturbed: some calls of the store in memory, few kills for each graph.
const (
	memoryStride = 4
	defaultKills = 30
)
