package handoffs

import (
	"context"
	"errors"

	"github.com/graphrun/graphrun/graph"
)

// NextStep is the node next_step of a plan that has an Advance. It is the only
// place where the plan goes on: it looks at the steps that have ended, begins
// those that the plan names, and sends their agents.
func (t *Team[S]) NextStep(ctx context.Context, s S) (graph.Command[S], error) {
	own := t.borrow()
	defer t.giveBack(own)
	*own = s
	look, in, err := t.batch(ctx, own)
	if err != nil {
		return graph.Command[S]{}, err
	}
	var round PlanRound[S]
	res, err := t.step(ctx, in, func() (err error) {
		if round, err = t.cfg.Plan.Advance(ctx, own); err == nil {
			in.Plan, in.Hold = round.Steps, true
		}
		return err
	})
	if err != nil {
		return graph.Command[S]{}, err
	}
	move, err := round.Move()
	if err != nil {
		return graph.Command[S]{}, err
	}
	return t.carryOut(ctx, own, &look, res, &move)
}

// Complete is the node complete, where a run ends: it notes that the agent's
// work is done, and that of a plan's last step. A plan that is not done by that
// leads back to next_step.
func (t *Team[S]) Complete(ctx context.Context, s S) (graph.Command[S], error) {
	look, in, err := t.batch(ctx, &s)
	if err != nil || look.Desk.Ended {
		return graph.Command[S]{}, err
	}
	res, err := t.step(ctx, in, nil)
	if err != nil {
		return graph.Command[S]{}, err
	}
	var move PlanMove[S]
	goesOn := false
	if t.plans() && len(res.Desk.Ends) > 0 {
		if move, goesOn, err = t.lastStep(ctx, &s, in, res); err != nil {
			return graph.Command[S]{}, err
		}
	}
	ws, err := t.cfg.Fields.Write(t.update(&look, res))
	if err != nil {
		return graph.Command[S]{}, err
	}
	if goesOn {
		return t.cmd.Goto(NodeNext, ws...), nil
	}
	if err := tell(ctx, move.Lines); err != nil {
		return graph.Command[S]{}, err
	}
	return t.cmd.Update(append(ws, move.Writes...)...), nil
}

// lastStep lets the plan look at the steps that ended with the run. If it is not
// done by them it goes on in next_step.
func (t *Team[S]) lastStep(ctx context.Context, s *S, in *Batch, res *Result) (move PlanMove[S], goesOn bool, err error) {
	round, err := t.cfg.Plan.Advance(ctx, s)
	if err != nil {
		return move, false, err
	}
	steps, err := round.Steps(&PlanView{Ends: res.Desk.Ends, Now: in.Now, Session: in.Session})
	if err != nil {
		return move, false, err
	}
	move, err = round.Move()
	if err != nil || len(steps.Begin) > 0 || steps.Fault != nil || move.Goto != "" {
		return PlanMove[S]{}, true, err
	}
	res.Desk.Ends = nil
	return move, false, nil
}

// plans reports whether the team's next_step is NextStep.
func (t *Team[S]) plans() bool { return t.cfg.Plan != nil && t.cfg.Plan.Advance != nil }

// beside reports whether several tasks are at work in one superstep.
func (t *Team[S]) beside(s *S, d *Desk) bool {
	running := 0
	for i := range d.Frames {
		if d.Frames[i].State == FrameRunning {
			running++
		}
	}
	return running > 1 || t.cfg.Plan.Beside != nil && t.cfg.Plan.Beside(s)
}

// planMore reports whether the plan has more to do than its step at work.
func (t *Team[S]) planMore(s *S, d *Desk) bool {
	return t.cfg.Plan != nil && d.Plan != PlanSuspended && (len(d.Ends) > 0 || d.Plan == PlanAbandoned || t.cfg.Plan.More(s))
}

// moreSteps is planMore for process_handoff: a plan whose steps are at work
// goes on when they have ended.
func (t *Team[S]) moreSteps(s *S, d *Desk) bool {
	if t.plans() {
		return t.planOpen(s, d) && !d.stepsOpen()
	}
	return t.cfg.Plan != nil && t.cfg.Plan.More(s)
}

// planOpen reports whether there is a plan that can go on.
func (t *Team[S]) planOpen(s *S, d *Desk) bool {
	return d.Plan != PlanSuspended && t.cfg.Plan.open(s)
}

// planBegins reports whether a run begins with the plan.
func (t *Team[S]) planBegins(s *S, d *Desk) bool {
	if p := t.cfg.Plan; p.Begin != nil {
		return d.Plan != PlanSuspended && p.Begin(s)
	}
	return t.planOpen(s, d)
}

func (p *PlanSeam[S]) open(s *S) bool {
	if p.Open != nil {
		return p.Open(s)
	}
	return p.More(s)
}

// planBatch tells the manager of the plan.
func (t *Team[S]) planBatch(s *S, in *Batch) {
	p := t.cfg.Plan
	if p == nil {
		return
	}
	if p.Step != nil {
		in.PlanStep = p.Step(s)
	}
	in.PlanOpen = p.Advance != nil && in.Desk.Plan == "" && p.open(s)
}

// check looks that the seam can be used.
func (p *PlanSeam[S]) check() error {
	switch {
	case p == nil:
		return nil
	case p.More == nil:
		return errors.New("handoffs: a PlanSeam needs More")
	case (p.Advance == nil) == (p.Next == nil):
		return errors.New("handoffs: a PlanSeam needs either Advance or Next")
	}
	return nil
}

// addNext adds the node next_step.
func (t *Team[S]) addNext(b *graph.Builder[S], ways, agents []string) {
	p := t.cfg.Plan
	if p.Next != nil {
		b.AddNode(NodeNext, p.Next, p.Config)
		return
	}
	cfg := graph.NodeConfig{}
	if p.Config != nil {
		cfg = *p.Config
	}
	cfg.Goto, cfg.Send = append(append([]string{}, ways...), p.Ways...), agents
	b.AddNode(NodeNext, t.NextStep, &cfg)
}
