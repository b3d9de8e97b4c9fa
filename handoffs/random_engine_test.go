package handoffs_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// rndState is the state of random teams.
type rndState struct{ handoffs.State }

var (
	rndFields = handoffs.FieldsOf(func(s *rndState) *handoffs.State { return &s.State })
	rndSchema = state.MustSchema(rndFields)
	rndCmd    graph.Commands[rndState]
	rndEpoch  = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
)

// rndTeam is a program as a team of the engine.
type rndTeam struct {
	p     *rndProgram
	team  *handoffs.Team[rndState]
	graph *graph.Graph[rndState]
}

func (p *rndProgram) policy() *handoffs.Policy {
	out := &handoffs.Policy{
		Endless:    true, // rounds end the runs of programs without a cap
		Supervisor: p.Supervisor, Entry: p.Agents[0].ID, Ladder: p.Ladder, Limits: handoffs.Limits{Handoffs: p.Cap, Tokens: p.Tokens},
		Depth: p.Depth, Misses: p.Misses, OnSiblings: p.Siblings, OnMultiple: p.Multiple, Accept: p.Accept, Virtual: rndEpoch,
	}
	for i := range p.Edges {
		out.Edges = append(out.Edges, p.Edges[i].edge(i))
	}
	if out.Edges != nil || p.Multiple == handoffs.FanOut {
		out.Edges = append(out.Edges, handoffs.Edge{Name: "rest"})
	}
	for i := range out.Edges {
		out.Edges[i].Parallel = p.Multiple == handoffs.FanOut
	}
	for _, s := range p.Script {
		out.Script = append(out.Script, handoffs.Scheduled{After: s.After, Signal: handoffs.Signal{Type: s.Type}})
	}
	return out
}

func (e *rndEdge) edge(i int) handoffs.Edge {
	out := handoffs.Edge{Name: fmt.Sprint("edge ", i), Limits: handoffs.Limits{Handoffs: e.Quota}}
	if e.From != "" {
		out.From = []string{e.From}
	}
	if e.To != "" {
		out.To = []string{e.To}
	}
	if e.Retry > 0 {
		out.Retry = &handoffs.Retry{Max: e.Retry, Initial: e.Wait}
	}
	return out
}

// newRndTeam makes the program's team.
func newRndTeam(p *rndProgram) (*rndTeam, error) {
	t := &rndTeam{p: p}
	cfg := handoffs.TeamConfig[rndState]{Fields: rndFields, Policy: p.policy()}
	for i := range p.Agents {
		a := &p.Agents[i]
		profile := handoffs.Profile{ID: a.ID, Conversational: a.Conversational, MaxConcurrent: a.Room, Turns: a.Turns}
		cfg.Agents = append(cfg.Agents, handoffs.Agent[rndState]{Profile: profile, Node: t.node(a.ID)})
	}
	var err error
	if t.team, err = handoffs.NewTeam(cfg); err != nil {
		return nil, err
	}
	t.graph, err = t.team.Compile(rndSchema, &graph.Config{RecursionLimit: 2*refLong + 50, Lenient: true})
	return t, err
}

// node is the node of an agent.
func (t *rndTeam) node(agent string) graph.Node[rndState] {
	return func(ctx context.Context, s rndState) (c graph.Command[rndState], err error) {
		turn, sight := &s.Turn, rndSight{Agent: agent, Number: max(1, s.Turn.Number)}
		if turn.Agent != "" {
			sight = rndSight{
				Agent: turn.Agent, From: turn.From, Task: turn.Task, Branch: turn.Branch, Called: turn.Called, Late: turn.Expired,
				Number: turn.Number, Results: turn.Results, Refused: turn.Refused, Attempt: turn.Attempt,
			}
			for _, signal := range turn.Signals {
				sight.Signals = append(sight.Signals, signal.Type)
			}
		}
		does := t.p.turn(&sight)
		if does.Fail != "" {
			return c, errors.New(does.Fail)
		}
		if t.p.Tools {
			return t.callTools(ctx, &s, agent, does, sight.String())
		}
		writes, err := t.team.Emit(ctx, s, does.commands()...)
		if err != nil {
			return c, err
		}
		if !does.Mute {
			m := state.Text(state.RoleAI, sight.String())
			m.Name = agent
			writes = append(writes, rndFields.Messages.Add(m))
		}
		return rndCmd.Update(writes...), nil
	}
}

