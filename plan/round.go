package plan

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// round is one run of next_step: what it sees, and what it changes.
type round[S any] struct {
	x     *Executor[S]
	ctx   context.Context
	s     *S
	sight Sight
	ix    *index // nil: there is no plan
	now   time.Time
	facts handoffs.Facts

	course   Course
	plan     *Plan // a new one; nil: it stays
	changed  []string
	steps    map[string]*Progress // that have changed
	events   []Event
	messages []state.Message
	lines    []graph.Typed
	goTo     string

	ended int // steps whose work ended
	done  int // of them, accepted
}

func (x *Executor[S]) advance(ctx context.Context, s *S) (handoffs.PlanRound[S], error) {
	r, err := x.round(ctx, s)
	return r, err
}

// round begins a round on a state.
func (x *Executor[S]) round(ctx context.Context, s *S) (*round[S], error) {
	sight, err := x.cfg.Fields.Look(s)
	if err != nil {
		return nil, err
	}
	r := &round[S]{x: x, ctx: ctx, s: s, sight: sight, course: *sight.Course, steps: map[string]*Progress{}}
	r.course.Open, r.course.Ready = slices.Clone(r.course.Open), slices.Clone(r.course.Ready)
	if x.newPlan(&sight) || r.course.Phase == "" || r.course.Phase.over() {
		return r, nil // index is made when the plan is taken up
	}
	if p, c := sight.Plan, sight.Course; p.Version == 0 || nameOf(p) != c.Plan {
		return nil, fmt.Errorf("plan: the plan %q came while version %d of the plan %q is at work: one can come when no other is", nameOf(p), c.Version, c.Plan)
	}
	r.ix, err = x.cache.of(sight.Plan, x.texts)
	return r, err
}

// Steps looks at the steps that have ended and says which begin.
func (r *round[S]) Steps(v *handoffs.PlanView) (out handoffs.PlanSteps, err error) {
	r.now = v.Now
	switch {
	case v.Abandoned:
		r.abandon()
		return out, nil
	case r.ix == nil:
		if err := r.takeUp(); err != nil || r.ix == nil {
			return out, err
		}
	}
	for i := range v.Ends {
		if err := r.settle(&v.Ends[i]); err != nil {
			return out, err
		}
	}
	if err := r.judge(); err != nil {
		return out, err
	}
	out, err = r.goOn()
	out.Hold = r.goTo != ""
	return out, err
}

// goOn begins what can begin, or ends the plan.
func (r *round[S]) goOn() (out handoffs.PlanSteps, err error) {
	c := &r.course
	idle := len(c.Open) == 0
	r.goTo = ""
	switch {
	case c.Phase == Replanning:
		if idle {
			r.goTo = NodePlanner
		}
	case c.Phase.over():
	case c.Cause != nil:
		if idle {
			out.Fault = r.fail()
		}
	case c.Left == 0 && r.ix.plan.More && idle:
		r.goTo = NodePlanner
	case r.asksAgain() && idle:
		r.replan(&Cause{Text: "steps have ended"})
		r.goTo = NodePlanner
	case c.Left == 0:
		r.finish(Finished, "")
	default:
		out.Begin, err = r.begin()
		if r.ix.plan.More && c.Cause == nil && c.Phase == Working {
			r.goTo = NodePlanner
		}
		if err == nil && len(c.Open) == 0 && (c.Left == 0 || c.Cause != nil || c.Phase != Working) {
			return r.goOn() // what could begin has failed before it did
		}
	}
	return out, err
}

// asksAgain reports whether the planner is to look at what the round has come to.
func (r *round[S]) asksAgain() bool {
	due := r.x.cfg.EveryRound || r.x.cfg.AtEnd && r.course.Left == 0
	return due && r.ended > 0 && r.course.Replans < r.x.most()
}

