package handoffs_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
)

// S1-43: what a fork takes over are its own thread's handoffs in SQL, and no
// further ones of the session that it comes from.
func TestForkedSessionsInSQL(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	store, err := sqlite.Open(t.Context(), path, nil)
	require.NoError(t, err)
	var crew *handoffs.Team[team]
	node := func(ctx context.Context, s team) (graph.Command[team], error) {
		if s.Turn.Agent == "b" {
			return graph.Command[team]{}, nil
		}
		return crew.HandOff(ctx, s, to("b"))
	}
	cfg := handoffs.TeamConfig[team]{Fields: fields}
	for _, p := range agents("a", "b") {
		cfg.Agents = append(cfg.Agents, handoffs.Agent[team]{Profile: p, Node: node})
	}
	crew, err = handoffs.NewTeam(cfg)
	require.NoError(t, err)
	g, err := crew.Compile(schema, &graph.Config{Store: store})
	require.NoError(t, err)
	_, err = g.Invoke(t.Context(), nil, &graph.RunConfig{Thread: "one"})
	require.NoError(t, err)
	_, err = g.Fork(t.Context(), "one", "", &graph.ForkConfig{To: "two"})
	require.NoError(t, err)
	require.NoError(t, store.Close())
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer db.Close()
	const rows = `SELECT thread || ' ' || from_agent || '>' || to_agent || ' ' || status FROM agent_handoffs WHERE session_id = ?`
	require.Equal(t, []string{"one a>b completed"}, askSQL(t, db, rows, "one"))
	require.Equal(t, []string{"two a>b completed"}, askSQL(t, db, rows, "two"))
}
