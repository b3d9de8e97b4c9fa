package handoffs_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// team is a state with nothing but handoffs.
type team struct{ handoffs.State }

var (
	fields = handoffs.FieldsOf(func(s *team) *handoffs.State { return &s.State })
	schema = state.MustSchema(fields)
	do     graph.Commands[team]
)

// bot is what a scripted agent does in a turn.
type bot func(handoffs.Turn) []handoffs.Command

// rig is a team of bots on a store, and what was seen of it.
type rig struct {
	*testing.T
	team   *handoffs.Team[team]
	graph  *graph.Graph[team]
	bots   map[string]bot
	mu     sync.Mutex
	turns  []handoffs.Turn
	events []string
	last   graph.Result[team]
	err    error
}

func newRig(t *testing.T, p handoffs.Policy, agents map[string]bot, profiles ...handoffs.Profile) *rig {
	r := &rig{T: t, bots: agents}
	cfg := handoffs.TeamConfig[team]{Fields: fields, Policy: &p}
	for _, profile := range profiles {
		cfg.Agents = append(cfg.Agents, handoffs.Agent[team]{Profile: profile, Node: r.node(profile.ID)})
	}
	if p.Virtual.IsZero() {
		p.Virtual = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	var err error
	r.team, err = handoffs.NewTeam(cfg)
	require.NoError(t, err)
	r.graph, err = r.team.Compile(schema, &graph.Config{Store: checkpoint.NewMemory(nil), RecursionLimit: 200})
	require.NoError(t, err)
	return r
}

func agents(names ...string) []handoffs.Profile {
	var out []handoffs.Profile
	for _, n := range names {
		out = append(out, handoffs.Profile{ID: n, Selectable: true})
	}
	return out
}

// node runs an agent's bot. An agent says its name and the turn's number.
func (r *rig) node(id string) graph.Node[team] {
	return func(ctx context.Context, s team) (graph.Command[team], error) {
		turn := s.Turn
		if turn.Agent == "" {
			turn.Agent, turn.Number = id, 1
		}
		r.mu.Lock()
		r.turns = append(r.turns, turn)
		r.mu.Unlock()
		said := state.Text(state.RoleAI, fmt.Sprintf("%s#%d", id, turn.Number))
		said.Name = id
		cs := r.bots[id](turn)
		if len(cs) == 1 && cs[0].Kind == "crash" {
			return graph.Command[team]{}, fmt.Errorf("%s", cs[0].Explanation)
		}
		ws, err := r.team.Emit(ctx, s, cs...)
		return do.Update(append(ws, fields.Messages.Add(said))...), err
	}
}

func (r *rig) run(writes ...state.Write[team]) *rig {
	r.collect(r.graph.Stream(r.Context(), writes, &graph.RunConfig{Thread: "t"}))
	return r
}

func (r *rig) answer(a graph.Answers) *rig {
	r.collect(r.graph.StreamResume(r.Context(), a, &graph.RunConfig{Thread: "t"}))
	return r
}

func (r *rig) collect(events func(func(graph.Event, error) bool)) {
	r.err = nil
	r.turns = nil
	for e, err := range events {
		if err != nil {
			r.err = err
		}
		switch e := e.(type) {
		case *graph.Custom:
			if n, ok := e.Value.(handoffs.Notice); ok {
				r.events = append(r.events, n.LineType())
			}
		case *graph.RunFinished:
			r.last.Outcome = e.Outcome
		case *graph.Asked:
			r.last.Interrupts = append(r.last.Interrupts, e.Question)
		}
	}
	snap, err := r.graph.State(r.Context(), "t", "")
	require.NoError(r, err)
	r.last.State = snap.Values
}

// route tells who had turns, in their order.
func (r *rig) route() string {
	var names []string
	for _, t := range r.turns {
		names = append(names, t.Agent)
	}
	return strings.Join(names, " ")
}

// log tells what happened, a line an entry.
func (r *rig) log() []string {
	var out []string
	for _, e := range r.last.State.HandoffLog {
		text := e.Event
		if e.Event == "" {
			text = string(e.Kind)
		}
		text += " " + e.From + ">" + e.To
		for _, s := range e.Stages {
			text += " " + string(s)
		}
		if e.Code != "" {
			text += " !" + string(e.Code)
		}
		out = append(out, text)
	}
	return out
}

func to(target string) handoffs.Command {
	return handoffs.NewCommand(target, handoffs.Delegation, "because")
}

func kind(k handoffs.Kind, target string) handoffs.Command {
	c := to(target)
	c.Kind = k
	return c
}

func just(cs ...handoffs.Command) bot { return func(handoffs.Turn) []handoffs.Command { return cs } }

// then does one thing in an agent's first turn and others in those behind it.
func then(turns ...[]handoffs.Command) bot {
	return func(t handoffs.Turn) []handoffs.Command {
		if t.Number > len(turns) {
			return nil
		}
		return turns[t.Number-1]
	}
}

func one(cs ...handoffs.Command) []handoffs.Command { return cs }
