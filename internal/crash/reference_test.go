package crash_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
)

// reference is what a run comes to that nobody disturbs.
type reference struct {
	*chronicle
	mode    graph.Durability
	every   []string        // all checkpoints, whatever the mode
	effects map[effect]bool // without turns
	most    map[effect]int  // how often each comes in one turn, at most
	made    map[string]bool
	turns   int
}

// modes are the durabilities by name.
var modes = []struct {
	name string
	mode graph.Durability
}{{"sync", graph.DurabilitySync}, {"async", graph.DurabilityAsync}, {"exit", graph.DurabilityExit}}

// undisturbed runs a graph to its end in memory.
func undisturbed(t testing.TB, name string, mode graph.Durability) *reference {
	t.Helper()
	w := &world{ledger: &ledger{}}
	d, err := newDrive(name, w, mode)
	require.NoError(t, err)
	s := checkpoint.NewMemory(nil)
	require.NoError(t, d.finish(context.Background(), s))
	c, err := read(context.Background(), d.graph, s, thread, whole)
	require.NoError(t, err)
	require.Empty(t, c.next)
	lines, err := w.ledger.effects()
	require.NoError(t, err)
	every := c.rows
	if mode == graph.DurabilityExit {
		every = undisturbed(t, name, graph.DurabilitySync).rows
	}
	return &reference{c, mode, every, kinds(lines), most(lines), w.ledger.made, w.ledger.turn}
}

// TestLongLogsHaveSeveralWholeStates makes sure that the graph does what it is
// for.
func TestLongLogsHaveSeveralWholeStates(t *testing.T) {
	t.Parallel()
	d, err := newDrive("long", &world{ledger: &ledger{}}, graph.DurabilitySync)
	require.NoError(t, err)
	s := checkpoint.NewMemory(nil)
	require.NoError(t, d.finish(t.Context(), s))
	infos, err := s.Logs(t.Context(), checkpoint.LogQuery{Thread: thread})
	require.NoError(t, err)
	require.Len(t, infos, 2)
	for _, info := range infos {
		list, err := s.List(t.Context(), checkpoint.Query{Log: info.Log})
		require.NoError(t, err)
		states := 0
		for _, c := range list {
			if c.Base == c.Seq {
				states++
			}
		}
		require.Greater(t, states, 1, "log %q", info.NS)
		require.Less(t, states, len(list), "log %q", info.NS)
	}
}

// most returns how often each effect comes in one turn, at most: a subgraph
// whose host is retried runs its tasks again in the same turn.
func most(lines []effect) map[effect]int {
	turns, out := map[effect]int{}, map[effect]int{}
	for _, e := range lines {
		turns[e]++
		k := effect{0, e.sort, e.name}
		out[k] = max(out[k], turns[e])
	}
	return out
}

// kinds returns the different effects.
func kinds(lines []effect) map[effect]bool {
	out := map[effect]bool{}
	for _, e := range lines {
		out[effect{0, e.sort, e.name}] = true
	}
	return out
}

// begins says what is wrong with a thread that was disturbed: it must stand
// where the undisturbed run once stood, with the same past.
func (r *reference) begins(c *chronicle) error {
	switch {
	case c == nil:
		return nil
	case r.mode == graph.DurabilityExit:
		return r.among(c)
	case len(c.rows) > len(r.rows):
		return fmt.Errorf("the thread has %d checkpoints, the undisturbed one %d", len(c.rows), len(r.rows))
	}
	return same("checkpoint", r.rows[:len(c.rows)], c.rows)
}

// among says what is wrong with a thread of which only the ends of runs are
// kept: each must be a checkpoint of a run that keeps all.
func (r *reference) among(c *chronicle) error {
	parent := ""
	for i, text := range c.rows {
		var row struct{ Checkpoint, Parent string }
		if err := json.Unmarshal([]byte(text), &row); err != nil {
			return err
		}
		if row.Parent != parent {
			return fmt.Errorf("checkpoint %s goes on from %q, not from %q", row.Checkpoint, row.Parent, parent)
		}
		parent = row.Checkpoint
		if !slices.ContainsFunc(r.every, func(e string) bool { return orphan(e) == orphan(text) }) {
			return fmt.Errorf("checkpoint %d of %d was never reached undisturbed: %s", i+1, len(c.rows), text)
		}
	}
	return nil
}

