package handoffs_test

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint/sqlite"
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
	runPrograms(t, 1, rndNumber(2000), rndOptions{})
}

// The views of programs are looked at before and after every node.
func TestRandomProgramsLeaveTheirViewsAlone(t *testing.T) {
	runPrograms(t, 10_001, rndNumber(2000)/10, rndOptions{checkViews: true})
}

func TestRandomProgramsInSQLite(t *testing.T) {
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
