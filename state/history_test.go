package state_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/state"
)

// history is a random run of one schema: the states after each step, and what
// was stored of it.
type history struct {
	layout *state.Layout
	store  *state.Store
	states []string // after each committed step; the first is the start
	ops    [][]byte // of each committed step
	writes [][]byte
	exact  []bool
	diffs  []string // since the start
}

// play runs steps of several tasks each, of which some fail.
func play(t *testing.T, l *state.Layout, steps int, update func() *state.Changes, r *rand.Rand) *history {
	t.Helper()
	h := &history{layout: l, store: l.NewStore(l.Fresh())}
	h.store.Journal(true)
	h.store.Track()
	h.note(t)
	for range steps {
		tasks := make([]*state.Changes, 1+r.IntN(3))
		for i := range tasks {
			tasks[i] = update()
		}
		var err error
		if len(tasks) == 1 && r.IntN(2) == 0 {
			if err = h.store.ApplyAlone(tasks[0]); err == nil && r.IntN(8) > 0 {
				h.store.Commit()
			} else {
				err = fmt.Errorf("given up: %w", err)
			}
		} else {
			err = runStep(h.store, tasks...)
		}
		if err != nil {
			_, _, err = h.store.AppendOps(nil)
			require.Error(t, err, "a step that was not committed has no operations")
			continue
		}
		ops, exact, err := h.store.AppendOps([]byte("before"))
		require.NoError(t, err)
		require.Equal(t, "before", string(ops[:6]))
		require.True(t, json.Valid(ops[6:]), "%s", ops)
		writes, err := h.store.AppendWrites(nil)
		require.NoError(t, err)
		h.ops, h.exact, h.writes = append(h.ops, ops[6:]), append(h.exact, exact), append(h.writes, writes)
		h.note(t)
	}
	return h
}

func (h *history) note(t *testing.T) {
	t.Helper()
	h.states = append(h.states, shown(t, h.layout, h.store.State()))
	diff, err := h.store.AppendDiff(nil)
	require.NoError(t, err)
	h.diffs = append(h.diffs, string(diff))
}

// randomRecord is a record with a field of every reduction, and a maker of
// writes to it.
func randomRecord(t *testing.T, r *rand.Rand) (*state.RecordSchema, func() *state.Changes) {
	t.Helper()
	s := recordOf(t,
		state.RecordField{Name: "last"}, state.RecordField{Name: "text", Type: "string"},
		state.RecordField{Name: "append", Reduce: "append", Default: []any{1}},
		state.RecordField{Name: "floats", Reduce: "append", Type: "float"},
		state.RecordField{Name: "sum", Reduce: "sum"}, state.RecordField{Name: "total", Reduce: "sum", Type: "float"},
		state.RecordField{Name: "merge", Reduce: "merge"}, state.RecordField{Name: "messages", Reduce: "messages"},
		state.RecordField{Name: "max", Reduce: "max"}, state.RecordField{Name: "min", Reduce: "min", Type: "int"},
		state.RecordField{Name: "union", Reduce: "union", Default: []any{"start"}},
		state.RecordField{Name: "set \"x\"", Reduce: "union", Type: "int"},
		state.RecordField{Name: "local", Local: true})
	return s, func() *state.Changes {
		var ws []state.Write[state.Record]
		for range r.IntN(6) {
			field, v := randomRecordValue(r)
			write := s.Write
			if r.IntN(8) == 0 {
				write = s.Replace
			}
			w, err := write(field, v)
			require.NoError(t, err)
			ws = append(ws, w)
		}
		return updates(ws...)
	}
}

func randomRecordValue(r *rand.Rand) (field string, value any) {
	n, id := r.IntN(40), string(rune('a'+r.IntN(4)))
	message := map[string]any{"id": id, "content": fmt.Sprint("é\n", n)}
	values := []struct {
		field string
		value any
	}{
		{"last", n}, {"last", []any{n, float32(n), map[string]any{"k": nil}}}, {"text", fmt.Sprint(n)}, {"text", nil},
		{"append", n}, {"append", []any{float64(n), nil, []any{}}}, {"append", []any{}}, {"floats", n},
		{"sum", n - 20}, {"total", float64(n) / 3}, {"merge", map[string]any{id: n}}, {"merge", map[string]any{id: message, "x\"": 1.0}},
		{"messages", message}, {"messages", "text"}, {"messages", []any{message, message, "more"}},
		{"messages", []any{message, map[string]any{"type": "remove", "id": id}}},
		{"messages", []any{message, map[string]any{"type": "remove", "id": id}, message}},
		{"messages", map[string]any{"type": "remove", "id": id}}, {"messages", map[string]any{"id": nil}},
		{"max", float64(n)}, {"max", n}, {"min", n}, {"union", n}, {"union", []any{n, float64(n), n + 1}}, {"union", id}, {"set \"x\"", []any{n, n}},
	}
	v := values[r.IntN(len(values))]
	return v.field, v.value
}

