package handoffs

import (
	"cmp"
	"slices"
	"time"
)

// external does what users and signals say.
func (w *work) external(g given) error {
	switch {
	case g.err != nil:
		w.add(Entry{Event: EventStale, Code: CodeSyntax, Message: g.err.Error()})
		return nil
	case g.signal != nil:
		return w.signal(g.signal)
	case g.command.kind() == Resume:
		f := w.ground()
		return w.resume(f, &g)
	case g.command.Actor == ByUser:
		return w.selectAgent(&g)
	}
	return w.hand(w.ground(), &g, w.id())
}

// mostSignals is how many ids of signals are remembered.
const mostSignals = 64

// signal gives a signal to whom it concerns. One that came before is dropped.
func (w *work) signal(s *Signal) error {
	if s.ID != "" {
		if slices.Contains(w.d.Signals, s.ID) {
			return nil
		}
		w.d.Signals = push(w.d.Signals, s.ID)
		if n := len(w.d.Signals); n > mostSignals {
			w.d.Signals = w.d.Signals[n-mostSignals:]
		}
	}
	switch s.Type {
	case "accept", "refuse":
		return w.acceptance(s)
	case "tick":
		return nil
	}
	taken := false
	for _, f := range slices.Clone(w.frames) {
		if !w.isOpen(f) || f.State != FrameWaiting || f.Until == nil || s.Agent != "" && s.Agent != f.Agent || !slices.Contains(f.Until.Signals, s.Type) {
			continue
		}
		taken = true
		f.Came = push(f.Came, *s)
		if len(f.Came) < max(1, f.Until.Count) {
			continue
		}
		f.Until, f.Wake = nil, time.Time{}
		w.add(Entry{Event: EventSignal, From: f.Agent, Handoff: f.Handoff, Message: s.Type})
		if err := w.again(f); err != nil {
			return err
		}
	}
	if !taken {
		w.add(Entry{Event: EventStale, Code: CodeStale, Message: "nobody waits for the signal " + s.Type, To: s.Agent})
	}
	return nil
}

// acceptance is the word of a target on a handoff that it was offered.
func (w *work) acceptance(s *Signal) error {
	i := slices.IndexFunc(w.d.Queue, func(o Offer) bool {
		return o.Status == PendingAccept && (o.Record.ID == s.Handoff || s.Handoff == "" && o.To == s.Agent)
	})
	if i < 0 {
		w.add(Entry{Event: EventStale, Handoff: s.Handoff, Code: CodeStale, To: s.Agent,
			Message: w.p.text(CodeStale, "target", s.Agent, "source", s.Agent)})
		return nil
	}
	o := w.d.Queue[i]
	w.d.Queue = slices.Delete(slices.Clone(w.d.Queue), i, i+1)
	if s.Type == "accept" {
		return w.begin(w.frame(o.Source), &o)
	}
	text := w.p.text(CodeRefused, "target", o.To, "source", o.Record.From, "reason", s.Reason)
	e := w.stage(o.Record, o.To, Rejected)
	e.Code, e.Codes, e.Message = CodeRefused, []Code{CodeRefused}, text
	return w.lostOffer(&o, CodeRefused, text)
}

// selectAgent lets the user choose who goes on.
func (w *work) selectAgent(g *given) error {
	f := w.ground()
	g.command.Target = w.properName(g.command.Target)
	top := w.top(f)
	if g.command.Target == top.Agent || g.command.Target == w.d.Owner && w.quiet() {
		if w.quiet() {
			w.proceed(f)
		}
		return nil
	}
	g.command.Reason = cmp.Or(g.command.Reason, UserRequest)
	r := w.recordAs(f, g, w.id())
	cs, d := w.decide(f, g, r)
	if d.Verdict == Reject {
		w.tellUser(f, g, r, &d)
		return nil
	}
	o := w.offer(f, g, r, cs, &d)
	o.Frame.Root, o.Frame.Step = nil, "" // it is no part of the plan's step
	if w.p.OnSwitch == BranchOff && !w.quiet() {
		return w.branchOff(top, g, o)
	}
	w.setAside(r.ID, f)
	w.d.Mode, w.d.Directed = ModeDirected, &Directed{Target: o.To, Bypass: true}
	o.Frame.Call, o.Frame.Origin, o.Frame.Caller, o.Frame.Group, o.Frame.Reply = "", "", "", "", ""
	o.Frame.Depth, o.Frame.Results = 0, nil
	e := w.begun(r, Validated)
	e.To = o.To
	if err := w.begin(w.root(), o); err != nil {
		return err
	}
	w.tellToken(r.ID)
	return nil
}

// tellToken tells whoever watches by which token what was set aside goes on.
func (w *work) tellToken(token string) {
	if !slices.ContainsFunc(w.d.Parked, func(p Parked) bool { return p.Token == token }) {
		return
	}
	for _, n := range w.out.Notices {
		if c, ok := n.(*AgentChanged); ok {
			c.Suspended = token
		}
	}
}

