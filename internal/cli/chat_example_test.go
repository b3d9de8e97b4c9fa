package cli_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheExampleChat is the session that the documents show.
func TestTheExampleChat(t *testing.T) {
	t.Parallel()
	typed := []string{"Where is my order?", "/agent billing", "I want my money back.", "2", ""}
	out := command(t, strings.Join(typed, "\n"), "chat", "../../testdata/readme/desk.yaml", "--thread", "ada", "--quiet")
	require.Equal(t, 0, out.code, out.stderr)
	want, err := os.ReadFile("../../testdata/readme/desk.said")
	require.NoError(t, err)
	require.Equal(t, string(want), out.stdout)
	require.Empty(t, strings.TrimPrefix(out.stderr, "the next message goes to billing\n"))
}
