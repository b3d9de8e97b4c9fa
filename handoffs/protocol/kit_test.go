package protocol_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/protocol"
)

// work is what a scripted agent does in a turn.
type work = func(handoffs.Turn, protocol.Update) (protocol.Command, error)

// stage is a team of agents, and what was seen of it.
type stage struct {
	*testing.T
	policy  *handoffs.Policy
	kind    handoffs.Kind  // of all handoffs; "": as they are
	payload map[string]any // of all handoffs; nil: as they are
	graph   *graph.Graph[desk]
	team    *handoffs.Team[desk]
	route   []string
	turns   []handoffs.Turn
	end     desk
	err     error
	ask     []graph.Question
}

func newStage(t *testing.T, p *handoffs.Policy, agents map[string]work, names ...string) *stage {
	st := &stage{T: t, policy: p}
	p.Virtual = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	cfg := handoffs.TeamConfig[desk]{Fields: fields, Policy: p}
	for _, id := range names {
		cfg.Agents = append(cfg.Agents, handoffs.Agent[desk]{Profile: handoffs.Profile{ID: id}, Node: st.node(id, agents[id])})
	}
	var err error
	st.team, err = handoffs.NewTeam(cfg)
	require.NoError(t, err)
	st.graph, err = st.team.Compile(schema, &graph.Config{Store: checkpoint.NewMemory(nil), RecursionLimit: 200, MaxConcurrency: 1})
	require.NoError(t, err)
	return st
}

// node is an agent that does what its script says.
func (st *stage) node(id string, script work) graph.Node[desk] {
	return func(ctx context.Context, s desk) (graph.Command[desk], error) {
		st.route, st.turns = append(st.route, id), append(st.turns, s.Turn)
		u, err := protocol.AcceptHandoff(&s.Turn)
		if err != nil || script == nil {
			return graph.Command[desk]{}, err
		}
		c, err := script(s.Turn, u)
		if err != nil || c.Goto.Agent == "" && c.Goto.Sends == nil {
			return graph.Command[desk]{}, err
		}
		h, err := c.Handoff()
		if err != nil {
			return graph.Command[desk]{}, err
		}
		if st.kind != "" {
			h.Kind = st.kind
		}
		if st.payload != nil {
			h.Payload = st.payload
		}
		return st.team.HandOff(ctx, s, h)
	}
}

func (st *stage) run() *stage {
	st.Helper()
	res, err := st.graph.Invoke(st.Context(), nil, &graph.RunConfig{Thread: "t"})
	return st.saw(res, err)
}

func (st *stage) resume(answer any) *stage {
	st.Helper()
	res, err := st.graph.Resume(st.Context(), graph.Answer(answer), &graph.RunConfig{Thread: "t"})
	return st.saw(res, err)
}

func (st *stage) saw(res graph.Result[desk], err error) *stage {
	snap, at := st.graph.State(st.Context(), "t", "")
	require.NoError(st, at)
	st.end, st.err, st.ask = snap.Values, err, res.Interrupts
	return st
}

func (st *stage) log() handoffs.Log { return handoffs.LogOf(st.end.HandoffLog) }

// to hands on to an agent, with a task.
func to(agent, task string) work {
	return func(_ handoffs.Turn, u protocol.Update) (protocol.Command, error) {
		return u.HandoffToAgent(agent, protocol.Context{TaskDescription: task}), nil
	}
}

// times is to with a task of its own each time.
func times(agent string) work {
	n := 0
	return func(_ handoffs.Turn, u protocol.Update) (protocol.Command, error) {
		n++
		return u.HandoffToAgent(agent, protocol.Context{TaskDescription: fmt.Sprint("try ", n)}), nil
	}
}

// enabled is the policy of the literal protocol.
func enabled() *handoffs.Policy { return (&protocol.Config{EnableHandoffs: true}).Policy() }
