package plan_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/plan"
	"github.com/graphrun/graphrun/state"
)

// progState is the state of random plans.
type progState struct{ plan.State }

var (
	progFields = plan.FieldsOf(func(s *progState) *plan.State { return &s.State })
	progSchema = state.MustSchema(progFields)
	progCmd    graph.Commands[progState]
)

// progTeam is a program as a team of the engine.
type progTeam struct {
	p     *program
	team  *plan.Team[progState]
	graph *graph.Graph[progState]

	mu     sync.Mutex
	inputs int
	rounds map[int][]string // turns of agents, by the input and the run's step
}

func newProgTeam(p *program) (*progTeam, error) {
	t := &progTeam{p: p, rounds: map[int][]string{}}
	cfg := plan.TeamConfig[progState]{
		Team: handoffs.TeamConfig[progState]{Policy: p.policy(progAgents)},
		Plan: plan.Config[progState]{
			Fields: progFields, OnFailure: p.OnFailure, OnOrphan: p.OnOrphan, Parallel: p.Parallel, Stalls: p.Stalls, Replans: p.Replans, EveryRound: p.EveryRound,
		},
	}
	if p.Proposals != nil {
		cfg.Plan.Planner = plan.PlannerFunc(t.propose)
	}
	for _, id := range progAgents {
		profile := handoffs.Profile{ID: id, Name: id, Capabilities: progCaps[id], Selectable: true, Conversational: id == p.Talker}
		if id == "b" {
			profile.MaxConcurrent = p.Room
		}
		cfg.Team.Agents = append(cfg.Team.Agents, handoffs.Agent[progState]{Profile: profile, Node: t.node(id)})
	}
	var err error
	if t.team, err = plan.NewTeam(cfg); err != nil {
		return nil, err
	}
	t.graph, err = t.team.Compile(progSchema, &graph.Config{RecursionLimit: 3000, Lenient: true})
	return t, err
}

// propose is the planner.
func (t *progTeam) propose(_ context.Context, r *plan.Request) (*plan.Proposal, error) {
	n, kept := 1, []string{}
	if r.Plan != nil {
		n = r.Plan.Version
		for i := range r.Plan.Steps {
			if s := &r.Plan.Steps[i]; r.Plan.More || s.Status == plan.Done || s.Status == plan.Skipped {
				kept = append(kept, s.ID)
			}
		}
	}
	q := t.p.propose(n, kept, wholeOf(r.Plan, kept))
	if q.Answer {
		return &plan.Proposal{Answer: "enough"}, nil
	}
	return &plan.Proposal{Order: t.p.Order, Steps: stepsOf(q.Steps), More: q.More}, nil
}

// wholeOf are those of some steps that wait for none but such.
func wholeOf(p *plan.Plan, ids []string) []string {
	for again := p != nil; again; {
		n := len(ids)
		for i := range p.Steps {
			if slices.ContainsFunc(p.Steps[i].DependsOn, func(d string) bool { return !slices.Contains(ids, d) }) {
				ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == p.Steps[i].ID })
			}
		}
		again = len(ids) < n
	}
	return ids
}

// node is the node of an agent.
func (t *progTeam) node(agent string) graph.Node[progState] {
	return func(ctx context.Context, s progState) (c graph.Command[progState], err error) {
		info, err := graph.Task(ctx)
		if err != nil {
			return c, err
		}
		turn := &s.Turn
		does, text := t.does(agent, &s)
		t.mu.Lock()
		at := t.inputs*10_000 + info.Step
		t.rounds[at] = append(t.rounds[at], text)
		t.mu.Unlock()
		if does.Do == "die" {
			return c, errors.New("died")
		}
		var ws []state.Write[progState]
		if command, ok := does.command(max(1, stayOf(turn.Task))); ok {
			if ws, err = t.team.Emit(ctx, s, command); err != nil {
				return c, err
			}
		}
		m := state.Text(state.RoleAI, text)
		m.Name = agent
		return progCmd.Update(append(ws, progFields.Handoffs.Messages.Add(m))...), nil
	}
}

// does is what an agent does in a turn, and how the turn is called.
func (t *progTeam) does(agent string, s *progState) (progTurn, string) {
	turn := &s.Turn
	if aside, ok := strings.CutPrefix(turn.Task, "aside "); ok {
		return asideTurn(aside, turn.Number), fmt.Sprintf("%s %s.%d %s", agent, turn.Task, turn.Number, turn.Step)
	}
	p, _ := s.PlanSteps.Get(turn.Step)
	stay := max(1, stayOf(turn.Task))
	if turn.Step == "" {
		return sayTurn, agent + " idle"
	}
	return t.p.turn(turn.Step, p.Attempt, stay, turn.Number), fmt.Sprintf("%s %s.%d.%d.%d", agent, turn.Step, p.Attempt, stay, turn.Number)
}

// stayOf reads the number of a stay in the task that a transfer gives.
func stayOf(task string) int {
	text, _ := strings.CutPrefix(task, "stay ")
	n, _ := strconv.Atoi(text)
	return n
}

