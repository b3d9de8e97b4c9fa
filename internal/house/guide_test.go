package house

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"
)

const guide = "docs/handoffs.md"

// quotedFrom is what the guide quotes of other files.
var quotedFrom = []struct{ lang, file string }{
	{"go", "examples/handoffs/main.go"}, {"yaml", "testdata/handoffs/guide.yaml"}, {"text", "testdata/handoffs/guide.golden"},
}

// TestGuideQuotesWhatIsRun looks that the first block of a language is what the
// file holds that it is from, or a part of it.
func TestGuideQuotesWhatIsRun(t *testing.T) {
	t.Parallel()
	_, blocks := blocksOf(t, guide)
	for _, q := range quotedFrom {
		file, err := os.ReadFile("../../" + q.file)
		require.NoError(t, err)
		require.NotEmpty(t, only(blocks, q.lang), q.lang)
		require.Contains(t, string(file), only(blocks, q.lang)[0], q.file)
	}
	require.Equal(t, programOf(t, "examples/handoffs/main.go"), only(blocks, "go")[0])
}

// TestGuideDoesWhatItSays runs the guide's commands, and its queries on what
// they left behind.
func TestGuideDoesWhatItSays(t *testing.T) {
	t.Parallel()
	_, blocks := blocksOf(t, guide)
	home := t.TempDir()
	require.GreaterOrEqual(t, doLines(t, home, only(blocks, "console")), 4)
	db, err := sql.Open("sqlite", filepath.Join(home, "graphrun", "threads.db"))
	require.NoError(t, err)
	defer db.Close()
	queries := only(blocks, "sql")
	require.Len(t, queries, 3)
	var between int
	require.NoError(t, db.QueryRow(queries[1]).Scan(&between))
	require.Equal(t, 1, between)
	for _, i := range []int{0, 2} {
		rows, err := db.Query(queries[i])
		require.NoError(t, err, queries[i])
		n := 0
		for rows.Next() {
			n++
		}
		require.NoError(t, rows.Err())
		require.NoError(t, rows.Close())
		require.Equal(t, 2, n, queries[i])
	}
}
