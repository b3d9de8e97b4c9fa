package plan_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/plan"
)

// watch looks at every step of a run: whatever the program, this holds.
func (p *program) watch(before, after *progState) error {
	if after.PlanCourse.Phase == "" {
		return nil
	}
	err := errors.Join(watchOpen(after), p.watchCourse(after), p.watchLog(before, after))
	for i := range after.Plan.Steps {
		err = errors.Join(err, p.watchStep(before, after, i))
	}
	if err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	return nil
}

// watchOpen: the steps at work are those that the desk has, and those that have
// ended and were not looked at.
func watchOpen(s *progState) error {
	if over(s.PlanCourse.Phase) {
		if len(s.PlanCourse.Open) > 0 {
			return fmt.Errorf("the plan is over, and open are %v", s.PlanCourse.Open)
		}
		return nil
	}
	if s.Handoffs.Plan == handoffs.PlanAbandoned {
		return nil // next_step is to close it
	}
	var there []string
	count := func(frames []handoffs.Frame, queue []handoffs.Offer, ends []handoffs.StepEnd) {
		for i := range frames {
			if r := frames[i].Root; r != nil {
				there = append(there, r.Step)
			}
		}
		for i := range queue {
			if r := queue[i].Frame.Root; r != nil && queue[i].Record.Actor == handoffs.ByPlan {
				there = append(there, r.Step)
			}
		}
		for i := range ends {
			there = append(there, ends[i].Step)
		}
	}
	d := &s.Handoffs
	count(d.Frames, d.Queue, d.Ends)
	for i := range d.Parked {
		count(d.Parked[i].Frames, d.Parked[i].Queue, d.Parked[i].Ends)
	}
	open := slices.Sorted(slices.Values(s.PlanCourse.Open))
	if slices.Sort(there); !slices.Equal(open, there) {
		return fmt.Errorf("open are %v, and the desk has %v", open, there)
	}
	return nil
}

func over(p plan.Phase) bool {
	return p == plan.Finished || p == plan.Broken || p == plan.Abandoned
}

// watchEnd: a run that is done leaves no plan behind that could go on by itself.
func watchEnd(end string, s *progState) error {
	d := &s.Handoffs
	if end != "done" || s.PlanCourse.Phase == "" || over(s.PlanCourse.Phase) || d.Plan == handoffs.PlanSuspended {
		return nil
	}
	if slices.ContainsFunc(d.Frames, func(f handoffs.Frame) bool {
		return f.State == handoffs.FrameInput && (f.Root != nil || f.Caller != "")
	}) {
		return nil // an agent talks with the user
	}
	return fmt.Errorf("watch: the run is done, and the plan is %s, open are %v", s.PlanCourse.Phase, s.PlanCourse.Open)
}

// watchCourse: what is counted is what there is.
func (p *program) watchCourse(s *progState) error {
	left, passed, running := 0, 0, 0
	for i := range s.Plan.Steps {
		q, _ := s.PlanSteps.Get(s.Plan.Steps[i].ID)
		if !q.Status.Final() || q.Status == plan.Failed && s.PlanCourse.Phase != plan.Finished && s.PlanCourse.Phase != plan.Abandoned {
			left++
		}
		if q.Status == plan.Done || q.Status == plan.Skipped {
			passed++
		}
		if q.Status == plan.Running {
			running++
		}
	}
	c := &s.PlanCourse
	most := p.Parallel
	if p.Order == plan.Linear {
		most = 1
	}
	switch {
	case c.Left != left:
		return fmt.Errorf("%d steps are left, and the course says %d", left, c.Left)
	case running != len(c.Open):
		return fmt.Errorf("%d steps run, and open are %v", running, c.Open)
	case most > 0 && running > most:
		return fmt.Errorf("%d steps run, of at most %d", running, most)
	case p.Order == plan.Linear && !p.skipsBranches() && c.Cursor != min(passed, len(s.Plan.Steps)-1):
		return fmt.Errorf("%d steps are passed, and the cursor is %d", passed, c.Cursor)
	}
	return nil
}

// skipsBranches reports whether a linear plan may end before its last step: its
// cursor stays where it was then.
func (p *program) skipsBranches() bool {
	skips := func(s progStep) bool { return s.OnFailure.Do == plan.SkipBranch }
	return p.OnFailure.Do == plan.SkipBranch || p.OnOrphan.Do == plan.SkipBranch || slices.ContainsFunc(p.Steps, skips) ||
		slices.ContainsFunc(p.Proposals, func(q proposal) bool { return slices.ContainsFunc(q.Steps, skips) })
}

// watchStep: a step that is done stays as it is; none begins before those that
// it waits for; none is tried more often than it may be.
func (p *program) watchStep(before, after *progState, i int) error {
	s := &after.Plan.Steps[i]
	q, _ := after.PlanSteps.Get(s.ID)
	var was plan.Progress
	if before != nil && before.PlanCourse.Plan == after.PlanCourse.Plan {
		was, _ = before.PlanSteps.Get(s.ID)
	}
	if (was.Status == plan.Done || was.Status == plan.Skipped) && (q.Status != was.Status || q.Attempt != was.Attempt) {
		return fmt.Errorf("step %s was %s and is %s", s.ID, was.Status, q.Status)
	}
	if most := 9; q.Attempt > most {
		return fmt.Errorf("step %s is in attempt %d", s.ID, q.Attempt)
	}
	if q.Attempt == was.Attempt || q.Attempt == 0 {
		return nil
	}
	for j := range after.Plan.Steps {
		id := after.Plan.Steps[j].ID
		needed := slices.Contains(s.DependsOn, id) || p.Order == plan.Linear && j < i
		if d, _ := after.PlanSteps.Get(id); needed && d.Status != plan.Done && d.Status != plan.Skipped {
			return fmt.Errorf("step %s has begun, and %s is %s", s.ID, id, d.Status)
		}
	}
	return nil
}

// watchLog: the log of plan and handoffs only grow, and handoffs by the plan name
// a step of it, which has begun.
func (p *program) watchLog(before, after *progState) error {
	if n := len(after.PlanLog); n != after.PlanCourse.Seq {
		return fmt.Errorf("the log has %d entries, and the course says %d", n, after.PlanCourse.Seq)
	}
	from := 0
	if before != nil {
		from = handoffs.LogOf(before.HandoffLog).Len()
	}
	log := handoffs.LogOf(after.HandoffLog)
	for ; from < log.Len(); from++ {
		r := log.At(from).Record
		if r == nil || r.Actor != handoffs.ByPlan {
			continue
		}
		at := slices.IndexFunc(after.Plan.Steps, func(s plan.Step) bool { return s.ID == r.PlanStep })
		if q, _ := after.PlanSteps.Get(r.PlanStep); at < 0 || q.Attempt == 0 {
			return fmt.Errorf("a handoff by the plan names step %q", r.PlanStep)
		}
		if p.Order == plan.Linear && at != after.PlanCourse.Cursor && after.PlanCourse.Phase == plan.Working {
			return fmt.Errorf("a handoff names step %q, and the cursor is %d", r.PlanStep, after.PlanCourse.Cursor)
		}
	}
	return nil
}
