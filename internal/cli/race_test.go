//go:build race

package cli_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// raceDetector says whether the race detector watches.
const raceDetector = true

// TestConformanceWithoutRaceDetector plays all recorded cases in a process that
// is built without it.
func TestConformanceWithoutRaceDetector(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "test", "-run", "^TestConformance$", "-v", ".").CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "400 of 400 recorded cases agree")
}
