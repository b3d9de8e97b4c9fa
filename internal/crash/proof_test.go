package crash_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
)

// sample is a run that nobody disturbed, for spoiling.
func sample(t *testing.T) (*reference, *chronicle, *ledger) {
	w := &world{ledger: &ledger{}}
	d, err := newDrive("questions", w, graph.DurabilitySync)
	require.NoError(t, err)
	s := checkpoint.NewMemory(nil)
	require.NoError(t, d.finish(context.Background(), s))
	c, err := read(context.Background(), d.graph, s, thread, whole)
	require.NoError(t, err)
	return undisturbed(t, "questions", graph.DurabilitySync), c, w.ledger
}

// TestTheProofSeesWhatIsWrong spoils the outcome of a run in many ways.
func TestTheProofSeesWhatIsWrong(t *testing.T) {
	t.Parallel()
	ref, c, l := sample(t)
	require.NoError(t, ref.equals(c))
	require.NoError(t, ref.begins(c))
	lines, err := l.effects()
	require.NoError(t, err)
	require.NoError(t, ref.outcome(l, lines))

	spoiled := *c
	spoiled.rows = slices.Clone(c.rows)
	spoiled.rows[3] = strings.Replace(spoiled.rows[3], `"sum":`, `"sum":1`, 1)
	require.ErrorContains(t, ref.begins(&spoiled), "checkpoint 3 differs")
	require.ErrorContains(t, ref.equals(&spoiled), "checkpoint 3 differs")
	spoiled.rows = c.rows[:len(c.rows)-1]
	require.NoError(t, ref.begins(&spoiled))
	require.ErrorContains(t, ref.equals(&spoiled), "is missing")
	spoiled.rows = append(slices.Clone(c.rows), c.rows[0])
	require.ErrorContains(t, ref.begins(&spoiled), "checkpoints")
	spoiled = *c
	spoiled.logs = c.logs[1:]
	require.ErrorContains(t, ref.equals(&spoiled), "log 0 differs")
	spoiled = *c
	spoiled.inner = c.inner[1:]
	require.ErrorContains(t, ref.equals(&spoiled), "run of subgraphs")
	require.Error(t, ref.equals(nil))

	require.ErrorContains(t, ref.outcome(l, lines[1:]), "is missing")
	require.ErrorContains(t, ref.outcome(l, append(slices.Clone(lines), effect{1, effectTask, "99.0#1"})), "none of an undisturbed run's")
	require.ErrorContains(t, ref.outcome(&ledger{}, lines), "effects of Once")
}

// TestTheWatchSeesWhatIsWrong makes up turns with effects that must not be.
func TestTheWatchSeesWhatIsWrong(t *testing.T) {
	t.Parallel()
	ref, c, l := sample(t)
	lines, err := l.effects()
	require.NoError(t, err)
	w := &watch{mode: graph.DurabilitySync, history: slices.Repeat([]*chronicle{nil}, l.turn)}
	require.NoError(t, w.check(ref, lines))
	require.ErrorContains(t, w.check(ref, append(slices.Clone(lines), lines[0])), "2 times in one turn")

	w.history[0] = c // as if all had been kept in the first turn
	require.ErrorContains(t, w.check(ref, lines), "though the task was kept in turn 1")

	i := slices.IndexFunc(lines, func(e effect) bool { return e.sort == effectCall })
	w.history = slices.Repeat([]*chronicle{nil}, l.turn+1)
	again := effect{l.turn + 1, effectCall, lines[i].name}
	require.ErrorContains(t, w.check(ref, append(slices.Clone(lines), again)), "though Once had returned")

	w.history = nil
	require.ErrorContains(t, w.after(lines, nil), "behind a commit that is not kept")
	w.mode, w.history = graph.DurabilityAsync, nil
	require.NoError(t, w.after(lines, nil))
}

func TestSavedAndReached(t *testing.T) {
	t.Parallel()
	c := &chronicle{heads: map[string]int64{"": 4, "4.1": 2}, done: map[string]bool{"4.0": true, "4.1/2.1": true}}
	for task, want := range map[string][2]bool{
		"3.7": {true, true}, "4.0": {true, true}, "4.0/9.9": {true, true}, "4.1": {false, true}, "5.0": {false, false},
		"4.1/1.0": {true, true}, "4.1/2.1": {true, true}, "4.1/2.0": {false, true}, "4.1/3.0": {false, false},
		"4.2/1.0": {false, false}, "4.1/2.0/1.0": {false, false},
	} {
		require.Equal(t, want, [2]bool{c.saved(task), c.reached(task)}, task)
	}
}
