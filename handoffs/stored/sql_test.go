package stored_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/handoffs/stored"
)

// S1-21, S1-22, S1-28: the table and its indexes, in a file.
func TestS1_21_22_Table(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	store, err := sqlite.Open(t.Context(), path, nil)
	require.NoError(t, err)
	d := newDesk(t, stored.Config{Store: store})
	c := from("dojo", "librarian")
	c.HarnessTraceID = "tr-1"
	c.ConversationHistory = []stored.Message{{Role: "user", Content: "x"}}
	d.execute(c)
	d.execute(from("librarian", "dojo"))
	events, err := d.GetHandoffHistory(t.Context(), "s1")
	require.NoError(t, err)
	require.NoError(t, store.Close())

	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer db.Close()
	rows, err := db.Query(`SELECT id, session_id, from_agent, to_agent, reason, coalesce(harness_trace_id, 'NULL'), user_intent, created_at, status, coalesce(sent_hash, 'NULL')
		FROM agent_handoffs WHERE session_id = ? ORDER BY created_at, rowid`, "s1")
	require.NoError(t, err)
	defer rows.Close()
	var got []string
	for rows.Next() {
		var c [10]string
		require.NoError(t, rows.Scan(&c[0], &c[1], &c[2], &c[3], &c[4], &c[5], &c[6], &c[7], &c[8], &c[9]))
		got = append(got, strings.Join(c[:], "|"))
	}
	require.NoError(t, rows.Err())
	require.Equal(t, []string{
		fmt.Sprintf("%s|s1|dojo|librarian|because|tr-1|know|2026-05-04T12:00:00.000000000Z|completed|%s", events[0].ID, events[0].Snapshot),
		fmt.Sprintf("%s|s1|librarian|dojo|because|NULL|know|2026-05-04T12:00:00.000000000Z|completed|NULL", events[1].ID),
	}, got)
	for query, index := range map[string]string{
		"SELECT * FROM agent_handoffs WHERE session_id = 's1' ORDER BY created_at":                                       "agent_handoffs by session_id, created_at",
		"SELECT * FROM agent_handoffs WHERE session_id = 's1' ORDER BY created_at DESC LIMIT 1":                          "agent_handoffs by session_id, created_at",
		"SELECT count(*) FROM agent_handoffs WHERE session_id = 's1' AND from_agent = 'dojo' AND to_agent = 'librarian'": "agent_handoffs by session_id, from_agent, to_agent",
	} {
		var id, parent, unused int
		var plan string
		require.NoError(t, db.QueryRow("EXPLAIN QUERY PLAN "+query).Scan(&id, &parent, &unused, &plan))
		require.Contains(t, plan, index)
	}
}

// What was stored is there for the next process.
func TestS1_06_HistoryOutlivesTheProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	for i := range 3 {
		store, err := sqlite.Open(t.Context(), path, nil)
		require.NoError(t, err)
		d := newDesk(t, stored.Config{Store: store})
		require.Len(t, d.history("s1"), i)
		d.execute(from("dojo", "librarian"))
		require.NoError(t, store.Close())
	}
}

// BenchmarkExecuteHandoff is S1-38..40: a handoff in a file, behind 200 messages
// and the handoffs before it.
func BenchmarkExecuteHandoff(b *testing.B) {
	store, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "x.db"), nil)
	require.NoError(b, err)
	defer store.Close()
	s, err := stored.New(stored.Config{Agents: school, Store: store, Trace: quiet{}, Clock: noon, Invoke: nothing})
	require.NoError(b, err)
	c := from("dojo", "librarian")
	for i := range 200 {
		c.ConversationHistory = append(c.ConversationHistory, stored.Message{Role: "user", Content: fmt.Sprint(i, strings.Repeat(" word", 40))})
	}
	n := 0
	for b.Loop() {
		c.SessionID = fmt.Sprint(n / 10)
		require.NoError(b, s.ExecuteHandoff(b.Context(), c))
		n++
	}
}

func BenchmarkGetHandoffHistory(b *testing.B) {
	s, err := stored.New(stored.Config{Agents: school, Trace: quiet{}, Clock: noon, Invoke: nothing})
	require.NoError(b, err)
	c := from("dojo", "librarian")
	for i := range 200 {
		c.ConversationHistory = append(c.ConversationHistory, stored.Message{Role: "user", Content: fmt.Sprint(i, strings.Repeat(" word", 40))})
	}
	for range 20 {
		require.NoError(b, s.ExecuteHandoff(b.Context(), c))
	}
	for b.Loop() {
		events, err := s.GetHandoffHistory(b.Context(), c.SessionID)
		require.NoError(b, err)
		require.Len(b, events, 20)
	}
}