// tellUser tells the user that what they asked for was not accepted. Nobody
// else has to do with it: who has the conversation keeps it.
func (w *work) tellUser(f *Frame, g *given, r *Record, d *Decision) {
	ref := w.refusal(g, r, d)
	w.out.Messages = append(w.out.Messages, Reply{Agent: f.Agent, Text: ref.Message, Error: true})
}

// top is the innermost frame of those that the user's frame waits for.
func (w *work) top(f *Frame) *Frame {
	for {
		i := slices.IndexFunc(w.frames, func(c *Frame) bool { return c.Caller == f.ID })
		if i < 0 {
			return f
		}
		f = w.frames[i]
	}
}

// quiet tells that nothing is at work: the conversation waits for its user.
func (w *work) quiet() bool {
	return len(w.frames) == 1 && w.frames[0].State == FrameInput && len(w.d.Queue) == 0
}

// setAside makes room for the agent that the user has chosen.
func (w *work) setAside(token string, f *Frame) {
	if w.quiet() && !w.in.PlanOpen {
		return
	}
	if w.p.OnSwitch == AbandonWork {
		w.abandonPlan()
		for _, x := range slices.Clone(w.frames) {
			if w.isOpen(x) && x.Caller == "" {
				w.cancel(x, CodeCancelled)
			}
		}
	} else {
		p := Parked{Token: token, Owner: w.d.Owner, Active: w.d.Active, Groups: w.d.Groups, Queue: w.d.Queue, Reason: string(UserRequest)}
		for _, x := range w.frames {
			w.add(Entry{Event: EventSuspend, Handoff: x.Handoff, From: x.Agent, Stages: suspended(x), Detail: map[string]any{"token": token, "frame": x.ID}})
			if x.Reply != "" {
				w.answer(x.Reply, w.agentOf(x.Caller), "interrupted by user", true)
				x.Reply = ""
			}
			p.Frames = append(p.Frames, *x)
		}
		w.suspendPlan(&p)
		w.d.Parked = push(w.d.Parked, p)
	}
	w.d.Groups, w.d.Queue, w.frames, w.ready = nil, nil, nil, nil
}

func suspended(f *Frame) []Status {
	if f.Handoff == "" || f.Settled {
		return nil
	}
	return []Status{Suspended}
}

// branchOff lets the chosen agent work beside what is at work, as if called
// by it.
func (w *work) branchOff(top *Frame, g *given, o *Offer) error {
	w.ready = slices.DeleteFunc(w.ready, func(f *Frame) bool { return f == top })
	if top.State == FrameRunning {
		top.State = FrameCalling
	}
	top.Waits++
	o.Record.Kind, o.Frame.Kind = Call, Call
	o.Frame.Call, o.Frame.Origin, o.Frame.Caller, o.Source = o.Record.ID, o.Record.ID, top.ID, top.ID
	o.Frame.Stays = true
	e := w.begun(o.Record, Validated)
	e.To, e.Kind = o.To, Call
	return w.begin(top, o)
}

// resume goes on with frames that were set aside.
func (w *work) resume(f *Frame, g *given) error {
	token := g.command.Token
	i := slices.IndexFunc(w.d.Parked, func(p Parked) bool { return p.Token == token || token == "" })
	if token == "" && len(w.d.Parked) > 0 {
		i = len(w.d.Parked) - 1
	}
	if i < 0 {
		r := w.record(f, g)
		d := Decision{Failures: []Failure{{Code: CodeToken, Message: w.p.text(CodeToken, "value", token, "source", f.Agent)}}}
		if g.command.Actor == ByUser {
			w.tellUser(f, g, r, &d)
			return nil
		}
		return w.reject(f, g, r, &d)
	}
	p := w.d.Parked[i]
	w.d.Parked = slices.Delete(slices.Clone(w.d.Parked), i, i+1)
	g.command.Target = p.Active
	r := w.record(f, g)
	e := w.begun(r, Validated)
	e.Stages = append(e.Stages, Accepted, Running, Completed)
	e.Detail = map[string]any{"token": p.Token}
	w.reply(g, f.Agent, "resumed", false)
	for _, x := range slices.Clone(w.frames) {
		if w.isOpen(x) && x.Caller == "" {
			w.settle(x, Completed)
			w.cancelUnder(x, CodeCancelled)
			w.remove(x)
		}
	}
	w.d.Owner, w.d.Groups, w.d.Queue = p.Owner, p.Groups, p.Queue
	w.d.Mode, w.d.Directed = "", nil
	for i := range p.Frames {
		x := p.Frames[i]
		w.frames = append(w.frames, &x)
		if x.Handoff != "" && !x.Settled {
			w.add(Entry{Handoff: x.Handoff, From: x.From, To: x.Agent, Kind: x.kind(), Stages: []Status{Running}})
		}
		if x.State == FrameRunning {
			w.proceed(&x)
		}
	}
	w.resumePlan(&p)
	w.setActive(p.Active)
	w.out.Notices = append(w.out.Notices, &HandoffNotice{Handoff: r.ID, From: r.From, To: p.Active, Kind: Resume, Reason: r.Reason, Explanation: r.Explanation, At: w.now})
	return nil
}