// callTools emits what a turn asks for as tool calls of a message, as models do.
func (t *rndTeam) callTools(ctx context.Context, s *rndState, agent string, does *rndTurn, text string) (c graph.Command[rndState], err error) {
	info, err := graph.Task(ctx)
	if err != nil {
		return c, err
	}
	m, u := state.Message{Role: state.RoleAI, Name: agent}, handoffs.Update{}
	if !does.Mute {
		m.Content = state.Text(state.RoleAI, text).Content
	}
	for i, command := range does.commands() {
		data, err := command.Encode()
		if err != nil {
			return c, err
		}
		x := handoffs.Execution{
			ID: fmt.Sprint(info.Task, "-", i), Tool: handoffs.ToolName, Input: data, Success: true,
			Agent: agent, Frame: s.Turn.Frame, Epoch: s.Turn.Epoch, Reply: len(does.Ops) > 0,
		}
		u.Executions = append(u.Executions, x)
		if x.Reply {
			m.ToolCalls = append(m.ToolCalls, state.ToolCall{ID: x.ID, Name: handoffs.ToolName, Args: data})
		}
	}
	if m.Content != nil || m.ToolCalls != nil {
		u.Messages = append(u.Messages, m)
	}
	writes, err := rndFields.Write(&u)
	return rndCmd.Update(writes...), err
}

// commands are what a turn asks for. What it costs is told with the first.
func (t *rndTurn) commands() []handoffs.Command {
	var out []handoffs.Command
	for i := range t.Ops {
		out = append(out, t.Ops[i].command())
	}
	if usage := (handoffs.Usage{Tokens: t.Tokens, Time: t.Takes}); usage != (handoffs.Usage{}) {
		if out == nil {
			out = append(out, handoffs.Command{Type: handoffs.CommandType, Kind: handoffs.Report})
		}
		out[0].Usage = usage
	}
	return out
}

func (o *rndOp) limits() handoffs.Limits {
	return handoffs.Limits{Tokens: o.Budget, Handoffs: o.Most}
}

func (o *rndOp) command() handoffs.Command {
	c := handoffs.NewCommand(o.To, handoffs.Delegation, "")
	c.Kind, c.Task, c.Priority, c.Budget = o.Kind, o.Task, o.Priority, o.limits()
	switch o.Kind {
	case handoffs.Return:
		c.Result = &o.Result
	case handoffs.Wait:
		c.Until = &handoffs.Until{For: o.For, Signals: o.Signals, Count: o.Count}
	case handoffs.Spawn:
		c.Join = o.Join
		for _, b := range o.Branches {
			c.Branches = append(c.Branches, handoffs.Branch{Target: b.To, Task: b.Task, Budget: b.limits()})
		}
	}
	return c
}

// rndRun is a session of a team on a store.
type rndRun struct {
	*rndTeam
	graph  *graph.Graph[rndState]
	thread string
	cfg    graph.RunConfig
	last   *rndState
	watch  func(s *rndState) error // called behind every step; nil: nothing
}

func (t *rndTeam) on(store checkpoint.Store, thread string) *rndRun {
	return &rndRun{rndTeam: t, graph: t.graph.On(store, nil), thread: thread, cfg: graph.RunConfig{Thread: thread}}
}

// input lets the user say something, and returns how the run ended.
func (r *rndRun) input(ctx context.Context, n int) (string, error) {
	m := state.Text(state.RoleHuman, fmt.Sprint("input ", n))
	var out graph.Outcome
	var last error
	for e, err := range r.graph.Stream(ctx, graph.Input(rndFields.Messages.Add(m)), &r.cfg) {
		last = err
		switch e := e.(type) {
		case *graph.StepCommitted:
			r.last = e.State.(*rndState)
			if r.watch != nil {
				if err := r.watch(r.last); err != nil {
					return "", err
				}
			}
		case *graph.RunFinished:
			out = e.Outcome
		}
	}
	return rndEnd(out, last)
}

// rndEnd says how a run ended.
func rndEnd(out graph.Outcome, err error) (string, error) {
	var failed *handoffs.Error
	switch {
	case err == nil && out == graph.OutcomeDone:
		return refDone, nil
	case errors.Is(err, graph.ErrInterrupted):
		return refStuck, nil
	case errors.As(err, &failed):
		return "failed " + string(failed.Code), nil
	}
	return string(out), err
}
