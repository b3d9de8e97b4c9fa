//go:build !race

package crash_test

import "testing"

// Every fifth call of a store in a file fails.
const fileStride = 5

// buildUnwatched makes no program: this one is not watched by the race detector.
func buildUnwatched(string) (string, error) { return "", nil }

// unwatched reports that nothing was run elsewhere.
func unwatched(*testing.T) bool { return false }