// Move returns the writes of the round.
func (r *round[S]) Move() (handoffs.PlanMove[S], error) {
	ws, err := r.x.cfg.Fields.Write(r.update())
	return handoffs.PlanMove[S]{Writes: ws, Lines: r.lines, Goto: r.goTo}, err
}

// tell shows the round's lines to whoever watches the run.
func (r *round[S]) tell() error {
	for _, line := range r.lines {
		if err := graph.Emit(r.ctx, line); err != nil {
			return err
		}
	}
	return nil
}

// update is what has changed.
func (r *round[S]) update() *Update {
	u := &Update{Plan: r.plan, Course: &r.course, Changed: r.changed, Progress: map[string]Progress{}, Events: r.events, Messages: r.messages}
	for _, id := range r.changed {
		u.Progress[id] = *r.steps[id]
	}
	return u
}

// step returns a step's progress to read.
func (r *round[S]) step(id string) Progress {
	if p := r.steps[id]; p != nil {
		return *p
	}
	p, _ := r.sight.Progress(id)
	return p
}

// change returns a step's progress to change.
func (r *round[S]) change(id string) *Progress {
	if p := r.steps[id]; p != nil {
		return p
	}
	p, _ := r.sight.Progress(id)
	r.steps[id] = &p
	r.changed = append(r.changed, id)
	return &p
}

// log notes an event of a step, and tells whoever watches.
func (r *round[S]) log(event, id string, status Status, e Event) {
	r.note(event, e, id)
	i := r.ix.at[id]
	r.lines = append(r.lines, &StepLine{
		Plan: r.course.Plan, Version: r.course.Version, Step: id, Status: status, Place: i + 1, Of: len(r.ix.plan.Steps),
		Agent: e.Agent, Attempt: e.Attempt, Code: e.Code, Message: e.Message,
	})
}

// note appends to the log.
func (r *round[S]) note(event string, e Event, step string) {
	r.course.Seq++
	e.Seq, e.At, e.Event, e.Step, e.Version = r.course.Seq, r.now, event, step, r.course.Version
	r.events = append(r.events, e)
}

// finish ends the plan.
func (r *round[S]) finish(p Phase, why string) {
	if p == Finished && r.course.Answer != "" {
		r.say(r.course.Answer)
	}
	r.course.Phase, r.course.Ready, r.course.Answer = p, nil, ""
	r.note(EventOver, Event{Message: string(p), Code: causeCode(r.course.Cause)}, "")
	r.lines = append(r.lines, &PlanLine{Plan: r.course.Plan, Version: r.course.Version, Phase: p, Goal: r.ix.plan.Goal, Message: why})
}

func causeCode(c *Cause) handoffs.Code {
	if c == nil {
		return ""
	}
	return c.Code
}

// fail ends the plan, and the run, because of a step.
func (r *round[S]) fail() *handoffs.Refusal {
	c := r.course.Cause
	what := "stands still"
	if c.Step != "" {
		what = fmt.Sprintf("step %q failed in attempt %d", c.Step, r.step(c.Step).Attempt)
	}
	text := fmt.Sprintf("plan %q, version %d: %s: %s", r.course.Plan, r.course.Version, what, c.Text)
	r.finish(Broken, text)
	return &handoffs.Refusal{Target: c.Agent, Code: c.Code, Codes: []handoffs.Code{c.Code}, Message: text}
}

// abandon closes the plan: the user wanted something else.
func (r *round[S]) abandon() {
	if r.ix == nil {
		return
	}
	for i := range r.ix.plan.Steps {
		id := r.ix.plan.Steps[i].ID
		if !r.step(id).Status.Final() {
			r.drop(id)
		}
	}
	r.course.Open, r.course.Left = nil, 0
	r.finish(Abandoned, "the user has chosen another agent")
}

// drop takes a step out of the plan.
func (r *round[S]) drop(id string) {
	p := r.change(id)
	p.Status, p.Ended = Superseded, r.now
	r.log(EventDropped, id, Superseded, Event{Agent: p.Agent, Attempt: p.Attempt})
}
