package plan

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
)

// Check is a function that accepts the result of a step or says what is wrong
// with it. It may be called more than once for one result, and by several
// goroutines at once.
type Check func(ctx context.Context, p *Plan, s *Step, r *Result) error

// Config holds what an Executor can be given.
type Config[S any] struct {
	// Fields is where the state keeps the plan: that of FieldsOf, or Records.
	Fields   Binding[S]
	Registry *handoffs.Registry // of the agents that steps may name
	// Supervisor is who sees to steps that nobody else can; "": nobody.
	Supervisor string

	// Planner makes plans where there is none, and new versions; nil: plans come
	// with the input.
	Planner Planner
	// EveryRound asks the planner again whenever steps have ended, not only when
	// one failed.
	EveryRound bool
	// AtEnd asks the planner when all steps are done: it answers the user, or adds
	// steps.
	AtEnd bool
	// Replans bounds the new versions of a plan; 0: 3; less: none. With
	// EveryRound 0 is 10.
	Replans int
	// Review says when a person looks at a plan before it is worked on.
	Review Review

	OnFailure Failure // of steps that say nothing; Do "": escalated to the supervisor, or Stop
	OnOrphan  Failure // of steps whose agent has left; Do "": as OnFailure, but never tried again by the same agent
	Parallel  int     // steps at work at once, in graphs; 0 or less: all that can
	Checks    map[string]Check

	// Judge looks for progress behind every round; nil: a round in which a step
	// was done has made progress.
	Judge Judge
	// Stalls is how many rounds without progress, less those with, are a stall:
	// the planner is asked for a new version, or the plan fails. Attempts that fail
	// and are made again count. 0: 3 with a Judge, else 5 with a Planner, else none;
	// less: none.
	Stalls int

	// Clock tells the time of plans; nil: time.Now.
	Clock func() time.Time
	// Virtual is the start of the virtual clock of the team's policy; zero: there is
	// none.
	Virtual time.Time

	// Facts names the state's fields for expressions; nil: those of Fields.
	// Names are those that expressions may use; nil: none.
	Facts func(s *S) handoffs.Facts
	Names []string
}

// Review says when a person looks at a plan.
type Review struct {
	First bool // the first version
	Later bool // every later one
}

// Executor carries out plans: it is the part of a graph that moves a plan on. It
// does not change and may be used by any number of runs at once.
type Executor[S any] struct {
	cfg   Config[S]
	texts *compiler
	cache cache
	cmd   graph.Commands[S]
}

// NodePlanner is the name of the node that asks the planner, and a person.
const NodePlanner = "planner"

// New checks the configuration.
func New[S any](cfg Config[S]) (*Executor[S], error) {
	var ps problems
	if cfg.Fields == nil {
		ps.add("an executor needs Fields, where its state keeps the plan")
	}
	if cfg.Registry == nil || cfg.Registry.Len() == 0 {
		ps.add("an executor needs a Registry of agents")
		return nil, ps.err()
	}
	if _, ok := cfg.Registry.Get(cfg.Supervisor); cfg.Supervisor != "" && !ok {
		ps.add("there is no agent %q for the supervisor", cfg.Supervisor)
	}
	if (cfg.EveryRound || cfg.AtEnd) && cfg.Planner == nil {
		ps.add("EveryRound and AtEnd need a Planner")
	}
	x := &Executor[S]{cfg: cfg, texts: newCompiler(cfg.Names, cfg.Checks)}
	ps.at(0, "on_failure")
	x.checkFailure("OnFailure", &cfg.OnFailure, &ps)
	ps.at(0, "on_orphan")
	x.checkFailure("OnOrphan", &cfg.OnOrphan, &ps)
	if ps.list != nil {
		return nil, errors.Join(ps.list...)
	}
	return x, nil
}

// most is how many new versions there may be.
func (x *Executor[S]) most() int {
	switch {
	case x.cfg.Replans < 0:
		return 0
	case x.cfg.Replans > 0:
		return x.cfg.Replans
	case x.cfg.EveryRound:
		return 10
	}
	return 3
}

// Seam couples the plan with a team: see handoffs.TeamConfig.
func (x *Executor[S]) Seam() *handoffs.PlanSeam[S] {
	return &handoffs.PlanSeam[S]{More: x.more, Open: x.open, Begin: x.begins, Beside: x.beside, Advance: x.advance, Ways: x.ways()}
}

func (x *Executor[S]) ways() []string {
	if x.plans() {
		return []string{NodePlanner}
	}
	return nil
}

// plans reports whether the graph has a node for planner and reviews.
func (x *Executor[S]) plans() bool { return x.cfg.Planner != nil || x.cfg.Review != (Review{}) }

// AddTo adds the node of the planner to a graph that the team is added to. It
// leads on as the team's agents do, beside which it may be at work.
func (x *Executor[S]) AddTo(b *graph.Builder[S], team *handoffs.Team[S]) {
	if x.plans() {
		b.AddNode(NodePlanner, x.PlanNode, nil)
		b.AddChoice(NodePlanner, team.RouteHandoffs, handoffs.NodeProcess, handoffs.NodeNext, handoffs.NodeComplete)
	}
}

// more answers the router behind an agent that asks for no handoff: whether
// next_step has something to do behind the step at work.
func (x *Executor[S]) more(s *S) bool {
	g, err := x.cfg.Fields.Look(s)
	if err != nil {
		return true // next_step tells the error
	}
	c := g.Course
	switch {
	case c.Phase.over():
		return false
	case c.Phase == "":
		return len(g.Plan.Steps) > 0
	case !x.linear(g.Plan) || x.cfg.EveryRound || x.cfg.AtEnd || c.Cause != nil || c.Phase != Working:
		return true
	}
	return c.Cursor < len(g.Plan.Steps)-1 || len(c.Open) == 0
}

// beside reports whether the planner may be at work beside agents.
func (x *Executor[S]) beside(s *S) bool {
	g, err := x.cfg.Fields.Look(s)
	return err == nil && g.Plan.More
}

// open reports whether there is a plan to go on with.
func (x *Executor[S]) open(s *S) bool {
	g, err := x.cfg.Fields.Look(s)
	return err != nil || x.goesOn(&g)
}

// begins reports whether there is a plan to go on with, or one to be made.
func (x *Executor[S]) begins(s *S) bool {
	g, err := x.cfg.Fields.Look(s)
	return err != nil || x.goesOn(&g) || x.cfg.Planner != nil && g.Heard() > g.Course.Heard
}

// goesOn reports whether a plan is at work, or is there to be taken up.
func (x *Executor[S]) goesOn(g *Sight) bool {
	return g.Course.Phase != "" && !g.Course.Phase.over() || x.newPlan(g)
}

// newPlan reports whether the state has a plan that was not taken up yet.
func (x *Executor[S]) newPlan(g *Sight) bool {
	p, c := g.Plan, g.Course
	return len(p.Steps) > 0 && (c.Phase == "" || p.Version == 0 || nameOf(p) != c.Plan) && !slices.Contains([]Phase{Working, Replanning}, c.Phase)
}

// nameOf is a plan's id.
func nameOf(p *Plan) string {
	if p.ID == "" {
		return "plan"
	}
	return p.ID
}

// linear is Plan.linear for plans of a state.
func (x *Executor[S]) linear(p *Plan) bool {
	if ix := x.cache.last.Load(); ix != nil && ix.same(p) {
		return ix.linear
	}
	return p.linear()
}