// moreUpdates makes updates that also write what is rare.
func moreUpdates(r *rand.Rand) *state.Changes {
	u := randomUpdate(r)
	if r.IntN(2) == 0 {
		u = updates(randomWrite(r), randomWrite(r))
	}
	id := string(rune('a' + r.IntN(6)))
	again := state.Text(state.RoleHuman, "again\n")
	again.ID = id
	rare := []state.Write[full]{
		small.Add(int8(r.IntN(200) - 100)), talk.Messages.Remove(id), talk.Messages.Add(again, again),
		talk.Messages.Replace([]state.Message{again, state.Text(state.RoleTool, "x"), again}), small.Add(-100), small.Add(100),
		things.Append(float32(0.1), uint8(3), json.Number("2.0")), cost.Replace(0), meta.Delete(), meta.PutAll(nil), ratio.Replace(0),
	}
	for range r.IntN(3) {
		u.Add(rare[r.IntN(len(rare))].Change())
	}
	return u
}

// histories runs a test over many random runs of both kinds of schema.
func histories(t *testing.T, seeds int, test func(t *testing.T, h *history, r *rand.Rand)) {
	t.Helper()
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 77))
		test(t, play(t, fullSchema.Layout(), r.IntN(60), func() *state.Changes { return moreUpdates(r) }, r), r)
		s, update := randomRecord(t, r)
		test(t, play(t, s.Layout(), r.IntN(60), update, r), r)
	}
}

// TestReplayIsTheRun: what was stored of each step gives the state after it,
// byte for byte, from the start and from any state between, one list at a time
// and many in one call, with a schema and without one.
func TestReplayIsTheRun(t *testing.T) {
	t.Parallel()
	histories(t, 120, func(t *testing.T, h *history, r *rand.Rand) {
		again := h.layout.NewStore(h.layout.Fresh())
		raw, err := state.LoadRaw([]byte(h.states[0]))
		require.NoError(t, err)
		for i, ops := range h.ops {
			require.NoError(t, again.Replay(ops), "%s", ops)
			require.Equal(t, h.states[i+1], shown(t, h.layout, again.State()), "%s", ops)
			require.NoError(t, raw.Replay(ops), "%s", ops)
			require.Equal(t, h.states[i+1], rawShown(t, h.layout, raw), "%s", ops)
		}
		from := r.IntN(len(h.states))
		require.NoError(t, again.Load([]byte(h.states[from])))
		require.NoError(t, again.Replay(h.ops[from:]...))
		require.Equal(t, h.states[len(h.states)-1], shown(t, h.layout, again.State()))
		raw, err = state.LoadRaw([]byte(h.states[from]))
		require.NoError(t, err)
		require.NoError(t, raw.Replay(h.ops[from:]...))
		require.Equal(t, h.states[len(h.states)-1], rawShown(t, h.layout, raw))
	})
}

// rawShown is what a layout makes of a raw state's fields.
func rawShown(t *testing.T, l *state.Layout, raw *state.RawState) string {
	t.Helper()
	b, err := raw.Append(nil)
	require.NoError(t, err)
	st, err := l.LoadState(b)
	require.NoError(t, err, "%s", b)
	return shown(t, l, st)
}

// TestDiffAfterRestart: a Store that is loaded in another process and recalls
// what was written goes on with Diff as if nothing had happened, wherever the
// restart came, and where exact operations stand for the writes too.
func TestDiffAfterRestart(t *testing.T) {
	t.Parallel()
	histories(t, 120, func(t *testing.T, h *history, r *rand.Rand) {
		n := len(h.ops)
		k := r.IntN(n + 1)
		store := h.layout.NewStore(h.layout.Fresh())
		require.NoError(t, store.Load([]byte(h.states[n])))
		store.Track()
		require.NoError(t, store.Recall([]byte(h.diffs[k])))
		for i := k; i < n; i++ {
			if h.exact[i] && r.IntN(2) == 0 {
				require.NoError(t, store.Recall(h.ops[i]))
			} else {
				require.NoError(t, store.Recall(h.writes[i]))
			}
		}
		diff, err := store.AppendDiff(nil)
		require.NoError(t, err)
		require.Equal(t, h.diffs[n], string(diff))
		require.Equal(t, h.states[n], shown(t, h.layout, store.State()), "the state is as it was")
	})
}
