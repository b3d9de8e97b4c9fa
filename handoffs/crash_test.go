package handoffs_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
)

// strikeAll lets every call of the store fail once before it was carried out and
// once behind it, each in a session of its own that is then gone on with, and
// compares what is left with what an undisturbed session leaves. It returns how
// many calls there were.
func strikeAll(p *rndProgram, mode graph.Durability) (struck int, err error) {
	ctx := context.Background()
	calm, err := newCrashRun(p, mode, checkpoint.NewMemory(nil))
	if err != nil {
		return 0, err
	}
	want, err := calm.play(ctx)
	if err != nil {
		return 0, err
	}
	for n := 1; ; n++ {
		for _, after := range []bool{false, true} {
			r, err := newCrashRun(p, mode, checkpoint.NewMemory(nil))
			if err != nil {
				return struck, err
			}
			r.failAt(n, after)
			r.amnesia = n%2 == 0
			got, err := r.play(ctx)
			if err == nil {
				err = got.same(want, mode)
			}
			if err != nil {
				return struck, fmt.Errorf("call %d (%s), carried out %v: %w", n, r.struck, after, err)
			}
			if r.faulty.Count() < n {
				return struck, nil
			}
			struck++
		}
	}
}

// TestEveryCallOfTheStoreFailsX50 is the crash matrix of three sessions in all
// durabilities.
func TestEveryCallOfTheStoreFailsX50(t *testing.T) {
	for name, p := range crashSessions() {
		for _, mode := range []graph.Durability{graph.DurabilitySync, graph.DurabilityAsync, graph.DurabilityExit} {
			t.Run(fmt.Sprint(name, " ", mode), func(t *testing.T) {
				t.Parallel()
				n, err := strikeAll(p, mode)
				require.NoError(t, err, "%s", p)
				require.NotZero(t, n)
				t.Log(n, "calls")
			})
		}
	}
}

// The sessions of the crash matrix do what they are there for, and the same as
// the reference.
func TestSessionsOfTheCrashMatrix(t *testing.T) {
	for name, p := range crashSessions() {
		t.Run(name, func(t *testing.T) {
			end, err := runProgram(p, rndOptions{})
			require.NoError(t, err)
			t.Log(end)
		})
	}
}

func TestEveryCallOfTheStoreFailsInRandomPrograms(t *testing.T) {
	t.Parallel()
	total := 0
	for seed := uint64(40_001); seed <= uint64(40_000+max(rndNumber(2000)/150, 1)); seed++ {
		p := newProgram(seed)
		n, err := strikeAll(p, graph.DurabilitySync)
		require.NoError(t, err, "seed %d: %s", seed, p)
		total += n
	}
	t.Log(total, "calls")
}
