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
		w.supersede(f, &plan.lost[i], plan.winner())
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

// turnPlan is what a turn's commands come to.
type turnPlan struct {
	calls  []given // calls and spawns, in their order
	last   *given  // what ends the turn: a transfer, a return, a wait
	lost   []given // that lose against last
	bad    []given // that cannot be read, or that the policy does not take together
	failed *given  // the turn itself failed
}

// winner names what the losers lost against.
func (p *turnPlan) winner() string {
	if p.last != nil {
		return p.last.x.ID
	}
	return ""
}

// sort brings the commands of a turn into the order in which they are done:
// reports at once, then calls, then what ends the turn.
func (w *work) sort(f *Frame, gs []given) *turnPlan {
	p := &turnPlan{}
	for _, g := range gs {
		if g.err != nil {
			p.bad = append(p.bad, g)
			continue
		}
		if s := g.command.State; s != "" && g.command.kind() == Report {
			w.moveState(f, s)
		}
		if g.command.Trigger != "" && g.command.Target == "" && g.command.Capability == "" {
			for _, fired := range w.fire(f, &g) {
				w.sortOne(p, fired)
			}
			continue
		}
		w.sortOne(p, g)
	}
	if p.last == nil && len(p.calls)+len(p.bad) == 0 && p.failed == nil {
		for _, fired := range w.fireAtEnd(f) {
			w.sortOne(p, fired)
		}
	}
	if w.p.OnMultiple == TakeNone && len(p.calls)+len(p.lost)+one(p.last) > 1 {
		w.takeNone(p)
	}
	return p
}

func (w *work) sortOne(p *turnPlan, g given) {
	switch k := g.command.kind(); {
	case k == Report:
	case k == Return && g.command.Result != nil && g.command.Result.Status == Failed && g.command.Actor == BySystem:
		p.failed = &g
	case k == Call || k == Spawn:
		p.calls = append(p.calls, g)
	case p.last != nil:
		p.lost = append(p.lost, g)
	default:
		p.last = &g
	}
}

func one(g *given) int {
	if g == nil {
		return 0
	}
	return 1
}

// takeNone rejects all handoffs of a turn.
func (w *work) takeNone(p *turnPlan) {
	all := slices.Concat(p.calls, p.lost)
	if p.last != nil {
		all = append(all, *p.last)
	}
	for i := range all {
		all[i].err = CodeMultiple
	}
	p.bad, p.calls, p.lost, p.last = append(p.bad, all...), nil, nil, nil
}

// supersede notes a handoff that lost against another one of its turn.
func (w *work) supersede(f *Frame, g *given, winner string) {
	r := w.record(f, g)
	e := w.begun(r, Superseded)
	e.Code = CodeSuperseded
	e.Message = w.p.text(CodeSuperseded, "source", f.Agent, "target", g.command.Target, "value", winner)
	w.reply(g, f.Agent, e.Message, true)
}

// callsThen makes the calls of a turn that also leaves: the leaving waits for
// their results, or does not, as the policy says.
func (w *work) callsThen(f *Frame, p *turnPlan) error {
	if p.last.command.kind() == Wait {
		w.supersede(f, p.last, p.calls[0].x.ID)
		return w.calls(f, p.calls)
	}
	f.Then = &Then{ID: w.id(), Command: p.last.command}
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
	case (f.Call != "" || f.Detached) && !f.Stays:
		return w.finish(f, &Outcome{Status: Completed, Text: w.lastText(f)})
	case f.Call != "":
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
	return w.hand(f, g, w.id())
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
	if f.Call == "" && !f.Detached {
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
	f.State, f.Until, f.Came = FrameWaiting, u, nil
	if u.For > 0 {
		f.Wake = w.now.Add(u.For)
	}
	return nil
}

// moveState moves the workflow without a handoff, if its machine allows it.
func (w *work) moveState(f *Frame, to string) {
	if w.p.Machine != nil && !w.p.Machine.CanMove(w.d.Machine, to) {
		w.add(Entry{Event: EventMachine, From: f.Agent, Code: CodeTransition, State: w.d.Machine,
			Message: w.p.text(CodeTransition, "value", w.d.Machine+" -> "+to, "source", f.Agent)})
		return
	}
	w.d.Machine = to
	w.add(Entry{Event: EventMachine, From: f.Agent, State: to})
}
