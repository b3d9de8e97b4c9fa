package plan

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
)

// takeUp begins with the plan of the state, or asks for one.
func (r *round[S]) takeUp() error {
	x := r.x
	if !x.newPlan(&r.sight) {
		if x.cfg.Planner != nil {
			r.goTo = NodePlanner
		}
		return nil
	}
	if x.cfg.Review.First {
		r.goTo = NodePlanner
		return nil
	}
	p := *r.sight.Plan
	p.ID, p.Version = nameOf(&p), 1
	if err := x.Check(&p); err != nil {
		return err
	}
	return r.take(&p)
}

// take makes a plan, which is known to be right, the one that is worked on:
// the first version of another plan, a new version, or one with more steps.
func (r *round[S]) take(p *Plan) error {
	ix, err := r.x.cache.of(p, r.x.texts)
	if err != nil {
		return err
	}
	before, old := r.ix, r.course
	fresh := before == nil || old.Plan != p.ID
	r.plan, r.ix = p, ix
	r.course = Course{Phase: Working, Plan: p.ID, Version: p.Version, Open: old.Open, Seq: old.Seq, Heard: r.sight.Heard(), Asked: old.Asked, Ledger: old.Ledger}
	if fresh {
		r.course.Open = nil
	} else {
		r.course.Replans, r.course.Stalls = old.Replans, old.Stalls
	}
	streams := !fresh && before.plan.More && old.Phase == Working
	if streams {
		r.course.Ready, r.course.Root = old.Ready, old.Root
	}
	for i := range p.Steps {
		if s := &p.Steps[i]; !streams || before.step(s.ID) == nil {
			r.carry(s, fresh, i)
		} else if q := r.step(s.ID).Status; q != Done && q != Skipped {
			r.course.Left++ // it goes on as it stands
		}
	}
	if !fresh {
		for i := range before.plan.Steps {
			if id := before.plan.Steps[i].ID; ix.step(id) == nil {
				q := r.change(id)
				q.Status, q.Ended = Superseded, r.now
				r.note(EventDropped, Event{Agent: q.Agent, Attempt: q.Attempt}, id)
			}
		}
	}
	told := *p
	r.note(EventPlanned, Event{Plan: &told, Message: p.Goal}, "")
	r.lines = append(r.lines, &PlanLine{Plan: p.ID, Version: p.Version, Phase: Working, Goal: p.Goal, Steps: p.Steps})
	return nil
}

// carry puts a step of a new version where it stands: one that is done stays
// so, one at work stays at work, others begin anew.
func (r *round[S]) carry(s *Step, fresh bool, place int) {
	p := r.step(s.ID)
	passed := !fresh && (p.Status == Done || p.Status == Skipped)
	open := !fresh && slices.Contains(r.course.Open, s.ID)
	switch {
	case passed || open:
	case !reflect.DeepEqual(p, Progress{}):
		*r.change(s.ID) = Progress{}
	}
	if !passed {
		r.course.Left++
	} else if r.ix.linear && r.course.Cursor == place && place < len(r.ix.plan.Steps)-1 {
		r.course.Cursor++
	}
	if r.ix.linear {
		return
	}
	met := 0
	for _, id := range s.DependsOn {
		if q := r.step(id); !fresh && (q.Status == Done || q.Status == Skipped) {
			met++
		}
	}
	if !passed && !open && len(s.DependsOn) > 0 {
		if met > 0 {
			r.change(s.ID).Met = met
		}
		if met == len(s.DependsOn) {
			r.course.Ready = append(r.course.Ready, s.ID)
		}
	}
}

// merge makes the next version of a plan from what the planner proposes: steps
// that are done stay as they are, those at work too while steps stream in.
func (x *Executor[S]) merge(g *Sight, goal string, pr *Proposal) (*Plan, error) {
	old := g.Plan
	if g.Course.Phase == "" || g.Course.Phase.over() {
		p := &Plan{ID: nextID(g), Version: 1, Goal: cmp.Or(pr.Goal, goal), Order: pr.Order, Steps: pr.Steps, More: pr.More}
		return p, x.Check(p)
	}
	p := &Plan{ID: old.ID, Version: old.Version + 1, Goal: old.Goal, Order: pr.Order, More: pr.More}
	if pr.Goal != "" {
		p.Goal = pr.Goal
	}
	if p.Order == "" {
		p.Order = old.Order
	}
	if old.More && p.Order == "" {
		p.Order = Graph // as it was while it was not whole
	}
	var ps problems
	for i := range old.Steps {
		s := &old.Steps[i]
		if q, _ := g.Progress(s.ID); old.More || q.Status == Done || q.Status == Skipped {
			p.Steps = append(p.Steps, *s)
		}
	}
	kept := len(p.Steps)
	for i := range pr.Steps {
		s := pr.Steps[i]
		if slices.ContainsFunc(old.Steps, func(o Step) bool { return o.ID == s.ID }) {
			s.Status, s.Result = "", nil // as the planner was shown it
		}
		if at := slices.IndexFunc(p.Steps[:kept], func(k Step) bool { return k.ID == s.ID }); at >= 0 {
			if !reflect.DeepEqual(p.Steps[at], s) {
				ps.add("step %q is part of the plan already, and cannot change: give the new step an id of its own", s.ID)
			}
			continue
		}
		p.Steps = append(p.Steps, s)
	}
	if len(ps.list) > 0 {
		return p, ps.err()
	}
	if !old.More {
		p.Steps = withoutLost(p.Steps, kept)
	}
	return p, x.Check(p)
}

// withoutLost leaves out those of the kept steps that wait for steps that are no
// more: they were skipped with a branch, and go with it.
func withoutLost(steps []Step, kept int) []Step {
	for {
		known := map[string]bool{}
		for i := range steps {
			known[steps[i].ID] = true
		}
		lost := slices.IndexFunc(steps[:kept], func(s Step) bool {
			return slices.ContainsFunc(s.DependsOn, func(id string) bool { return !known[id] })
		})
		if lost < 0 {
			return steps
		}
		steps, kept = slices.Delete(steps, lost, lost+1), kept-1
	}
}

// nextID names a plan that follows on others in one session.
func nextID(g *Sight) string {
	if g.Course.Plan == "" {
		return "plan"
	}
	base, n := g.Course.Plan, 2
	if _, err := fmt.Sscanf(g.Course.Plan, "plan-%d", &n); err == nil {
		base, n = "plan", n+1
	}
	return fmt.Sprintf("%s-%d", base, n)
}
