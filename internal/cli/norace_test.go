//go:build !race

package cli_test

// raceDetector says whether the race detector watches.
const raceDetector = false
