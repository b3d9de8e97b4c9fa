package handoffs

import (
	"slices"
)

// endTurn does what a frame's agent asked for in the turn that has ended.
func (w *work) endTurn(f *Frame) error {
	if !w.isOpen(f) || f.State != FrameRunning || slices.Contains(w.ready, f) {
		return nil
	}
	gs := w.turns[f.ID]
	delete(w.turns, f.ID)
	plan := w.sort(f, gs)
	if plan.failed != nil {
		return w.failTurn(f, plan.failed)
	}
	if len(plan.bad) > 0 {
		ref, why := w.refuseAll(f, plan.bad)
		if len(plan.calls) == 0 && plan.last == nil {
			return w.act(f, w.actionFor(why, nil), ref, &plan.bad[0])
		}
	}
	for i := range plan.lost {
		w.supersede(f, &plan.lost[i], w.winner(plan))
	}
	switch {
	case plan.last != nil && len(plan.calls) > 0:
		return w.callsThen(f, plan)
	case len(plan.calls) > 0:
		return w.calls(f, plan.calls)
	case plan.last != nil:
		if err := w.besides(f, plan); err != nil || w.over() {
			return err
		}
		return w.leave(f, plan.last)
	}
	return w.endPlain(f)
}

// besides makes the transfers that fan out with the one that the frame leaves
// by: as calls whose results nobody waits for.
func (w *work) besides(f *Frame, p *turnPlan) error {
	if len(p.beside) == 0 {
		return nil
	}
	for i := range p.beside {
		if err := w.handBeside(f, &p.beside[i], w.winner(p)); err != nil || w.over() {
			return err
		}
	}
	w.detachUnder(f)
	return nil
}

// handBeside makes one of them, if its edge is declared parallel.
func (w *work) handBeside(f *Frame, g *given, winner string) error {
	r := w.record(f, g)
	if err := w.choose(f, g, r); err != nil {
		return err
	}
	c, d := w.decide(f, g, r)
	if g.err != nil {
		d = Decision{Verdict: Reject, Failures: []Failure{failureOf(g.err)}}
	}
	switch {
	case d.Verdict == Reject:
		ref := w.refusal(g, r, &d)
		w.reply(g, f.Agent, ref.Message, true)
		return nil
	case c.Edge == nil || !c.Edge.Parallel:
		w.superseded(f, g, r, winner)
		return nil
	}
	g.command.Kind, r.Kind = Call, Call
	o := w.offer(f, g, r, c, &d)
	o.Frame.Detached = true
	return w.accept(f, g, o, &d)
}

// callsThen makes the calls of a turn that also leaves: the leaving waits for
// their results, or does not, as the policy says.
func (w *work) callsThen(f *Frame, p *turnPlan) error {
	if p.last.command.kind() == Wait {
		w.supersede(f, p.last, w.idOf(&p.calls[0]))
		return w.calls(f, p.calls)
	}
	f.Then = &Then{ID: w.idOf(p.last), Command: p.last.command}
	if p.last.x.Reply {
		f.Then.Reply = p.last.x.ID
	}
	if err := w.calls(f, p.calls); err != nil || !w.isOpen(f) {
		return err
	}
	if f.Then == nil || w.p.OnSiblings == WaitForThem { // nil: nothing was called, it has left already
		return nil
	}
	if w.p.OnSiblings == CancelThem {
		w.cancelUnder(f, CodeCancelled)
	} else {
		w.detachUnder(f)
	}
	f.Waits = 0
	return w.resumeCaller(f)
}

// endPlain ends a turn without any handoff.
func (w *work) endPlain(f *Frame) error {
	switch {
	case (f.Call != "" || f.Detached || f.Root != nil) && !f.Stays:
		out := &Outcome{Status: Completed, Text: w.lastText(f)}
		if what := w.p.wrongResult(f, out); what != "" {
			ref := &Refusal{Handoff: f.Handoff, Target: f.From, Code: CodePayload, Codes: []Code{CodePayload}, Message: what}
			return w.act(f, Action{Do: ToSource}, ref, nil)
		}
		return w.finish(f, out)
	case f.Call != "" || f.Root != nil:
		f.State = FrameInput
		return nil
	}
	f.State = FrameInput
	w.completed(f)
	return nil
}

// lastText is what a frame's agent has said in its turn. Of several frames of
// one agent each has said one text, in their order, or it is not known whose is
// whose.
func (w *work) lastText(f *Frame) string {
	if w.in.Texts == nil {
		return ""
	}
	texts := w.in.Texts(f.Agent, w.d.Said)
	of, at := 0, 0
	for _, o := range w.ended {
		if o == f {
			at = of
		}
		if o.Agent == f.Agent {
			of++
		}
	}
	switch {
	case len(texts) == of && of > 0:
		return texts[at]
	case of <= 1 && len(texts) > 0:
		return texts[len(texts)-1]
	}
	return ""
}

// leave does what ends a turn.
func (w *work) leave(f *Frame, g *given) error {
	switch g.command.kind() {
	case Return:
		return w.giveBack(f, g)
	case Refuse:
		return w.refusedByTarget(f, g)
	case Wait:
		return w.wait(f, g)
	case Resume:
		return w.resume(f, g)
	}
	return w.hand(f, g, w.idOf(g))
}

// giveBack ends a frame with the result that its agent returns.
func (w *work) giveBack(f *Frame, g *given) error {
	out := Outcome{Status: Completed}
	if g.command.Result != nil {
		out = *g.command.Result
	}
	if out.Status == "" {
		out.Status = Completed
	}
	if f.Call == "" && !f.Detached && f.Root == nil {
		r := w.record(f, g)
		return w.reject(f, g, r, &Decision{Verdict: Reject, Failures: []Failure{{Code: CodeNoCall, Message: w.p.text(CodeNoCall, "source", f.Agent)}}})
	}
	if what := w.p.wrongResult(f, &out); what != "" {
		why := Failure{Code: CodePayload, Message: what, Action: Action{Do: ToSource}}
		return w.reject(f, g, w.record(f, g), &Decision{Verdict: Reject, Failures: []Failure{why}})
	}
	w.reply(g, f.Agent, "returned", false)
	return w.finish(f, &out)
}

// wait lets a frame wait for signals or a time.
func (w *work) wait(f *Frame, g *given) error {
	u := g.command.Until
	if u == nil {
		u = &Until{}
	}
	if g.command.State != "" {
		w.moveState(f, g.command.State)
	}
	w.reply(g, f.Agent, "waiting", false)
	f.State, f.Until, f.Came = FrameWaiting, u, nil
	if u.For > 0 {
		f.Wake = w.now.Add(u.For)
	}
	return nil
}

// moveState moves the workflow without a handoff, if its machine allows it.
func (w *work) moveState(f *Frame, to string) {
	if to == w.d.Machine {
		return
	}
	if w.p.Machine != nil && !w.p.Machine.CanMove(w.d.Machine, to) {
		w.add(Entry{Event: EventMachine, From: f.Agent, Code: CodeTransition, State: w.d.Machine,
			Message: w.p.text(CodeTransition, "value", w.d.Machine+" -> "+to, "source", f.Agent)})
		return
	}
	w.d.Machine = to
	w.add(Entry{Event: EventMachine, From: f.Agent, State: to})
}
