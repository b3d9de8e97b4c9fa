package crash_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/plan"
)

// planSteps is how many steps the plan has that the graph "steps" works on.
const planSteps = 30

// longPlan is a plan of steps side by side. Some fail at first, some whenever the
// agent tries that is asked first, one always, and one until there is a new
// version of the plan.
func longPlan() plan.Plan {
	p := plan.Plan{ID: "long", Goal: "a report"}
	for i := 1; i <= planSteps; i++ {
		s := plan.Step{ID: stepID(i), Agent: stepWorkers[i%len(stepWorkers)], Task: "do " + stepID(i)}
		if i > 3 {
			s.DependsOn = []string{stepID(i - 3)}
			s.Task += " after ${steps." + stepID(i-3) + ".text}"
		}
		if i > 6 && i%4 == 0 {
			s.DependsOn = append(s.DependsOn, stepID(i-5))
		}
		switch {
		case stepsOnce[s.ID]:
			s.Retry = &plan.Retry{Max: 1}
		case stepsAway[s.ID]:
			s.OnFailure = &plan.Failure{Do: plan.Reassign, To: []string{"judge"}}
		case s.ID == stepSkipped:
			s.OnFailure = &plan.Failure{Do: plan.Skip}
		}
		p.Steps = append(p.Steps, s)
	}
	return p
}

func stepID(i int) string { return fmt.Sprintf("s%02d", i) }

var (
	stepWorkers  = []string{"worker", "scout", "guide"}
	stepsOnce    = map[string]bool{"s02": true, "s09": true, "s20": true} // fail the first time
	stepsAway    = map[string]bool{"s06": true, "s23": true}              // fail, but the judge can
	stepsCalling = map[string]bool{"s05": true, "s14": true}              // need the helper
)

const (
	stepSkipped  = "s30" // fails always
	stepReplaced = "s12" // fails always
)

// newVersion replaces the step that has failed, in a new version of the plan.
func (w *world) newVersion(ctx context.Context, r *plan.Request) (*plan.Proposal, error) {
	if _, _, err := w.act(ctx); err != nil {
		return nil, err
	}
	if r.Cause == nil || r.Cause.Step != stepReplaced {
		return nil, fmt.Errorf("nothing is known for %v", r.Cause)
	}
	out := &plan.Proposal{}
	for _, s := range r.Plan.Steps {
		if s.Status == plan.Done {
			continue
		}
		s.Status, s.Result = "", nil
		s.DependsOn = slices.Clone(s.DependsOn)
		if at := slices.Index(s.DependsOn, stepReplaced); at >= 0 {
			s.DependsOn[at] += "b"
			s.Task = "do " + s.ID
		}
		if s.ID == stepReplaced {
			s.ID += "b"
		}
		out.Steps = append(out.Steps, s)
	}
	return out, nil
}

// steps works on a long plan.
func (w *world) steps() (*sheetGraph, error) {
	fails := ask(handoffs.Return, "", gives(handoffs.Outcome{Status: handoffs.Failed, Error: "no network"}))
	works := func(t handoffs.Turn) []handoffs.Command {
		switch {
		case stepsOnce[t.Step] && t.Attempt < 2, stepsAway[t.Step], t.Step == stepSkipped, t.Step == stepReplaced:
			return fails
		case stepsCalling[t.Step] && t.Number == 1:
			return ask(handoffs.Call, "helper")
		}
		return nil
	}
	lines := map[string]line{"lead": turns(), "helper": turns(), "judge": turns()}
	ids := []string{"lead", "helper", "judge"}
	for _, id := range stepWorkers {
		lines[id] = works
		ids = append(ids, id)
	}
	return w.planned(handoffs.Policy{Limits: handoffs.Limits{Handoffs: 60}}, ids, lines, plan.Config[Sheet]{
		Fields: sheetTeam, Parallel: 4, Planner: plan.PlannerFunc(w.newVersion), OnFailure: plan.Failure{Do: plan.Replan},
	})
}

// plans reads what a sheet holds of plans.
func (s *Sheet) plans() *plans {
	p := &plans{log: s.Team.PlanLog, course: s.Team.PlanCourse, steps: map[string]plan.Progress{}, messages: s.Team.Messages}
	for _, e := range p.log {
		if q, ok := s.Team.PlanSteps.Get(e.Step); ok {
			p.steps[e.Step] = q
		}
	}
	return p
}
