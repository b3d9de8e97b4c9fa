package handoffs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// bytesHanded is how many handoffs are measured.
const bytesHanded = 40

// pingPong are two agents that hand to each other, as often as they may.
func pingPong(kind handoffs.Kind, most int) *rndProgram {
	ask, b := opTo(kind, "b", "ask"), turnOf()
	switch kind {
	case handoffs.Transfer:
		b = turnOf(opTo(kind, "a", "answer"))
	case handoffs.Spawn:
		ask.Branches = []rndOp{opTo("", "b", "this"), opTo("", "b", "that")}
	}
	return &rndProgram{Cap: most, Inputs: 1, Agents: []rndAgent{inOrder("a", turnOf(ask)), inOrder("b", b)}}
}

// What a handoff adds to the store is the same however long the conversation is
// that goes with it.
func TestBytesOfAHandoffAreTheSameInLongConversations(t *testing.T) {
	for _, kind := range []handoffs.Kind{handoffs.Transfer, handoffs.Call, handoffs.Spawn} {
		t.Run(string(kind), func(t *testing.T) {
			least, most := 0, 0
			for _, n := range []int{10, 100, 1000} {
				size := bytesPerHandoff(t, pingPong(kind, bytesHanded), n)
				t.Logf("%d messages: %d bytes a handoff", n, size)
				if least == 0 {
					least = size
				}
				least, most = min(least, size), max(most, size)
			}
			require.Less(t, most-least, least/30, "numbers of more digits take their room, but no more")
		})
	}
}

// bytesPerHandoff runs a program in a conversation of n messages of a kilobyte,
// and returns what a handoff adds to the store, rows for SQL included.
func bytesPerHandoff(t *testing.T, p *rndProgram, n int) (size int) {
	store := &crashStore{Store: checkpoint.NewMemory(nil), rows: map[string]string{}}
	team, err := newRndTeam(p)
	require.NoError(t, err)
	said := make([]state.Message, n)
	for i := range said {
		said[i] = state.Text(state.RoleHuman, fmt.Sprintf("%d: %s", i, strings.Repeat("word ", 200)))
	}
	res, err := team.graph.On(store, nil).Invoke(t.Context(), graph.Input(rndFields.Messages.Add(said...)), &graph.RunConfig{Thread: crashThread})
	_, err = rndEnd(res.Outcome, err)
	require.NoError(t, err)
	require.Equal(t, bytesHanded, res.State.Handoffs.Counts["handoffs"])
	commits, err := store.List(t.Context(), checkpoint.Query{Log: checkpoint.Log{Thread: crashThread}, Bodies: true})
	require.NoError(t, err)
	for _, c := range commits {
		if c.Base != c.Seq { // whole states are stored when the changes since outweigh them
			size += len(c.Meta) + len(c.Body)
		}
	}
	for _, row := range store.table() {
		size += len(row)
	}
	return size / bytesHanded
}

// A desk holds what is open. However many handoffs there were before, it is no
// larger.
func TestDesksDoNotGrowWithThePast(t *testing.T) {
	for _, kind := range []handoffs.Kind{handoffs.Transfer, handoffs.Call, handoffs.Spawn} {
		size := func(most int) int {
			team, err := newRndTeam(pingPong(kind, most))
			require.NoError(t, err)
			run, largest := team.on(checkpoint.NewMemory(nil), "t"), 0
			run.watch = func(s *rndState) error {
				largest = max(largest, len(rndJSON(s.Handoffs)))
				return nil
			}
			_, err = run.input(t.Context(), 1)
			require.NoError(t, err)
			require.Equal(t, most, run.last.Handoffs.Counts["handoffs"])
			return largest
		}
		require.InDelta(t, size(20), size(200), 60, kind)
	}
}

// When nothing is open a desk is small, whatever the session was: see rndCheck.
func TestDesksOfLongSessionsAreSmall(t *testing.T) {
	ended := 0
	for seed := uint64(50_001); seed <= 50_000+uint64(rndNumber(2000)/40); seed++ {
		p := newProgram(seed)
		p.Cap, p.Misses, p.Inputs = 0, 0, 12
		end, err := runProgram(p, rndOptions{})
		require.NoError(t, err, "seed %d: %s", seed, p)
		if end != rndLong {
			ended++
		}
	}
	require.NotZero(t, ended)
	t.Log(ended, "programs")
}
