package cli_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/conformance"
)

// TestConformance plays the recorded cases by the command. Every operation is
// a command of its own, so that everything is saved and read again in between;
// those of several cases run at once on one file. A command has no memory of
// others, so that --store memory: cannot play a session. The race detector
// makes SQLite so slow that with it a tenth of the cases is played here, and
// all of them by TestConformanceWithoutRaceDetector.
func TestConformance(t *testing.T) {
	t.Parallel()
	all, err := conformance.Read("../../testdata/conformance", "*-[0-9]*")
	require.NoError(t, err)
	require.Len(t, all, 400)
	for _, durability := range []string{"sync", "async"} {
		t.Run(durability, func(t *testing.T) {
			t.Parallel()
			var played, passed atomic.Int32
			t.Cleanup(func() { t.Logf("%d of %d recorded cases agree", passed.Load(), played.Load()) })
			dir := t.TempDir()
			for _, c := range all {
				if raceDetector && !strings.HasSuffix(c.Name, "5") {
					continue
				}
				played.Add(1)
				t.Run(c.Name, func(t *testing.T) {
					t.Parallel()
					d := &commands{start: inProcess(t.Context()), durability: durability}
					require.NoError(t, c.Play(d.on(t, c, dir), conformance.OneRowAStep))
					passed.Add(1)
				})
			}
		})
	}
}
