package handoffs

import (
	"cmp"
	"slices"
	"time"
)

// advance lets the plan say what becomes of the steps that have ended, and
// begins those that it names.
func (w *work) advance() error {
	if w.in.Plan == nil || w.over() {
		return nil
	}
	for {
		v := &PlanView{Ends: w.d.Ends, Now: w.now, Session: w.in.Session, Abandoned: w.d.Plan == PlanAbandoned}
		w.d.Ends = nil
		if v.Abandoned {
			w.d.Plan = ""
		}
		next, err := w.in.Plan(v)
		if err != nil {
			return err
		}
		w.ground().Waits += beside(next.Begin)
		w.planHolds = next.Hold
		for i := range next.Begin {
			if err := w.beginStep(&next.Begin[i]); err != nil || w.over() {
				return err
			}
		}
		if next.Fault != nil {
			w.d.Fault = next.Fault
		}
		if w.over() || len(w.d.Ends) == 0 {
			w.settleDown()
			return nil
		}
	}
}

// ground is the frame that the user talks to: at rest, if there was none.
func (w *work) ground() *Frame {
	f := w.root()
	if f == nil {
		f = w.newFrame(cmp.Or(w.d.Owner, w.p.Entry))
		f.State = FrameInput
		w.frames = append(w.frames, f)
	}
	return f
}

// beside counts the steps that begin beside others.
func beside(starts []StepStart) (n int) {
	for i := range starts {
		if starts[i].Beside {
			n++
		}
	}
	return n
}

// settleDown makes the agent that the user talks to the active one again, when
// no step is at work beside it any more.
func (w *work) settleDown() {
	f := w.ground()
	at := slices.ContainsFunc(w.frames, func(x *Frame) bool { return x.Agent == w.d.Active })
	if f.State == FrameInput && !at {
		w.setActive(f.Agent)
	}
}

// beginStep hands a plan's step to its agent.
func (w *work) beginStep(s *StepStart) error {
	f := w.ground()
	g := &given{x: &Execution{}, command: s.Command, step: &StepRoot{Step: s.Step, Attempt: s.Attempt, Free: s.Free}}
	c := &g.command
	c.Type, c.Actor, c.PlanStep, c.Kind = CommandType, ByPlan, s.Step, Transfer
	c.Reason = cmp.Or(c.Reason, PlanStep)
	if s.Beside {
		c.Kind = Call
	}
	if s.After > 0 {
		w.putOff(f, g, w.now.Add(s.After))
		return nil
	}
	return w.hand(f, g, w.id())
}

// putOff lets a step wait for its time. It is decided then.
func (w *work) putOff(f *Frame, g *given, until time.Time) {
	c := &g.command
	o := &Offer{
		Record: w.record(f, g), To: c.Target, Status: Failed, Since: w.now, Next: until, Source: f.ID,
		Frame: Frame{Agent: c.Target, Task: c.Task, Payload: c.Payload, Limits: c.Budget, Root: g.step},
	}
	w.hold(f, o)
	w.d.Queue = push(w.d.Queue, *o)
}

// takeStep begins a step whose time has come.
func (w *work) takeStep(o *Offer) error {
	f := w.frame(o.Source)
	if f == nil {
		f = w.ground()
	}
	return w.hand(f, &given{x: &Execution{}, command: commandOf(o), step: o.Frame.Root}, o.Record.ID)
}

// holds reports whether a plan's step is for the agent that has the
// conversation already.
func (g *given) holds(f *Frame) bool {
	return g.step != nil && g.err == nil && g.command.Kind == Transfer && g.command.Target == f.Agent
}

// keep begins a step of the agent that has the conversation: in a frame of its
// own, without a handoff.
func (w *work) keep(f *Frame, g *given) error {
	next := w.newFrame(f.Agent)
	c := &g.command
	next.Task, next.Payload, next.Reason, next.Why, next.Needs = c.Task, c.Payload, c.Reason, c.Explanation, c.Needs
	next.Intent, next.Grants, next.Begun, next.Step = f.Intent, f.Grants, w.now, g.step.Step
	next.Results, next.Capability, next.Limits = f.Results, c.Capability, c.Budget
	next.Root = g.root(f.Agent)
	if p, ok := w.p.Registry.Get(f.Agent); ok {
		next.Limits.Turns, next.Stays = cmp.Or(next.Limits.Turns, p.Turns), p.Conversational
	}
	w.replace(f, next)
	w.proceed(next)
	return nil
}

