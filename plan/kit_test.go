package plan_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/plan"
	"github.com/graphrun/graphrun/state"
)

type crew struct{ plan.State }

var (
	fields = plan.FieldsOf(func(s *crew) *plan.State { return &s.State })
	schema = state.MustSchema(fields)
	cmd    graph.Commands[crew]
)

// act is what an agent does in a turn.
type act func(st *stage, ctx context.Context, s crew) (graph.Command[crew], error)

// says lets an agent say a text and end its turn.
func says(text string) act {
	return func(_ *stage, _ context.Context, s crew) (graph.Command[crew], error) {
		m := state.Text(state.RoleAI, text)
		m.Name = s.Turn.Agent
		return cmd.Update(fields.Handoffs.Messages.Add(m)), nil
	}
}

// hands lets an agent ask for a handoff.
func hands(c handoffs.Command) act {
	return func(st *stage, ctx context.Context, s crew) (graph.Command[crew], error) {
		return st.team.HandOff(ctx, s, c)
	}
}

// dies lets an agent fail.
func dies(text string) act {
	return func(*stage, context.Context, crew) (graph.Command[crew], error) {
		return cmd.Update(), fmt.Errorf("%s", text)
	}
}

// stage is a team whose agents do what their scripts say, turn by turn. Behind
// its end an agent says that its task is done.
type stage struct {
	*testing.T
	team  *plan.Team[crew]
	graph *graph.Graph[crew]
	mu    sync.Mutex // of route, and of where agents are in their scripts
	route []string
	end   crew
}

// play makes a stage. An agent is "name" or "name:capability,capability".
func play(t *testing.T, agents string, scripts map[string][]act, with func(*plan.TeamConfig[crew])) *stage {
	st := &stage{T: t}
	cfg := plan.TeamConfig[crew]{Plan: plan.Config[crew]{Fields: fields}}
	for _, a := range strings.Fields(agents) {
		id, caps, _ := strings.Cut(a, ":")
		p := handoffs.Profile{ID: id, Name: id, Capabilities: strings.FieldsFunc(caps, func(r rune) bool { return r == ',' })}
		cfg.Team.Agents = append(cfg.Team.Agents, handoffs.Agent[crew]{Profile: p, Node: st.node(id, scripts[id])})
	}
	if with != nil {
		with(&cfg)
	}
	var err error
	st.team, err = plan.NewTeam(cfg)
	require.NoError(t, err)
	st.graph, err = st.team.Compile(schema, &graph.Config{Store: checkpoint.NewMemory(nil)})
	require.NoError(t, err)
	return st
}

func (st *stage) node(id string, script []act) graph.Node[crew] {
	turns := 0
	return func(ctx context.Context, s crew) (graph.Command[crew], error) {
		st.mu.Lock()
		st.route = append(st.route, id)
		do := says(id + " did: " + s.Turn.Task)
		if turns < len(script) {
			do = script[turns]
		}
		turns++
		st.mu.Unlock()
		return do(st, ctx, s)
	}
}

// run gives the team a plan.
func (st *stage) run(p plan.Plan) error {
	return st.input(fields.Plan.Set(p))
}

func (st *stage) input(ws ...state.Write[crew]) (err error) {
	res, err := st.graph.Invoke(st.Context(), graph.Input(ws...), &graph.RunConfig{Thread: "t"})
	st.end = res.State
	return err
}

// history are the handoffs that were accepted.
func (st *stage) history() (out []string) {
	for r := range handoffs.History(handoffs.LogOf(st.end.HandoffLog), handoffs.Filter{}) {
		out = append(out, fmt.Sprintf("%s>%s %s %s", r.From, r.To, r.Reason, r.PlanStep))
	}
	return out
}

// statuses are how the steps stand: "s1 done, s2 failed".
func (st *stage) statuses() string {
	p, err := plan.View[crew](fields, st.end)
	require.NoError(st, err)
	var out []string
	for _, s := range p.Steps {
		out = append(out, s.ID+" "+string(s.Status))
	}
	return strings.Join(out, ", ")
}

func (st *stage) went() string { return strings.Join(st.route, " ") }
