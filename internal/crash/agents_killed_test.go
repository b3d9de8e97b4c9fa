package crash_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
)

// agentStride is at which instants processes with agents are killed on every day.
const agentStride = 9

// toll counts what was done to errands.
type toll struct {
	mu         sync.Mutex
	errands    int
	due, again int // of what was paid for
	by         [len(instantNames)]int
}

func (c *toll) add(s *sufferer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.errands++
	c.due += len(s.due)
	c.again += s.again()
	for _, when := range s.kills {
		c.by[when]++
	}
}

func (c *toll) report(t *testing.T, what string) {
	kills, text := 0, ""
	for i, n := range c.by {
		kills += n
		text += fmt.Sprintf(", %s %d", instantNames[i], n)
	}
	t.Logf("%s: %d errands, %d kills%s; %d calls of models and tools, %d made again because they were not kept", what, c.errands, kills, text, c.due, c.again)
}

// TestAgentsKilledNeverPayAgain kills the processes of agents with models behind
// HTTP: at each append to the log, before it and behind it, when a tool is called and
// when it has worked, while a question is open, when a request has come to the model,
// in the middle of its answer and behind it; and some of the processes that go on.
// New ones go on to the end. The end is that of an undisturbed errand, with all
// messages, executions, counters and budgets, and with every checkpoint on the way. No
// request is sent and no tool is run again whose result was kept, and none that
// undisturbed there would not be. That holds for both durabilities: a call's
// result is kept before the agent goes on.
func TestAgentsKilledNeverPayAgain(t *testing.T) {
	t.Parallel()
	if unwatched(t) {
		return
	}
	step := everyNth(agentStride)
	for k, mode := range modes[:2] {
		total := &toll{}
		t.Run(mode.name, func(t *testing.T) {
			for i := range errands {
				t.Run(errands[i].name, func(t *testing.T) {
					t.Parallel()
					w, rng := undisturbedErrand(t, &errands[i], mode.mode), rand.New(rand.NewPCG(*seed, uint64(i)))
					fates := w.fates()
					for f := (i + k) % step; f < len(fates); f += step {
						endure(t, total, w, fates[f])
					}
					for range (pairs + step - 1) / step {
						endure(t, total, w, w.pair(rng))
					}
					t.Logf("%d fates, %d checkpoints, %v instants", len(fates), len(w.rows), w.count)
				})
			}
		})
		total.report(t, mode.name)
	}
	t.Logf("-seed %d", *seed)
}

// endure lets an errand of its own suffer a fate.
func endure(t *testing.T, c *toll, w *wellDone, fate []hit) {
	t.Helper()
	s, err := newSufferer(t, w)
	require.NoError(t, err)
	require.NoError(t, s.suffer(t.Context(), fate))
	c.add(s)
}

// TestErrandsDoWhatTheyAreFor makes sure that there is something to kill, and that
// what all answers cost together is what the state says.
func TestErrandsDoWhatTheyAreFor(t *testing.T) {
	t.Parallel()
	for i := range errands {
		e := &errands[i]
		t.Run(e.name, func(t *testing.T) {
			w := undisturbedErrand(t, e, graph.DurabilitySync)
			require.NoError(t, w.equals(undisturbedErrand(t, e, graph.DurabilityAsync).chronicle))
			require.Len(t, w.know, len(scripts[e.name]), "each answer is given once")
			tokens := 0
			for i := range scripts[e.name] {
				tokens += usageOf(i).Input + usageOf(i).Output
			}
			require.Equal(t, tokens, w.end.Tokens)
			require.Equal(t, len(scripts[e.name]), w.end.Calls)
			if e.name == "team" {
				require.Equal(t, tokens, w.end.Handoffs.Spent.Tokens)
				require.Equal(t, len(scripts[e.name]), w.end.Handoffs.Spent.Calls)
			}
			require.Equal(t, int64(e.asks), w.count[personAsked])
			require.Equal(t, len(e.says), strings.Count(strings.Join(w.logs, " "), "input"))
			require.NotContains(t, w.values, "Error:")
		})
	}
}
