package cli

import (
	"context"
	"fmt"

	"github.com/graphrun/graphrun/graphfile"
)

// planRegion returns the lists of the plans that go on, on so many lines.
func (l *live) planRegion(most int) (lines []string) {
	for i, p := range l.plans.all {
		share := max((most-len(lines))/(len(l.plans.all)-i), 1)
		lines = append(lines, p.lines(l.painter, l.spin(), share)...)
	}
	return lines
}

// pastPlan lets the whole list of a plan scroll away.
func (l *live) pastPlan(p *planList) {
	for _, line := range p.lines(l.painter, "", 0) {
		fmt.Fprintln(&l.past, line)
	}
}

// standing brings the list of a live view's plan to where the thread stands, at a
// checkpoint or now (""). Where nothing can be read it stays as it is.
func (r *runner) standing(ctx context.Context, f *graphfile.File, at string, to progress) {
	view, ok := to.(*live)
	if !ok || !hasPlan(f) {
		return
	}
	s, err := r.graph.State(ctx, r.thread, at)
	if err != nil {
		return
	}
	p, err := plannedOf(f, &s.Values)
	if err != nil {
		return
	}
	if list := newPlanList(p); list != nil {
		view.mu.Lock()
		defer view.mu.Unlock()
		view.plans.put(list)
	}
}
