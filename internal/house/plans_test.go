package house

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPlansGuideQuotesWhatIsRun looks that the guide's program is the example,
// and that it prints what is below it.
func TestPlansGuideQuotesWhatIsRun(t *testing.T) {
	t.Parallel()
	_, blocks := blocksOf(t, "docs/plans.md")
	require.Equal(t, programOf(t, "examples/plans/main.go"), only(blocks, "go")[0])
	run := exec.Command("go", "run", "./examples/plans")
	run.Dir = "../.."
	out, err := run.Output()
	require.NoError(t, err)
	require.Equal(t, trimmedLines(only(blocks, "text")[0]), trimmedLines(string(out)))
}

// trimmedLines are the lines of a text without what is blank at their ends.
func trimmedLines(text string) (lines []string) {
	for line := range strings.Lines(strings.TrimSpace(text)) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return lines
}

// TestPlansGuideDoesWhatItSays runs the guide's commands.
func TestPlansGuideDoesWhatItSays(t *testing.T) {
	t.Parallel()
	_, blocks := blocksOf(t, "docs/plans.md")
	require.Equal(t, 3, doLines(t, t.TempDir(), only(blocks, "console")))
}
