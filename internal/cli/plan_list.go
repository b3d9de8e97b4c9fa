package cli

import (
	"cmp"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/plan"
)

// planList is a plan as a live view shows it: a line for each step.
type planList struct {
	where   string // the subgraphs that it is in: "billing/"
	id      string
	version int
	phase   plan.Phase
	about   string // its goal, or how it ended
	of      int    // steps there are
	steps   []planItem
}

// planItem is a step of a planList.
type planItem struct {
	place   int
	id      string
	status  plan.Status
	agent   string
	attempt int
	note    string // what went wrong
}

// newPlanList is the list of a plan that a thread has; nil if there is none that
// goes on.
func newPlanList(p *planned) *planList {
	if p.plan == nil || p.course.Phase != plan.Working && p.course.Phase != plan.Replanning {
		return nil
	}
	l := &planList{id: p.course.Plan, version: p.course.Version, phase: p.course.Phase, about: p.plan.Goal, of: len(p.plan.Steps)}
	for i := range p.plan.Steps {
		s := &p.plan.Steps[i]
		one := p.progress(s.ID)
		item := planItem{place: i + 1, id: s.ID, status: s.Status, agent: doerOf(s, one.Agent), attempt: one.Attempt}
		if s.Status == plan.Failed {
			item.note = one.Error
		}
		l.steps = append(l.steps, item)
	}
	return l
}

// planLists are the plans of a run, by where they are, in the order in which
// they were first told of.
type planLists struct{ all []*planList }

// take notes a change of a plan. It returns the list if it is over, so that it
// need not be drawn any more.
func (ls *planLists) take(e *graph.Custom) (over *planList, ok bool) {
	where := ""
	if len(e.NS) > 0 {
		where = strings.Join(e.NS, "/") + "/"
	}
	switch n := e.Value.(type) {
	case *plan.StepLine:
		l := ls.at(where, n.Plan)
		l.version, l.of = n.Version, max(n.Of, l.of)
		l.step(n)
		return nil, true
	case *plan.PlanLine:
		l := ls.at(where, n.Plan)
		if l.line(n); n.Phase == plan.Working {
			return nil, true
		}
		ls.all = slices.DeleteFunc(ls.all, func(o *planList) bool { return o == l })
		return l, true
	}
	return nil, false
}

// at returns the list of a plan; one of another plan gives its place to it.
func (ls *planLists) at(where, id string) *planList {
	for i, l := range ls.all {
		switch {
		case l.where != where:
		case l.id == id:
			return l
		default:
			ls.all[i] = &planList{where: where, id: id, phase: plan.Working}
			return ls.all[i]
		}
	}
	l := &planList{where: where, id: id, phase: plan.Working}
	ls.all = append(ls.all, l)
	return l
}

// put puts the list of a plan in the place of the one that was there.
func (ls *planLists) put(l *planList) { *ls.at(l.where, l.id) = *l }

// line notes a plan that was taken up, or is over. Of a new version the steps
// that are done or at work stay as they are.
func (l *planList) line(n *plan.PlanLine) {
	l.version, l.phase = n.Version, n.Phase
	if n.Phase != plan.Working {
		l.about = cmp.Or(n.Message, l.about)
		return
	}
	kept := map[string]planItem{}
	for _, s := range l.steps {
		if s.status == plan.Done || s.status == plan.Skipped || s.kind() == plan.Running {
			kept[s.id] = s
		}
	}
	l.about, l.of, l.steps = n.Goal, len(n.Steps), nil
	for i := range n.Steps {
		s := &n.Steps[i]
		item, ok := kept[s.ID]
		if !ok {
			item = planItem{id: s.ID, status: plan.Pending, agent: doerOf(s, "")}
		}
		item.place = i + 1
		l.steps = append(l.steps, item)
	}
}

// step notes a change of a step, which is entered if it is new.
func (l *planList) step(n *plan.StepLine) {
	item := planItem{place: n.Place, id: n.Step, status: n.Status, agent: n.Agent, attempt: n.Attempt}
	item.note = strings.TrimPrefix(behindColon(codeOf(n), n.Message), ": ")
	at, known := slices.BinarySearchFunc(l.steps, n.Place, func(o planItem, place int) int { return cmp.Compare(o.place, place) })
	if !known {
		l.steps = slices.Insert(l.steps, at, item)
		return
	}
	if item.agent == "" {
		item.agent = l.steps[at].agent
	}
	l.steps[at] = item
}

// kind takes statuses together that are counted as one.
func (s *planItem) kind() plan.Status {
	switch s.status {
	case plan.Input, plan.Approval, plan.Detour:
		return plan.Running
	case plan.Ready:
		return plan.Pending
	}
	return s.status
}
