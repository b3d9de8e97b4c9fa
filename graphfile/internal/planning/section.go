package planning

import (
	"math"

	"github.com/graphrun/graphrun/graphfile/internal/models"
	"github.com/graphrun/graphrun/graphfile/internal/page"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/plan"
)

// Go is what plans are given by a program beside the file; the zero Go is nothing.
type Go struct {
	Planner plan.Planner
	Judge   plan.Judge
	Checks  map[string]plan.Check
}

// Section is what the section says. Where something is wrong with it that was
// reported, and it must not be used.
type Section struct {
	*page.Page
	Pos   source.Pos
	Begin plan.Plan // what runs begin with; without steps and More: nothing

	Review                    plan.Review
	Replans, Stalls, Parallel int // as in plan.Config
	EveryRound                bool
	OnFailure, OnOrphan       plan.Failure
	Script                    *Script // the planner; nil: there is none in the file
	Model                     *Model  // the planner; nil: none with a model
	Judge                     *models.Spec
	Go                        Go

	fields *source.Fields
	agents []string
	steps  []*step // of Begin
	vague  bool    // steps were left out, so that nothing can be said about what needs what
}

// Read reads the section. Agents are the names that it may use.
func Read(p *page.Page, n *source.Node, agents []string, kit *models.Section, beside Go) *Section {
	if n.Kind == source.Null {
		n = &source.Node{Kind: source.Map, Pos: n.Pos}
	}
	s := &Section{Page: p, Pos: n.Pos, agents: agents, Go: beside}
	f := p.Rep.Fields(n, `"plan"`)
	s.fields = f
	s.Begin.ID, _ = f.Text("id")
	s.Begin.Goal, _ = f.Text("goal")
	s.Begin.Order = s.order(f)
	s.Begin.More, _ = f.Bool("more")
	s.Begin.Steps, s.steps = s.stepsOf(f)
	s.review(f)
	s.Replans, s.Stalls = bound(f, "replans"), bound(f, "stalls")
	parallel, _ := f.Int("parallel", 1, math.MaxInt32)
	s.Parallel = int(parallel)
	s.EveryRound, _ = f.Bool("every_round")
	if o := s.failure(f, "on_failure", nil); o != nil {
		s.OnFailure = *o
	}
	if o := s.failure(f, "on_orphan", nil); o != nil {
		s.OnOrphan = *o
	}
	s.planner(f, kit)
	f.Done()
	switch {
	case (s.Script != nil || s.Model != nil) && beside.Planner != nil:
		p.Rep.Errorf(f.KeyPos("planner"), "the plan has a planner in the file and one in Go, it can have only one of both")
	case s.Judge != nil && beside.Judge != nil:
		p.Rep.Errorf(f.KeyPos("judge"), "the plan has a judge in the file and one in Go, it can have only one of both")
	case s.EveryRound && !s.asks():
		p.Rep.Errorf(f.KeyPos("every_round"), `"every_round" asks the planner, and there is none`).Hint = `write what it proposes under "planner"`
	}
	return s
}

// HasPlan reports whether runs begin with a plan.
func (s *Section) HasPlan() bool { return len(s.Begin.Steps) > 0 || s.Begin.More }

// Plans reports whether the graph has the planner's node.
func (s *Section) Plans() bool { return s.asks() || s.Review != (plan.Review{}) }

// asks reports whether there is a planner.
func (s *Section) asks() bool { return s.Script != nil || s.Model != nil || s.Go.Planner != nil }

// Planner returns the plan's planner; nil: there is none. Ask makes what asks a
// model.
func (s *Section) Planner(ask func(*models.Spec) plan.Ask) plan.Planner {
	switch {
	case s.Script != nil:
		return s.Script
	case s.Model != nil && s.Model.Spec != nil:
		return &plan.ModelPlanner{Ask: ask(s.Model.Spec), Instructions: s.Model.Instructions, Stream: s.Model.Stream}
	}
	return s.Go.Planner
}

// Model is a planner that is a model.
type Model struct {
	Spec         *models.Spec // nil: it is wrong
	Instructions string
	Stream       bool // it may name the first steps and be asked for more
}

// planner reads who plans and who judges: a list of proposals, or {model,
// instructions, stream}; and {model}.
func (s *Section) planner(f *source.Fields, kit *models.Section) {
	if n := f.Take("planner"); n == nil || n.Kind != source.Map {
		s.Script = s.script(f)
	} else {
		g := f.Fields("planner", `"planner"`)
		g.Need("model")
		s.Model = &Model{Spec: kit.At(g, "model")}
		s.Model.Instructions, _ = g.Text("instructions")
		s.Model.Stream, _ = g.Bool("stream")
		g.Done()
	}
	if f.Has("judge") {
		g := f.Fields("judge", `"judge"`)
		g.Need("model")
		s.Judge = kit.At(g, "model")
		g.Done()
	}
}

// order reads which steps a step waits for.
func (s *Section) order(f *source.Fields) plan.Order {
	word, _ := f.OneOf("order", string(plan.Linear), string(plan.Graph))
	return plan.Order(word)
}

// review reads when a person looks at a plan: first, later, or both.
func (s *Section) review(f *source.Fields) {
	for _, n := range f.OneOrMany("review") {
		switch word, _ := s.Rep.OneOf(n, `"review"`, "first", "later"); word {
		case "first":
			s.Review.First = true
		case "later":
			s.Review.Later = true
		}
	}
}

// bound reads a number of which 0 is none, as package plan has it: there 0 is
// the default, and less is none.
func bound(f *source.Fields, key string) int {
	n, ok := f.Int(key, 0, math.MaxInt32)
	if ok && n == 0 {
		return -1
	}
	return int(n)
}

// agent reads the name of an agent; "" if it is wrong.
func (s *Section) agent(n *source.Node, what string) string {
	name, ok := s.Rep.Text(n, what)
	if !ok {
		return ""
	}
	for _, a := range s.agents {
		if a == name {
			return name
		}
	}
	s.Rep.Unknown(n.Pos, "agent", name, s.agents)
	return ""
}

// texts reads a list of texts.
func texts(f *source.Fields, key string) []string {
	list, _ := f.Texts(key)
	return list
}