// orphan is a row without its parent.
func orphan(row string) string {
	return regexp.MustCompile(`"parent":"\d+",`).ReplaceAllString(row, "")
}

// equals says what is wrong with a thread that has come to its end. Where only
// the ends of runs are kept, which they are depends on the disturbance.
func (r *reference) equals(c *chronicle) error {
	if c == nil {
		return errors.New("there is no thread")
	}
	if r.mode == graph.DurabilityExit {
		return errors.Join(r.among(c), same("end", []string{orphan(r.every[len(r.every)-1])}, []string{orphan(c.rows[len(c.rows)-1])}))
	}
	err := errors.Join(same("checkpoint", r.rows, c.rows), same("log", r.logs, c.logs))
	if c.inside {
		err = errors.Join(err, same("run of subgraphs behind checkpoint", r.inner, c.inner))
	}
	return err
}

func same(what string, want, got []string) error {
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(got):
			return fmt.Errorf("%s %d of %d is missing: %s", what, i, len(want), want[i])
		case i >= len(want):
			return fmt.Errorf("%s %d is one too many: %s", what, i, got[i])
		case want[i] != got[i]:
			return fmt.Errorf("%s %d differs:\n%s\nundisturbed:\n%s", what, i, got[i], want[i])
		}
	}
	return nil
}

// outcome says what is wrong with all effects together.
func (r *reference) outcome(l *ledger, lines []effect) error {
	made, err := l.distinct()
	if err != nil || !maps.Equal(made, r.made) {
		return errors.Join(err, fmt.Errorf("the effects of Once are %v, undisturbed %v", made, r.made))
	}
	got := kinds(lines)
	for _, e := range sorted(r.effects) {
		if !got[e] {
			return fmt.Errorf("the effect %v is missing", e)
		}
	}
	for _, e := range sorted(got) {
		if !r.effects[e] {
			return fmt.Errorf("the effect %v is none of an undisturbed run's", e)
		}
	}
	return nil
}

func sorted(set map[effect]bool) []effect {
	return slices.SortedFunc(maps.Keys(set), func(a, b effect) int {
		if a.sort+a.name < b.sort+b.name {
			return -1
		}
		return 1
	})
}

// watch looks at the effects turn by turn.
type watch struct {
	mode    graph.Durability
	history []*chronicle // where the thread stood behind each turn, from turn 1 on
}

// after notes where the thread stands behind a turn. With DurabilitySync the
// commits that tasks have begun behind are there.
func (w *watch) after(lines []effect, c *chronicle) error {
	w.history = append(w.history, c)
	if w.mode != graph.DurabilitySync {
		return nil
	}
	for _, e := range lines {
		if e.turn == len(w.history) && !c.reached(e.task()) {
			return fmt.Errorf("task %s has run behind a commit that is not kept", e.task())
		}
	}
	return nil
}

// check says what is wrong: a task that ran again though it was kept, or more
// often in one turn than undisturbed; a Once that was called again though it
// had returned.
func (w *watch) check(r *reference, lines []effect) error {
	for k, n := range most(lines) {
		if n > r.most[k] {
			return fmt.Errorf("%v comes %d times in one turn, undisturbed %d times", k, n, r.most[k])
		}
	}
	kept := map[string]int{}
	for _, e := range lines {
		if at, ok := kept[e.name]; ok && e.sort == effectCall && (w.mode != graph.DurabilityExit || at == e.turn) {
			return fmt.Errorf("%v, though Once had returned in turn %d", e, at)
		}
		if e.sort == effectKept {
			kept[e.name] = e.turn
		}
		for turn := 1; turn < e.turn && e.sort == effectTask; turn++ {
			if w.history[turn-1].saved(e.task()) {
				return fmt.Errorf("%v, though the task was kept in turn %d", e, turn)
			}
		}
	}
	return nil
}
