//go:build race

package crash_test

import (
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// With the race detector, which makes everything many times slower, fewer
// calls of a store in a file fail.
const fileStride = 23

// buildUnwatched makes a program of these tests that the race detector does not watch.
func buildUnwatched(dir string) (string, error) {
	path := filepath.Join(dir, "crash.test")
	out, err := exec.Command("go", "test", "-c", "-o", path, ".").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("build the tests without the race detector: %w: %s", err, out)
	}
	return path, err
}

// unwatched runs a test in a process that the race detector does not watch, and
// reports that it has: for tests of what is on the disk behind a kill. That
// their graphs have no races is seen where they run in this process.
func unwatched(t *testing.T) bool {
	path, err := unwatchedProgram()
	require.NoError(t, err)
	args := []string{"-test.v", "-test.run", "^" + t.Name() + "$"}
	if end, ok := t.Deadline(); ok {
		args = append(args, fmt.Sprint("-test.timeout=", time.Until(end)))
	}
	for _, name := range []string{"kills", "seed", "stride", "test.short"} {
		args = append(args, fmt.Sprintf("-%s=%s", name, flag.Lookup(name).Value))
	}
	out, err := exec.CommandContext(t.Context(), path, args...).CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "--- PASS: "+t.Name())
	t.Logf("without the race detector:\n%s", out)
	return true
}
