package handoffs

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// The names of the nodes that a team has beside its agents.
const (
	NodeProcess  = "process_handoff"
	NodeNext     = "next_step"
	NodeComplete = "complete"
)

// Agent is an agent of a team: who it is, and the node that works for it.
type Agent[S any] struct {
	Profile
	// Node does a turn of the agent. It reads what it is to do from the State's
	// Turn and the messages, and asks for handoffs by Team.Emit.
	Node graph.Node[S]
	// Config is that of the node, or nil.
	Config *graph.NodeConfig
}

// TeamConfig holds what a Team can be given.
type TeamConfig[S any] struct {
	// Fields is where the state keeps what handoffs need: that of FieldsOf, or
	// Records.
	Fields Binding[S]
	Agents []Agent[S]
	// Policy is what handoffs are decided by. Its Registry is made of Agents if
	// it has none. Nil: everyone hands to everyone, at most 20 handoffs a run,
	// and the first agent begins.
	Policy *Policy
	// Breakers are shared with other threads; nil: each thread has its own. The
	// policy's Breaker is read from it before each step and stored behind, before
	// the step is: if the process dies between them the step is done again, and
	// counts twice. A step that met another thread's change is decided anew, so that
	// functions of the policy may be called again. Times are those of the processes'
	// clocks; under a virtual clock NewTeam refuses to share. If it fails the run
	// does, by a graph.ErrStore, and the thread is as it was last saved.
	Breakers BreakerStore
	// Plan couples handoffs with a plan's steps; nil: there is no plan.
	Plan *PlanSeam[S]
	// Clock tells the time; nil: time.Now. It is not used under a virtual clock.
	Clock func() time.Time
	// Facts names the state's fields for guards and rules; nil: those of Fields.
	Facts func(s *S) Facts
	// Digest is a short text that changes when the work makes progress, for
	// loop rules by LoopProgress; nil: there is none.
	Digest func(s S) string
	// Fatal says which errors of agents' nodes fail the run, and are no matter
	// for the policy; nil: those of the engine alone, which always do.
	Fatal func(error) bool
	// Block waits inside process_handoff for what falls due by time; else the
	// run pauses with a question, which a signal or "tick" answers.
	Block bool
}

// Team wires agents into a graph: START leads to the agent whose turn it is,
// every agent to process_handoff, next_step or complete, and process_handoff
// to the agents. Its parts can be wired by hand as well.
type Team[S any] struct {
	cfg   TeamConfig[S]
	m     *Manager
	cmd   graph.Commands[S]
	spare sync.Pool // of *S, see borrow
}

// NewTeam checks the agents and the policy. Everything that NewManager refuses
// is refused, so also a policy that bounds nothing (ErrEndless).
func NewTeam[S any](cfg TeamConfig[S]) (*Team[S], error) {
	if cfg.Fields == nil {
		return nil, errors.New("handoffs: a team needs Fields, where its state keeps the handoffs")
	}
	if len(cfg.Agents) == 0 {
		return nil, errors.New("handoffs: a team needs agents")
	}
	p := Policy{}
	if cfg.Policy != nil {
		p = *cfg.Policy
	}
	if p.Registry == nil {
		profiles := make([]Profile, len(cfg.Agents))
		for i := range cfg.Agents {
			profiles[i] = cfg.Agents[i].Profile
		}
		var err error
		if p.Registry, err = NewRegistry(nil, profiles...); err != nil {
			return nil, err
		}
	}
	if p.Entry == "" && p.Supervisor == "" {
		p.Entry = cfg.Agents[0].ID
	}
	m, err := NewManager(&p)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(checkAgents(cfg.Agents, &p), cfg.Plan.check(), checkBreakers(cfg.Breakers, &p)); err != nil {
		return nil, err
	}
	return &Team[S]{cfg: cfg, m: m}, nil
}

// checkAgents looks that every agent has a node and a profile.
func checkAgents[S any](agents []Agent[S], p *Policy) error {
	var problems []error
	for i := range agents {
		a := &agents[i]
		switch _, ok := p.Registry.Get(a.ID); {
		case a.ID == NodeProcess || a.ID == NodeNext || a.ID == NodeComplete:
			problems = append(problems, fmt.Errorf("handoffs: agent %q has the name of a node that every team has", a.ID))
		case a.Node == nil:
			problems = append(problems, fmt.Errorf("handoffs: agent %q has no node", a.ID))
		case !ok:
			problems = append(problems, fmt.Errorf("handoffs: agent %q is not in the policy's registry", a.ID))
		}
	}
	return errors.Join(problems...)
}

// Manager returns what decides the team's handoffs.
func (t *Team[S]) Manager() *Manager { return t.m }

// Compile makes the team's graph.
func (t *Team[S]) Compile(schema *state.Schema[S], cfg *graph.Config) (*graph.Graph[S], error) {
	b := graph.New(schema)
	t.AddTo(b)
	return b.Compile(cfg)
}

// AddTo adds the team to a graph that is being built: its nodes, the edges
// between them, and the one from START.
func (t *Team[S]) AddTo(b *graph.Builder[S]) {
	t.AddNodes(b)
	b.AddBranch(graph.Start, t.RouteTurn, t.TurnWays()...)
}

// AddNodes adds the team's nodes and the edges between them, without START.
func (t *Team[S]) AddNodes(b *graph.Builder[S]) {
	names := make([]string, 0, len(t.cfg.Agents))
	for i := range t.cfg.Agents {
		a := &t.cfg.Agents[i]
		names = append(names, a.ID)
		b.AddNode(a.ID, a.Node, a.Config)
		b.AddErrorHandler(a.ID, t.HandleFailure)
		b.AddChoice(a.ID, t.RouteHandoffs, t.routes()...)
	}
	ways := []string{NodeProcess, NodeComplete}
	var end *graph.NodeConfig
	if t.cfg.Plan != nil {
		ways = append(ways, NodeNext)
		t.addNext(b, ways, names)
		end = &graph.NodeConfig{Goto: []string{NodeNext}}
	}
	b.AddNode(NodeProcess, t.ProcessHandoff, &graph.NodeConfig{Goto: ways, Send: names})
	b.AddNode(NodeComplete, t.Complete, end)
	b.AddIndex(t.IndexRows)
}

// routes are where RouteHandoffs leads.
func (t *Team[S]) routes() []string {
	if t.cfg.Plan != nil {
		return []string{NodeProcess, NodeNext, NodeComplete}
	}
	return []string{NodeProcess, NodeComplete}
}

// TurnWays are where RouteTurn leads, for a branch that is added by hand.
func (t *Team[S]) TurnWays() []graph.Way {
	ways := []graph.Way{{Label: "first turn", Goto: []string{t.m.p.Entry}}, {Label: "handoffs at work", Send: []string{NodeProcess}}}
	if t.plans() {
		ways = append(ways, graph.Way{Label: "plan at work", Send: []string{NodeNext}})
	}
	return ways
}
