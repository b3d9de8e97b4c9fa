package plan

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/graphrun/graphrun/handoffs"
)

// View returns the plan of a state with the status and result of every step;
// nil: there is none. It is a copy.
func View[S any](b Binding[S], s S) (*Plan, error) {
	g, err := b.Look(&s)
	if err != nil || len(g.Plan.Steps) == 0 {
		return nil, err
	}
	return view(&g), nil
}

func view(g *Sight) *Plan {
	p := *g.Plan
	p.Steps = make([]Step, len(g.Plan.Steps))
	done := map[string]bool{}
	for i := range g.Plan.Steps {
		s := g.Plan.Steps[i]
		q, _ := g.Progress(s.ID)
		s.Status, s.Result = q.Status, q.Result
		switch q.Status {
		case "", Pending:
			s.Status = Pending
		case Running:
			s.Status = waiting(g.Desk, s.ID)
		case Done, Skipped:
			done[s.ID] = true
		}
		p.Steps[i] = s
	}
	linear := p.linear()
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Status == Pending && ready(&p, i, linear, done) {
			s.Status = Ready
		}
	}
	return &p
}

// ready reports whether a step waits for no other.
func ready(p *Plan, i int, linear bool, done map[string]bool) bool {
	if linear {
		return i == 0 || done[p.Steps[i-1].ID]
	}
	for _, id := range p.Steps[i].DependsOn {
		if !done[id] {
			return false
		}
	}
	return true
}

// waiting says what a step at work waits for, by its frame.
func waiting(d *handoffs.Desk, step string) Status {
	if d == nil {
		return Running
	}
	for i := range d.Queue {
		if o := &d.Queue[i]; o.Frame.Root != nil && o.Frame.Root.Step == step && o.Status == handoffs.AwaitingApproval {
			return Approval
		}
	}
	for i := range d.Frames {
		f := &d.Frames[i]
		if f.Root == nil || f.Root.Step != step {
			continue
		}
		switch f.State {
		case handoffs.FrameCalling:
			return Detour
		case handoffs.FrameWaiting, handoffs.FrameInput:
			return Input
		}
	}
	return Running
}

// Diff tells in words what the plan b changes against a: a line for each step
// that came, went, moved or is otherwise.
func Diff(a, b *Plan) (lines []string) {
	if a.Goal != b.Goal {
		lines = append(lines, fmt.Sprintf("goal: %q, was %q", b.Goal, a.Goal))
	}
	if a.linear() != b.linear() {
		lines = append(lines, fmt.Sprintf("order: %s, was %s", orderOf(b), orderOf(a)))
	}
	if a.More != b.More {
		lines = append(lines, fmt.Sprintf("more: %t, was %t", b.More, a.More))
	}
	at := map[string]*Step{}
	for i := range a.Steps {
		at[a.Steps[i].ID] = &a.Steps[i]
	}
	for i := range b.Steps {
		s := &b.Steps[i]
		old := at[s.ID]
		delete(at, s.ID)
		if old == nil {
			lines = append(lines, fmt.Sprintf("+ %s: %s", s.ID, describe(s)))
			continue
		}
		if before, was := placed(b, i, a), placed(a, slices.IndexFunc(a.Steps, func(o Step) bool { return o.ID == s.ID }), b); before != was && b.linear() {
			lines = append(lines, fmt.Sprintf("~ %s: behind %s, was behind %s", s.ID, before, was))
		}
		for _, change := range changes(old, s) {
			lines = append(lines, fmt.Sprintf("~ %s: %s", s.ID, change))
		}
	}
	for i := range a.Steps {
		if id := a.Steps[i].ID; at[id] != nil {
			lines = append(lines, fmt.Sprintf("- %s: %s", id, describe(&a.Steps[i])))
		}
	}
	return lines
}

func orderOf(p *Plan) Order {
	if p.linear() {
		return Linear
	}
	return Graph
}

// placed names the step before one, of those that are in both plans.
func placed(p *Plan, i int, other *Plan) string {
	for i--; i >= 0; i-- {
		id := p.Steps[i].ID
		if slices.ContainsFunc(other.Steps, func(s Step) bool { return s.ID == id }) {
			return id
		}
	}
	return "none"
}

// describe is a step in one line.
func describe(s *Step) string {
	who := s.Agent
	if who == "" && s.Capability != "" {
		who = "whoever can " + s.Capability
	}
	if s.Task == "" {
		return who
	}
	return who + ": " + s.Task
}

// changes are the parts of a step that differ, by their names in JSON.
func changes(a, b *Step) (out []string) {
	va, vb := reflect.ValueOf(*a), reflect.ValueOf(*b)
	for i := range va.NumField() {
		f := va.Type().Field(i)
		if f.Name == "Status" || f.Name == "Result" || reflect.DeepEqual(va.Field(i).Interface(), vb.Field(i).Interface()) {
			continue
		}
		name := jsonName(f)
		if f.Type.Kind() == reflect.String {
			out = append(out, fmt.Sprintf("%s %q, was %q", name, vb.Field(i), va.Field(i)))
			continue
		}
		out = append(out, name+" changed")
	}
	return out
}

func jsonName(f reflect.StructField) string {
	tag := f.Tag.Get("json")
	for i, c := range tag {
		if c == ',' {
			return tag[:i]
		}
	}
	return tag
}
