//go:build race

package crash_test

// With the race detector, which makes everything many times slower, less is
// disturbed: some calls of the store, few kills for each graph.
const (
	memoryStride = 4
	fileStride   = 23
	defaultKills = 30
)
