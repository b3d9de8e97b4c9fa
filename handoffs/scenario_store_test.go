package handoffs_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/checkpointtest"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/stored"
	"github.com/graphrun/graphrun/state"
)

// watched is a store in memory that notes what comes to it: bytes, and rows as
// "from>to status" by their keys.
type watched struct {
	checkpoint.Store
	bytes, whole int // whole: of commits that hold a whole state
	rows         map[string]string
}

func newWatched() *watched {
	return &watched{Store: checkpoint.NewMemory(nil), rows: map[string]string{}}
}

func (s *watched) Claim(ctx context.Context, thread string, busy checkpoint.Busy) (checkpoint.Writer, error) {
	w, err := s.Store.Claim(ctx, thread, busy)
	return &watchedWriter{w, s}, err
}

type watchedWriter struct {
	checkpoint.Writer
	to *watched
}

func (w *watchedWriter) Append(ctx context.Context, parts []checkpoint.Part) error {
	err := w.Writer.Append(ctx, parts)
	for _, p := range parts {
		for i := range p.Commits {
			if err == nil {
				w.to.note(&p.Commits[i])
			}
		}
	}
	return err
}

func (s *watched) note(c *checkpoint.Commit) {
	n := len(c.Body) + len(c.Meta)
	for _, row := range c.Index {
		n += len(fmt.Sprint(row.Columns))
		cells := map[string]any{}
		for _, col := range row.Columns {
			cells[col.Name] = col.Value
		}
		s.rows[row.Key] = fmt.Sprintf("%v>%v %v", cells["from_agent"], cells["to_agent"], cells["status"])
	}
	if s.bytes += n; c.Base == c.Seq {
		s.whole += n
	}
}

// storedRun is a team of two on a store whose calls can fail.
type storedRun struct {
	*testing.T
	store   *watched
	failing *checkpointtest.Failing
	graph   *graph.Graph[team]
	called  []int // rows of the handoff, whenever the librarian has begun
	fails   int   // of the librarian's next turns
}

func newStoredRun(t *testing.T, edges ...handoffs.Edge) *storedRun {
	r := &storedRun{T: t, store: newWatched()}
	r.failing = checkpointtest.NewFailing(r.store)
	p := stored.Policy()
	p.Entry, p.Edges, p.Virtual = "dojo", edges, time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	cfg := handoffs.TeamConfig[team]{Fields: fields, Policy: p}
	var tm *handoffs.Team[team]
	var err error
	dojo := func(ctx context.Context, s team) (graph.Command[team], error) {
		c := handoffs.NewCommand("librarian", "search", "it is there")
		c.Intent = "find it"
		return tm.HandOff(ctx, s, c)
	}
	cfg.Agents = []handoffs.Agent[team]{
		{Profile: handoffs.Profile{ID: "dojo"}, Node: dojo}, {Profile: handoffs.Profile{ID: "librarian"}, Node: r.librarian},
	}
	tm, err = handoffs.NewTeam(cfg)
	require.NoError(t, err)
	r.graph, err = tm.Compile(schema, &graph.Config{Store: r.failing, RecursionLimit: 100})
	require.NoError(t, err)
	return r
}

func (r *storedRun) librarian(context.Context, team) (graph.Command[team], error) {
	r.called = append(r.called, len(r.rows()))
	if r.fails--; r.fails >= 0 {
		return graph.Command[team]{}, errors.New("the library is closed")
	}
	return graph.Command[team]{}, nil
}

// rows are the handoffs in the table, as texts.
func (r *storedRun) rows() []string { return slices.Sorted(maps.Values(r.store.rows)) }

func (r *storedRun) log() handoffs.Log {
	snap, err := r.graph.State(r.Context(), "t", "")
	require.NoError(r, err)
	return handoffs.LogOf(snap.Values.HandoffLog)
}

// whatever call of the store fails, the target does not begin before its
// handoff is stored, and a run that goes on ends with one row.
func TestStoreThatFailsX16(t *testing.T) {
	down := errors.New("the disk is gone")
	whole := newStoredRun(t)
	_, err := whole.graph.Invoke(t.Context(), nil, &graph.RunConfig{Thread: "t"})
	require.NoError(t, err)
	require.Equal(t, []string{"dojo>librarian completed"}, whole.rows())
	for n, call := range whole.failing.Calls() {
		if call == "Release" { // a thread that is never released is busy
			continue
		}
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s %d %v", call, n, after), func(t *testing.T) {
				r := newStoredRun(t)
				r.failing.FailAt(n+1, down, after)
				_, err := r.graph.Invoke(t.Context(), nil, &graph.RunConfig{Thread: "t"})
				if err == nil { // what the store does at the very end need not be heard
					require.Equal(t, []string{"dojo>librarian completed"}, r.rows())
					return
				}
				require.ErrorIs(t, err, down)
				again := &graph.RunConfig{Thread: "t"}
				if _, err = r.graph.State(t.Context(), "t", ""); errors.Is(err, graph.ErrUnknown) {
					require.Empty(t, r.called)
					_, err = r.graph.Invoke(t.Context(), nil, again)
				} else {
					_, err = r.graph.Resume(t.Context(), graph.Answers{}, again)
				}
				require.NoError(t, err)
				require.Equal(t, []string{"dojo>librarian completed"}, r.rows())
				require.NotEmpty(t, r.called)
				for _, rows := range r.called {
					require.Equal(t, 1, rows, "it began before its handoff was stored")
				}
				require.Equal(t, 1, handoffs.Count(r.log(), handoffs.Filter{}))
			})
		}
	}
}

