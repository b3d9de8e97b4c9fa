package house

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAgentsGuideQuotesWhatIsRun looks that the guide's program is the example,
// that its file is the one that is run, and what both print.
func TestAgentsGuideQuotesWhatIsRun(t *testing.T) {
	t.Parallel()
	_, blocks := blocksOf(t, "docs/agents.md")
	require.Equal(t, programOf(t, "examples/agents/main.go"), only(blocks, "go")[0])
	file, err := os.ReadFile("../../testdata/readme/orders.yaml")
	require.NoError(t, err)
	require.Equal(t, string(file), only(blocks, "yaml")[0])
}

// TestAgentsGuideDoesWhatItSays runs the guide's commands, without any key.
func TestAgentsGuideDoesWhatItSays(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "MODEL"} {
		t.Setenv(name, "")
	}
	_, blocks := blocksOf(t, "docs/agents.md")
	require.GreaterOrEqual(t, doLines(t, t.TempDir(), only(blocks, "console")), 4)
}
