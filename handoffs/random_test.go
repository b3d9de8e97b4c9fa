package handoffs_test

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/graph"
)

var (
	rndCount = flag.Int("programs", 0, "how many random programs are run; 0: a number for everyday runs")
	rndSeed  = flag.Uint64("program", 0, "the one seed of a program to run; 0: many")
)

func rndNumber(everyday int) int {
	switch {
	case *rndCount > 0:
		return *rndCount
	case testing.Short():
		return everyday / 10
	}
	return everyday
}

// TestRandomProgramsDoWhatTheReferenceDoes compares random programs of agents
// with the reference: what they see, what came of their handoffs, who owns the
// conversation.
func TestRandomProgramsDoWhatTheReferenceDoes(t *testing.T) {
	t.Parallel()
	runPrograms(t, 1, rndNumber(2000), rndOptions{})
}

// The views of programs are looked at before and after every node.
func TestRandomProgramsLeaveTheirViewsAlone(t *testing.T) {
	t.Parallel()
	runPrograms(t, 10_001, rndNumber(2000)/10, rndOptions{checkViews: true})
}

func TestRandomProgramsInSQLite(t *testing.T) {
	t.Parallel()
	store, err := sqlite.Open(context.Background(), filepath.Join(t.TempDir(), "programs.db"), &sqlite.Config{Synchronous: sqlite.Normal})
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	runPrograms(t, 20_001, max(rndNumber(2000)/50, 1), rndOptions{store: store})
}

func TestRandomProgramsOnAnyNumberOfProcessors(t *testing.T) {
	for _, n := range []int{1, 2} {
		before := runtime.GOMAXPROCS(n)
		runPrograms(t, 30_001, rndNumber(2000)/10, rndOptions{})
		runtime.GOMAXPROCS(before)
	}
}

// TestTheComparisonSeesWhatIsWrong lets the reference run programs that are a
// little different: they must not all be taken for the same.
func TestTheComparisonSeesWhatIsWrong(t *testing.T) {
	for name, change := range map[string]func(*rndProgram){
		"cap":        func(p *rndProgram) { p.Cap++ },
		"depth":      func(p *rndProgram) { p.Depth++ },
		"misses":     func(p *rndProgram) { p.Misses = 2 },
		"supervisor": func(p *rndProgram) { p.Supervisor = "" },
		"siblings":   func(p *rndProgram) { p.Siblings = "" },
		"multiple":   func(p *rndProgram) { p.Multiple = "" },
		"tokens":     func(p *rndProgram) { p.Tokens += 20 },
		"accept":     func(p *rndProgram) { p.Accept *= 2 },
		"edges":      func(p *rndProgram) { p.Edges = nil },
		"script":     func(p *rndProgram) { p.Script = nil },
		"room":       func(p *rndProgram) { p.Agents[0].Room++ },
		"talk":       func(p *rndProgram) { p.Agents[1].Conversational = !p.Agents[1].Conversational },
		"turns":      func(p *rndProgram) { p.Agents[1].Turns++ },
	} {
		t.Run(name, func(t *testing.T) {
			for seed := uint64(1); ; seed++ {
				require.Less(t, seed, uint64(1000), "no program shows the difference")
				p := newProgram(seed)
				o := rndOptions{other: p.clone()}
				change(o.other)
				if _, err := runProgram(p, o); err != nil {
					break
				}
			}
		})
	}
}

// The same for what is looked at behind a crash.
func TestTheCrashMatrixSeesWhatIsWrong(t *testing.T) {
	ctx := context.Background()
	r, err := newCrashRun(crashParallel(), graph.DurabilitySync, checkpoint.NewMemory(nil))
	require.NoError(t, err)
	want, err := r.play(ctx)
	require.NoError(t, err)
	for _, list := range []*[]string{&want.ends, &want.rows, &want.changes, &want.table, &want.messages} {
		got := *want
		require.NoError(t, got.same(want, graph.DurabilitySync))
		before := *list
		require.NotEmpty(t, before)
		*list = append(slices.Clone(before[1:]), before[0]+"!")
		require.Error(t, got.same(want, graph.DurabilitySync))
		*list = before
	}
	got := *want
	got.values += " "
	require.Error(t, got.same(want, graph.DurabilityExit))
}

// runPrograms compares so many programs from a seed on.
func runPrograms(t *testing.T, first uint64, count int, o rndOptions) {
	t.Helper()
	began, tally := time.Now(), map[string]int{}
	for seed := first; seed < first+uint64(count); seed++ {
		if *rndSeed != 0 {
			seed, count = *rndSeed, 0
		}
		o.thread = fmt.Sprint(seed)
		end, err := runProgram(newProgram(seed), o)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s\n\nmade smaller:\n%s", seed, err, newProgram(seed), shrinkProgram(newProgram(seed)))
		}
		tally[end]++
	}
	t.Logf("%d programs in %v: %v", count, time.Since(began).Round(time.Millisecond), tally)
}