// a target that fails leaves a row that says so and a failure in the trace.
// A retry keeps its handoff's row.
func TestTargetThatFailsX16(t *testing.T) {
	again := handoffs.Edge{Name: "search", From: []string{"dojo"}, To: []string{"librarian"}, Retry: &handoffs.Retry{Max: 1}}
	for name, tt := range map[string]struct {
		edges  []handoffs.Edge
		fails  int
		row    string
		events []string
	}{
		"once":                {nil, 1, "dojo>librarian failed", []string{"AGENT_HANDOFF", "HANDOFF_FAILURE"}},
		"once, then it works": {[]handoffs.Edge{again}, 1, "dojo>librarian completed", []string{"AGENT_HANDOFF", "HANDOFF_FAILURE"}},
		"twice":               {[]handoffs.Edge{again}, 2, "dojo>librarian failed", []string{"AGENT_HANDOFF", "HANDOFF_FAILURE", "HANDOFF_FAILURE"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newStoredRun(t, tt.edges...)
			r.fails = tt.fails
			_, err := r.graph.Invoke(t.Context(), nil, &graph.RunConfig{Thread: "t"})
			require.Equal(t, tt.row == "dojo>librarian failed", err != nil, "%v", err)
			require.Equal(t, []string{tt.row}, r.rows())
			var events []string
			ids := map[string]bool{}
			for e := range handoffs.TraceEvents("t", r.log()) {
				events, ids[e.ID] = append(events, e.Type), true
			}
			require.Equal(t, tt.events, events)
			require.Len(t, ids, len(events))
		})
	}
}

// sessions see their own handoffs only, and no byte of a secret reaches the
// store's files.
func TestSessionsApartAndWithoutSecretsX17(t *testing.T) {
	dir := t.TempDir()
	s, err := sqlite.Open(t.Context(), filepath.Join(dir, "x.db"), nil)
	require.NoError(t, err)
	r := scenarioOf(t, "X-17", s)
	other := "' OR '1'='1"
	for _, thread := range []string{"a", other} {
		look, err := r.run(thread, `{}`)
		require.NoError(t, err)
		for h := range handoffs.History(look.Log, handoffs.Filter{}) {
			require.Equal(t, thread, h.Session)
			require.Equal(t, "use [redacted]", h.Payload["note"])
			require.Equal(t, "' OR 1=1 --", h.Payload["query"])
			require.Equal(t, "'); DROP TABLE agent_handoffs; -- {{secret}} <script>\a\x1b[31m", h.Task)
		}
		require.Equal(t, 1, handoffs.Count(look.Log, handoffs.Filter{}))
	}
	require.NoError(t, s.Close())
	db, err := sql.Open("sqlite", filepath.Join(dir, "x.db"))
	require.NoError(t, err)
	for _, thread := range []string{"a", other} {
		require.Equal(t, []string{thread}, askSQL(t, db, `SELECT session_id FROM agent_handoffs WHERE session_id = ?`, thread))
	}
	require.NoError(t, db.Close())
	require.NoError(t, fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(os.DirFS(dir), name)
		require.NoError(t, err)
		for _, secret := range []string{"sk-abcdefgh", "hunter2"} {
			require.False(t, bytes.Contains(data, []byte(secret)), "%s in %s", secret, name)
		}
		return nil
	}))
}

// a handoff of the hundredth message costs the store what the first one
// cost: the conversation is not copied with it.
func TestHandoffsGrowEvenlyX18(t *testing.T) {
	size := func(messages, hops int) *watched {
		left := hops
		hop := func(target string) bot {
			return func(handoffs.Turn) []handoffs.Command {
				if left--; left < 0 {
					return nil
				}
				return one(to(target))
			}
		}
		p := stored.Policy()
		p.Entry, p.Need, p.Limits = "a", nil, handoffs.Limits{Handoffs: 1000}
		r := newRig(t, *p, map[string]bot{"a": hop("b"), "b": hop("a")}, agents("a", "b")...)
		store := newWatched()
		g, err := r.team.Compile(schema, &graph.Config{Store: store, RecursionLimit: 1000})
		require.NoError(t, err)
		said := make([]state.Message, messages)
		for i := range said {
			said[i] = state.Text(state.RoleHuman, fmt.Sprintf("message %04d of a long conversation", i))
		}
		out, err := g.Invoke(t.Context(), []state.Write[team]{fields.Messages.Add(said...)}, &graph.RunConfig{Thread: "t"})
		require.NoError(t, err)
		require.Equal(t, hops, handoffs.Count(handoffs.LogOf(out.State.HandoffLog), handoffs.Filter{Accepted: true}))
		return store
	}
	few, many, long := size(0, 50), size(0, 400), size(200, 400)
	each := (few.bytes - few.whole) / 50
	require.InEpsilon(t, each, (many.bytes-many.whole)/400, 0.05, "bytes of a handoff behind many")
	require.InEpsilon(t, each, (long.bytes-long.whole)/400, 0.05, "bytes of a handoff in a long conversation")
	require.Less(t, 2*long.whole, long.bytes, "whole states are the smaller part")
}
