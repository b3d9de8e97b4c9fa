package handoffs_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/handoffs"
)

// savedLogs stores the logs of sessions step by step and returns the database.
func savedLogs(t *testing.T, logs ...*logKit) *sql.DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.db")
	s, err := sqlite.Open(t.Context(), path, nil)
	require.NoError(t, err)
	for _, k := range logs {
		w, err := s.Claim(t.Context(), k.session, checkpoint.Reject)
		require.NoError(t, err)
		for i := range k.entries {
			rows := handoffs.IndexRows("", handoffs.LogOf(k.entries[:i]), handoffs.LogOf(k.entries[:i+1]))
			seq := int64(i + 1)
			c := checkpoint.Commit{Seq: seq, Parent: seq - 1, Base: seq, Index: rows}
			require.NoError(t, w.Append(t.Context(), []checkpoint.Part{{Head: seq - 1, Commits: []checkpoint.Commit{c}}}))
		}
		require.NoError(t, w.Release())
	}
	require.NoError(t, s.Close())
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// askSQL returns the rows of a query, as texts.
func askSQL(t *testing.T, db *sql.DB, query string, args ...any) (out []string) {
	t.Helper()
	rows, err := db.Query(query, args...)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var line string
		require.NoError(t, rows.Scan(&line))
		out = append(out, line)
	}
	require.NoError(t, rows.Err())
	return out
}

// S1-06 to S1-08, S1-21 and S1-22, X-17: history, last and count of a session
// by SQL, with no row of another session among them.
func TestHandoffsInSQL(t *testing.T) {
	one, two := mixedLog(), newLog()
	two.session = "' OR 1=1 --"
	two.hand("dojo", "librarian", func(r *handoffs.Record) { r.ID = "other"; r.Task = "'); DELETE FROM agent_handoffs; --" })
	db := savedLogs(t, one, two)
	const history = `SELECT id || ' ' || from_agent || '>' || to_agent || ' ' || status FROM agent_handoffs WHERE session_id = ? ORDER BY created_at`
	var want []string
	for h := range handoffs.History(one.log(), handoffs.Filter{Kinds: []handoffs.Kind{handoffs.Transfer, handoffs.Call, handoffs.Return}}) {
		want = append(want, shortly(h)...)
	}
	require.Equal(t, want, askSQL(t, db, history, "s1"))
	require.Equal(t, []string{"other dojo>librarian running"}, askSQL(t, db, history, two.session))
	require.Empty(t, askSQL(t, db, history, "s2"))
	require.Equal(t, want[len(want)-1:], askSQL(t, db, history+` DESC LIMIT 1`, "s1"))
	const count = `SELECT count(*) FROM agent_handoffs WHERE session_id = ?`
	require.Equal(t, []string{fmt.Sprint(handoffs.Count(one.log(), handoffs.Filter{From: "dojo", To: "scout"}))},
		askSQL(t, db, count+` AND from_agent = 'dojo' AND to_agent = 'scout'`, "s1"))
	require.Equal(t, []string{"1"}, askSQL(t, db, `SELECT count(*) FROM agent_handoffs WHERE task = ?`, "'); DELETE FROM agent_handoffs; --"))
	require.Equal(t, []string{"2026-05-04"}, askSQL(t, db, `SELECT DISTINCT date(created_at) FROM agent_handoffs`), "SQLite understands the times")
	for query, index := range map[string]string{
		history: "agent_handoffs by session_id, created_at",
		count + ` AND from_agent = 'dojo' AND to_agent = 'scout'`: "agent_handoffs by session_id, from_agent, to_agent",
	} {
		var id, parent, unused int
		var detail string
		require.NoError(t, db.QueryRow(`EXPLAIN QUERY PLAN `+query, "s1").Scan(&id, &parent, &unused, &detail))
		require.Contains(t, detail, "INDEX "+index+" (")
	}
}