// root is the mark of the frame that a plan's step begins with.
func (g *given) root(agent string) *StepRoot {
	r := *g.step
	if !r.Free {
		r.Agent = agent
	}
	return &r
}

// handedOn is the mark of a step's frame behind a transfer by an edge.
func (r *StepRoot) handedOn(k Kind, e *Edge, to string) *StepRoot {
	if r == nil {
		return nil
	}
	next := *r
	next.Done = r.Done || e != nil && e.CompletesStep
	if k == Escalate && r.Agent != "" { // to hand a step up is not to leave it
		next.Agent = to
	}
	return &next
}

// takenBy is the mark of a step's frame that the policy gave to another agent.
func (r *StepRoot) takenBy(agent string) *StepRoot {
	if r == nil || r.Agent == "" {
		return r
	}
	next := *r
	next.Agent = agent
	return &next
}

// leaveStep closes a step's frame whose work has ended.
func (w *work) leaveStep(f *Frame, status Status, out *Outcome) {
	if f.Caller != "" {
		w.remove(f)
		w.returned(f, status, out)
	}
	w.endStep(f, out)
}

// endStep tells the plan how the work of a step's frame has ended. The frame
// that the user talks to stays, at rest.
func (w *work) endStep(f *Frame, out *Outcome) {
	end := StepEnd{Step: f.Root.Step, Agent: f.Agent, Given: f.Root.Agent, Attempt: f.Root.Attempt, Handoff: f.Handoff, Outcome: *out, Spent: f.Spent}
	end.Orphan = f.Root.Agent != "" && f.Root.Agent != f.Agent && !f.Root.Done
	redactOutcome(&end.Outcome, w.p.Secrets)
	w.d.Ends = push(w.d.Ends, end)
	f.Root, f.Step = nil, ""
	if f.Caller != "" {
		w.stepLeft(f.Caller)
		return
	}
	if w.isOpen(f) {
		f.State, f.Then, f.Waits, f.Results, f.Visited, f.Misses = FrameInput, nil, 0, nil, nil, 0
		f.Limits = Limits{Turns: f.Limits.Turns} // the others were the step's
		w.ready = slices.DeleteFunc(w.ready, func(r *Frame) bool { return r == f })
	}
}

// stepLeft notes that a frame waits for one step less.
func (w *work) stepLeft(caller string) {
	if f := w.frame(caller); f != nil {
		if f.Waits--; f.Waits <= 0 {
			f.State, f.Waits = FrameInput, 0
		}
	}
}

// stepLost tells the plan that a step could not begin.
func (w *work) stepLost(g *given, r *Record, ref *Refusal, f *Frame) {
	w.d.Ends = push(w.d.Ends, StepEnd{
		Step: g.step.Step, Agent: cmp.Or(ref.Target, g.command.Target), Attempt: g.step.Attempt, Handoff: r.ID,
		Outcome: Outcome{Status: Rejected, Code: ref.Code, Error: ref.Message},
	})
	if r.Kind == Call {
		w.stepLeft(f.ID)
	} else if f.State == FrameCalling && f.Waits <= 0 { // it was held while the offer waited
		f.State = FrameInput
	}
}

// stepOf is the mark of an offer by which a plan's step begins; nil of others.
func (o *Offer) stepOf() *StepRoot {
	if o.Record.Actor != ByPlan {
		return nil
	}
	return o.Frame.Root
}

// stepsOpen reports whether steps of a plan are at work, or wait to begin.
func (d *Desk) stepsOpen() bool {
	return slices.ContainsFunc(d.Frames, func(f Frame) bool { return f.Root != nil }) ||
		slices.ContainsFunc(d.Queue, func(o Offer) bool { return o.Frame.Root != nil })
}

// suspendPlan sets the plan aside with the frames that work for it.
func (w *work) suspendPlan(p *Parked) {
	if w.in.PlanOpen {
		p.Plan, p.Ends = true, w.d.Ends
		w.d.Plan, w.d.Ends = PlanSuspended, nil
	}
}

// resumePlan lets a plan go on that was set aside.
func (w *work) resumePlan(p *Parked) {
	if p.Plan {
		w.d.Plan, w.d.Ends = "", slices.Concat(w.d.Ends, p.Ends)
	}
}

// abandonPlan lets next_step close the plan.
func (w *work) abandonPlan() {
	if w.in.PlanOpen {
		w.d.Plan = PlanAbandoned
	}
}