// asideTurn is what an agent does that a step's agent has called.
func asideTurn(aside string, n int) progTurn {
	switch {
	case aside == "fail" || aside == "die":
		return progTurn{Do: aside}
	case aside == "wait" && n == 1:
		return progTurn{Do: "wait", For: 7 * time.Minute}
	case aside == "call" && n == 1:
		return progTurn{Do: "call", To: "d", Aside: "ok"}
	}
	return sayTurn
}

// command is what a turn asks for; false: nothing.
func (t progTurn) command(stay int) (c handoffs.Command, ok bool) {
	c = handoffs.NewCommand(t.To, handoffs.Delegation, "because")
	switch t.Do {
	case "return":
		c.Kind, c.Result = handoffs.Return, &handoffs.Outcome{Status: handoffs.Completed, Value: int64(t.Value)}
	case "partial":
		c.Kind, c.Result = handoffs.Return, &handoffs.Outcome{Status: handoffs.Partial, Value: int64(t.Value)}
	case "fail":
		c.Kind, c.Result = handoffs.Return, &handoffs.Outcome{Status: handoffs.Failed, Error: "failed"}
	case "call":
		c.Kind, c.Task = handoffs.Call, "aside "+t.Aside
	case "transfer":
		c.Kind, c.Task = handoffs.Transfer, fmt.Sprint("stay ", stay+1)
	case "escalate":
		c.Kind, c.Target, c.Task = handoffs.Escalate, "", fmt.Sprint("stay ", stay+1)
	case "refuse":
		c.Kind, c.Result = handoffs.Refuse, &handoffs.Outcome{Error: "no"}
	case "wait":
		c.Kind, c.Until = handoffs.Wait, &handoffs.Until{For: t.For, Signals: []string{"ping"}}
	default:
		return c, false
	}
	return c, true
}

// progRun is a session of a team on a store.
type progRun struct {
	*progTeam
	store checkpoint.Store
	cfg   graph.RunConfig
	last  *progState
	ends  []string
	watch func(before, after *progState) error // called behind every step; nil: nothing
}

func (t *progTeam) on(store checkpoint.Store, thread string) *progRun {
	return &progRun{progTeam: t, store: store, cfg: graph.RunConfig{Thread: thread}}
}

// input is what the user says the n-th time, from 0.
func (r *progRun) input(n int) ([]state.Write[progState], error) {
	if n == 0 {
		return graph.Input(progFields.Plan.Set(r.p.plan())), nil
	}
	var ws []state.Write[progState]
	var err error
	verb, arg, _ := strings.Cut(r.p.Inputs[n-1], " ")
	switch verb {
	case "select":
		ws, err = r.team.Select(arg)
	case "resume":
		c := handoffs.NewCommand("", handoffs.UserRequest, "go on")
		c.Kind, c.Actor = handoffs.Resume, handoffs.ByUser
		ws, err = r.team.Input(c)
	case "signal":
		ws, err = r.team.Signal(handoffs.Signal{ID: fmt.Sprint("i", n), Type: "ping"})
	default:
		ws = []state.Write[progState]{progFields.Handoffs.Messages.Add(state.Text(state.RoleHuman, r.p.Inputs[n-1]))}
	}
	return graph.Input(ws...), err
}

// play lets the user say all that there is to say.
func (r *progRun) play(ctx context.Context) error {
	for n := range len(r.p.Inputs) + 1 {
		in, err := r.input(n)
		if err != nil {
			return err
		}
		r.inputs++
		end, err := r.run(ctx, in)
		if err != nil {
			return fmt.Errorf("input %d: %w", n, err)
		}
		if err := watchEnd(end, r.last); err != nil {
			return fmt.Errorf("input %d: %w", n, err)
		}
		r.ends = append(r.ends, end)
	}
	return nil
}

func (r *progRun) run(ctx context.Context, in []state.Write[progState]) (string, error) {
	var out graph.Outcome
	var last error
	for e, err := range r.graph.On(r.store, nil).Stream(ctx, in, &r.cfg) {
		last = err
		switch e := e.(type) {
		case *graph.StepCommitted:
			before := r.last
			r.last = e.State.(*progState)
			if r.watch != nil {
				if err := r.watch(before, r.last); err != nil {
					return "", err
				}
			}
		case *graph.RunFinished:
			out = e.Outcome
		}
	}
	return endOf(out, last)
}

// endOf says how a run ended.
func endOf(out graph.Outcome, err error) (string, error) {
	var failed *handoffs.Error
	switch {
	case err == nil && out == graph.OutcomeDone:
		return "done", nil
	case errors.Is(err, graph.ErrInterrupted):
		return "waits", nil
	case errors.As(err, &failed):
		return "failed " + string(failed.Code), nil
	}
	return string(out), err
}

// turns are the turns of agents, those of one round in one text.
func (t *progTeam) turns() (out []string) {
	for _, n := range slices.Sorted(func(yield func(int) bool) {
		for n := range t.rounds {
			if !yield(n) {
				return
			}
		}
	}) {
		slices.Sort(t.rounds[n])
		out = append(out, strings.Join(t.rounds[n], ", "))
	}
	return out
}
