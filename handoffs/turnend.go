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
		return w.leave(f, plan.last)
	}
	return w.endPlain(f)
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
		return w.finish(f, &Outcome{Status: Completed, Text: w.lastText(f)})
	case f.Call != "" || f.Root != nil:
		f.State = FrameInput
		return nil
	}
	f.State = FrameInput
	w.settle(f, Completed)
	if w.p.Breaker != nil {
		w.succeeded(f)
	}
	w.task(f, Completed, "")
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
