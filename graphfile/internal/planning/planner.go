package planning

import (
	"context"
	"fmt"

	"github.com/graphrun/graphrun/graphfile/internal/page"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/graphfile/internal/task"
	"github.com/graphrun/graphrun/internal/expression"
	"github.com/graphrun/graphrun/plan"
)

// Script is a planner that has its proposals ready. It is a plan.Planner, does
// not change and may be asked by any number of runs at once.
type Script struct {
	place   string
	entries []*entry
}

// entry is one proposal.
type entry struct {
	f *source.Fields
	plan.Proposal
	steps []*step
	// number is the time of asking that an entry without a condition is for.
	number int
	when   *expression.Condition
	place  string            // of when
	answer *expression.Value // nil: there is none
	said   string            // the place of answer
}

// script reads the proposals; nil: there is no planner.
func (s *Section) script(f *source.Fields) *Script {
	n := f.Take("planner")
	if n == nil {
		return nil
	}
	items, ok := f.Items("planner")
	out := &Script{place: s.At(f.KeyPos("planner"), "planner")}
	if ok && len(items) == 0 {
		s.Rep.Errorf(f.KeyPos("planner"), `"planner" is empty`)
	}
	plain := 0
	for _, item := range items {
		e := s.entry(item)
		if !e.f.Has("when") {
			plain++
			e.number = plain
		}
		out.entries = append(out.entries, e)
	}
	return out
}

// entry reads {when, goal, order, steps, more, answer, ledger}.
func (s *Section) entry(n *source.Node) *entry {
	e := &entry{f: s.Rep.Fields(n, "a proposal")}
	f := e.f
	f.Allow("when")
	e.Goal, _ = f.Text("goal")
	e.Order = s.order(f)
	e.More, _ = f.Bool("more")
	f.Text("answer")
	e.Steps, e.steps = s.stepsOf(f)
	if f.Has("ledger") {
		g := f.Fields("ledger", `"ledger"`)
		e.Ledger = &plan.Ledger{Facts: texts(g, "facts"), Lookup: texts(g, "lookup"), Derive: texts(g, "derive"), Guesses: texts(g, "guesses")}
		g.Done()
	}
	if f.AtMostOne("answer", "steps") == "" && f.Node != nil {
		s.Rep.Errorf(n.Pos, `a proposal needs "steps" or "answer"`)
	}
	f.Done()
	return e
}

// compile reads the conditions and answers.
func (p *Script) compile(s *Section) {
	text := kindOf(expression.String)
	cause := &expression.Shape{Keys: map[string]expression.Type{"step": text, "agent": text, "code": text, "text": text}}
	scope := expression.Scope{}.With("cause", expression.Record(cause)).With("goal", text).
		With("steps", kindOf(expression.Map)).With("replans", kindOf(expression.Int))
	for _, e := range p.entries {
		if n := e.f.Take("when"); n != nil {
			e.when, _ = s.Condition(n, scope)
			e.place = s.At(n.Pos, "when")
		}
		if n := e.f.Take("answer"); n != nil && n.Kind == source.String {
			e.answer, _ = s.Value(n, scope)
			e.said = s.At(n.Pos, "answer")
		}
	}
}

// Plan returns the first proposal that is for this time of asking, or whose
// condition holds.
func (p *Script) Plan(_ context.Context, r *plan.Request) (*plan.Proposal, error) {
	env := asked{r}
	for _, e := range p.entries {
		ok := e.number == r.Asked+1
		if e.when != nil {
			var err error
			if ok, err = e.when.Holds(env); err != nil {
				return nil, &page.EvalError{Place: e.place, Err: err}
			}
		}
		if ok {
			return e.proposal(env)
		}
	}
	return nil, &page.EvalError{Place: p.place, Err: fmt.Errorf("it is asked for time %d, and no proposal is for that", r.Asked+1)}
}

// proposal makes the proposal with its answer.
func (e *entry) proposal(env expression.Env) (*plan.Proposal, error) {
	out := e.Proposal
	if e.answer == nil {
		return &out, nil
	}
	v, err := e.answer.Eval(env)
	if err == nil {
		out.Answer, err = task.TextOf(v)
	}
	if err != nil {
		return nil, &page.EvalError{Place: e.said, Err: err}
	}
	return &out, nil
}

// asked is what conditions and answers see of a request.
type asked struct{ r *plan.Request }

// Lookup finds a name.
func (a asked) Lookup(name string) (any, bool) {
	switch name {
	case "goal":
		return a.r.Goal, true
	case "replans":
		return int64(a.r.Replans), true
	case "cause":
		c := plan.Cause{}
		if a.r.Cause != nil {
			c = *a.r.Cause
		}
		return map[string]any{"step": c.Step, "agent": c.Agent, "code": string(c.Code), "text": c.Text}, true
	case "steps":
		return a.steps(), true
	}
	return nil, false
}

// steps are the plan's steps as they stand, by their ids.
func (a asked) steps() map[string]any {
	out := map[string]any{}
	if a.r.Plan == nil {
		return out
	}
	for i := range a.r.Plan.Steps {
		s := &a.r.Plan.Steps[i]
		v := map[string]any{"status": string(s.Status)}
		if r := s.Result; r != nil {
			v["text"], v["value"], v["outputs"], v["agent"] = r.Text, r.Value, r.Outputs, r.Agent
		}
		out[s.ID] = v
	}
	return out
}
