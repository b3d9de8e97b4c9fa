package plan

import (
	"slices"
	"strings"
)

// Check returns all that is wrong with a plan for this executor, as a
// *Problems; nil: nothing. Every problem names the step.
func (x *Executor[S]) Check(p *Plan) error {
	var ps problems
	if len(p.Steps) == 0 && !p.More {
		ps.add("the plan has no steps")
	}
	if p.More && x.cfg.Planner == nil {
		ps.add("more steps are to come, and there is no planner")
	}
	if p.Order != "" && p.Order != Linear && p.Order != Graph {
		ps.add("order %q is neither linear nor graph", p.Order)
	}
	at := map[string]int{}
	for i := range p.Steps {
		id := p.Steps[i].ID
		if first, twice := at[id]; twice {
			ps.at(i+1, "id")
			ps.add("step %q stands twice, as step %d and step %d", id, first+1, i+1)
			continue
		}
		at[id] = i
	}
	ps.at(0, "")
	if p.More && p.linear() {
		ps.add("a plan whose steps stream in must be a graph")
	}
	for i := range p.Steps {
		x.checkStep(p, i, at, &ps)
	}
	ps.at(0, "")
	checkCycles(p, at, &ps)
	if len(ps.list) == 0 {
		x.checkNames(p, at, &ps)
	}
	return ps.err()
}

func (x *Executor[S]) checkStep(p *Plan, i int, at map[string]int, ps *problems) {
	s := &p.Steps[i]
	ps.at(i+1, "")
	if s.ID == "" {
		ps.add("step %d has no id", i+1)
	}
	if s.Status != "" || s.Result != nil {
		ps.add("step %q: status and result are not the plan's to say", s.ID)
	}
	x.checkAgent(s, ps)
	ps.at(i+1, "depends_on")
	for _, id := range s.DependsOn {
		switch _, ok := at[id]; {
		case !ok:
			ps.add("step %q depends on %q, and there is no such step", s.ID, id)
		case id == s.ID:
			ps.add("step %q depends on itself", s.ID)
		}
	}
	if p.linear() && len(s.DependsOn) > 0 && p.Order == Linear && (i == 0 || len(s.DependsOn) > 1 || s.DependsOn[0] != p.Steps[i-1].ID) {
		ps.add("step %q: in a linear plan a step depends on the one before it", s.ID)
	}
	ps.at(i+1, "retry")
	if s.Retry != nil && (s.Retry.Factor < 0 || s.Retry.Initial < 0 || s.Retry.Most < 0) {
		ps.add("step %q: retry: initial, factor and most must not be below 0", s.ID)
	}
	ps.at(i+1, "timeout")
	if s.Timeout < 0 {
		ps.add("step %q: timeout must not be below 0", s.ID)
	}
	if s.OnFailure != nil {
		ps.at(i+1, "on_failure")
		x.checkFailure("step "+quoted(s.ID)+": on_failure", s.OnFailure, ps)
	}
	ps.at(i+1, "")
	var t stepTexts
	x.texts.read(s, &t, ps)
}

func (x *Executor[S]) checkAgent(s *Step, ps *problems) {
	ps.key = "agent"
	switch {
	case s.Agent != "" && s.Capability != "":
		ps.add("step %q names an agent and a capability: name one", s.ID)
	case s.Agent != "":
		if _, ok := x.cfg.Registry.Get(s.Agent); !ok {
			ps.add("step %q: there is no agent %q%s", s.ID, s.Agent, x.near(s.Agent))
		}
	case s.Capability != "":
		if !x.provided(s.Capability) {
			ps.key = "capability"
			ps.add("step %q: no agent has the capability %q", s.ID, s.Capability)
		}
	case x.cfg.Supervisor == "":
		ps.add("step %q names neither an agent nor a capability, and there is no supervisor to do it", s.ID)
	}
}

func quoted(s string) string { return `"` + s + `"` }

// near suggests agents with names like one.
func (x *Executor[S]) near(name string) string {
	p, suggestions, _ := x.cfg.Registry.Lookup(name)
	if p != nil {
		suggestions = []string{p.ID}
	}
	if len(suggestions) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(suggestions, " or ") + "?"
}

// provided reports whether an agent has a capability, at work or not.
func (x *Executor[S]) provided(capability string) bool {
	for a := range x.cfg.Registry.All() {
		if slices.Contains(a.Capabilities, capability) || a.Specialization == capability {
			return true
		}
	}
	return false
}

func (x *Executor[S]) checkFailure(where string, f *Failure, ps *problems) {
	switch f.Do {
	case "", Reassign, Skip, SkipBranch, Stop:
	case Escalate:
		if x.cfg.Supervisor == "" && len(f.To) == 0 {
			ps.add("%s: escalate: there is no supervisor; name one in `to`", where)
		}
	case Replan:
		if x.cfg.Planner == nil {
			ps.add("%s: replan: there is no planner", where)
		}
	default:
		ps.add("%s: %q is none of reassign, skip, skip_branch, replan, escalate, stop", where, f.Do)
	}
	for _, id := range f.To {
		if _, ok := x.cfg.Registry.Get(id); !ok {
			ps.add("%s: there is no agent %q%s", where, id, x.near(id))
		}
	}
	if len(f.To) > 0 && f.Do != Reassign && f.Do != Escalate {
		ps.add("%s: `to` is for reassign and escalate", where)
	}
}

// checkCycles names every cycle of dependencies once.
func checkCycles(p *Plan, at map[string]int, ps *problems) {
	const new, open, shut = 0, 1, 2
	state := make([]int, len(p.Steps))
	var path []string
	var visit func(i int)
	visit = func(i int) {
		state[i] = open
		path = append(path, p.Steps[i].ID)
		for _, id := range p.Steps[i].DependsOn {
			d, ok := at[id]
			switch {
			case !ok || id == p.Steps[i].ID:
			case state[d] == open:
				cycle := path[slices.Index(path, id):]
				ps.add("steps wait for each other: %s", strings.Join(append(slices.Clone(cycle), id), " needs "))
			case state[d] == new:
				visit(d)
			}
		}
		path = path[:len(path)-1]
		state[i] = shut
	}
	for i := range p.Steps {
		if state[i] == new {
			visit(i)
		}
	}
}

// checkNames looks that texts name only steps that are done before.
func (x *Executor[S]) checkNames(p *Plan, at map[string]int, ps *problems) {
	linear := p.linear()
	for i := range p.Steps {
		s := &p.Steps[i]
		ps.at(i+1, "")
		for _, id := range named(s) {
			j, ok := at[id]
			switch {
			case !ok:
				ps.add("step %q names the result of %q, and there is no such step", s.ID, id)
			case linear && j >= i || !linear && !p.before(j, i, at):
				ps.add("step %q names the result of %q, but does not wait for it", s.ID, id)
			}
		}
	}
}

// before reports whether step j is done before step i begins, in a graph.
func (p *Plan) before(j, i int, at map[string]int) bool {
	seen := make([]bool, len(p.Steps))
	var reach func(i int) bool
	reach = func(i int) bool {
		for _, id := range p.Steps[i].DependsOn {
			if d := at[id]; d == j || !seen[d] && mark(seen, d) && reach(d) {
				return true
			}
		}
		return false
	}
	return reach(i)
}

func mark(seen []bool, i int) bool {
	seen[i] = true
	return true
}
