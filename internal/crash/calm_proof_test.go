package crash_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
)

// done is a session that was played to its end.
func done(t *testing.T, calm *calm) *victim {
	const name = "X-39.yaml"
	v := &victim{session: name, mode: graph.DurabilitySync, dir: t.TempDir(), calm: calm}
	killed, err := v.process(blow{})
	require.NoError(t, err)
	require.False(t, killed)
	require.NoError(t, v.look(t.Context(), false, beforeAppend))
	require.NoError(t, v.settle(t.Context()))
	return v
}

// TestTheVictimSeesWhatIsWrongAtTheEnd spoils what a session has come to.
func TestTheVictimSeesWhatIsWrongAtTheEnd(t *testing.T) {
	t.Parallel()
	if unwatched(t) {
		return
	}
	calm := calmly(t, "X-39.yaml", graph.DurabilitySync)
	table := handoffs.IndexTable
	for what, spoil := range map[string]func(t *testing.T, v *victim){
		"row 0 differs": func(t *testing.T, v *victim) {
			v.sql(t, "DELETE FROM "+table+" WHERE seq = (SELECT min(seq) FROM "+table+")")
		},
		"status=lost":            func(t *testing.T, v *victim) { v.sql(t, "UPDATE "+table+" SET status = 'lost'") },
		"of_commit=99":           func(t *testing.T, v *victim) { v.sql(t, "UPDATE "+table+" SET seq = 99") },
		"there is no thread":     func(t *testing.T, v *victim) { v.dir = t.TempDir() },
		"row 0 of 2 is missing":  func(t *testing.T, v *victim) { v.sql(t, "DROP TABLE "+table) },
		"file is not a database": func(t *testing.T, v *victim) { v.write(t, filepath.Base(fileIn(v.dir)), strings.Repeat("no", 999)) },
		"message 0 differs":      func(t *testing.T, v *victim) { v.post(t, func(l []string) []string { return l[1:] }) },
		"is missing":             func(t *testing.T, v *victim) { v.post(t, func(l []string) []string { return l[:len(l)-1] }) },
		"is one too many": func(t *testing.T, v *victim) {
			v.post(t, func(l []string) []string { return append(l, "message x\t{}\n") })
		},
		"says two things":       func(t *testing.T, v *victim) { v.post(t, twoThings) },
		"the post has the line": func(t *testing.T, v *victim) { v.post(t, func(l []string) []string { return append(l, "mess") }) },
	} {
		t.Run(what, func(t *testing.T) {
			v := done(t, calm)
			spoil(t, v)
			require.ErrorContains(t, v.settle(t.Context()), what)
		})
	}
}

// TestTheVictimSeesWhatADeadProcessHasLeft spoils that.
func TestTheVictimSeesWhatADeadProcessHasLeft(t *testing.T) {
	t.Parallel()
	if unwatched(t) {
		return
	}
	v := done(t, calmly(t, "X-39.yaml", graph.DurabilitySync))
	require.ErrorIs(t, v.look(t.Context(), true, afterAppend), os.ErrNotExist, "no process has died")
	v.write(t, "will", `{"Head": 3}`)
	require.ErrorContains(t, v.look(t.Context(), true, afterAppend), "the process that died said {3 ")
	require.NoError(t, v.look(t.Context(), true, afterTelling))
	v.write(t, "will", `{"Head": 99}`)
	require.ErrorContains(t, v.look(t.Context(), true, afterTelling), "the process that died said {99 ")
	v.forget(t)
	require.ErrorContains(t, v.look(t.Context(), false, afterAppend), "of which the log has only")
}

// sql changes the file.
func (v *victim) sql(t *testing.T, text string) {
	db, err := sql.Open("sqlite", fileIn(v.dir))
	require.NoError(t, err)
	_, err = db.Exec(text)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

func (v *victim) write(t *testing.T, name, text string) {
	require.NoError(t, os.WriteFile(filepath.Join(v.dir, name), []byte(text), 0o600))
}

// post changes the lines that others were told.
func (v *victim) post(t *testing.T, change func([]string) []string) {
	data, err := os.ReadFile(filepath.Join(v.dir, "sent"))
	require.NoError(t, err)
	v.write(t, "sent", strings.Join(change(slices.Collect(strings.Lines(string(data)))), ""))
}

// twoThings lets the first line come again, with more in it.
func twoThings(lines []string) []string {
	return append(lines, strings.Replace(lines[0], "{", `{"more": 1, `, 1))
}

// forget puts a thread in the place of the session's that is not that far.
func (v *victim) forget(t *testing.T) {
	sent, err := os.ReadFile(filepath.Join(v.dir, "sent"))
	require.NoError(t, err)
	v.dir = t.TempDir()
	killed, err := v.process(blow{beforeAppend, 5})
	require.NoError(t, err)
	require.True(t, killed)
	v.write(t, "sent", string(sent))
}
