package handoffs

import (
	"cmp"
	"slices"
)

// accept takes a handoff that the pipeline allows, or would if a person did.
func (w *work) accept(f *Frame, g *given, o *Offer, d *Decision) error {
	e := w.begun(o.Record, Validated)
	e.To, e.Why = o.To, d.Why
	if d.Verdict == Ask {
		e.Stages = append(e.Stages, AwaitingApproval)
		w.replyAccepted(f, g, o, "waits for approval")
		return w.askPerson(f, g, o, d.Approval)
	}
	if err := w.admit(f, g, o); err != nil {
		return err
	}
	w.replyAccepted(f, g, o, "accepted")
	return nil
}

// replyAccepted answers the tool call of a handoff over. Calls and spawns are
// answered by their results.
func (w *work) replyAccepted(f *Frame, g *given, o *Offer, text string) {
	if k := o.Record.Kind; k != Call && k != Spawn && g.x != nil && g.x.Reply {
		w.reply(g, f.Agent, "handoff to "+o.To+": "+text, false)
	}
}

// begun notes the first step of a handoff's life, up to a status.
func (w *work) begun(r *Record, to Status) *Entry {
	e := w.entry(r.ID, r.From, r.To, r.Kind)
	if e.Record == nil && len(e.Stages) == 0 {
		e.Record, e.Stages = r, append(make([]Status, 0, 5), Requested)
	}
	e.Stages = append(e.Stages, to)
	return e
}

// stage notes a further step of a handoff's life.
func (w *work) stage(r *Record, to string, s ...Status) *Entry {
	e := w.entry(r.ID, r.From, to, r.Kind)
	e.Stages = append(e.Stages, s...)
	return e
}

// admit begins an offer, or lets it wait for its target.
func (w *work) admit(f *Frame, g *given, o *Offer) error {
	p, _ := w.p.Registry.Get(o.To)
	later := o.Next.After(w.now)
	full := p != nil && p.MaxConcurrent > 0 && (w.busyBut(o, f) >= p.MaxConcurrent || w.queued(o.To))
	o.External = p != nil && p.External
	if !later && !full && !o.External {
		return w.begin(f, o)
	}
	if w.p.Queue.Most > 0 && len(w.d.Queue) >= w.p.Queue.Most {
		return w.reject(f, g, o.Record, &Decision{Failures: []Failure{{Code: CodeLimit,
			Message: w.p.text(CodeLimit, "source", o.Record.From, "target", o.To, "limit", "queue")}}})
	}
	o.Status = PendingAccept
	if later {
		o.Status = Failed
		w.add(Entry{Event: EventRetry, Handoff: o.Record.ID, From: o.Record.From, To: o.To, Attempt: attempt(o.Attempt),
			Detail: map[string]any{"after": o.Next.Sub(w.now).String(), "at": o.Next.UTC().Format(timeForm)}})
	} else {
		w.stage(o.Record, o.To, PendingAccept)
		if w.p.Accept > 0 {
			o.Due = w.now.Add(w.p.Accept)
		}
	}
	w.hold(f, o)
	w.d.Queue = push(w.d.Queue, *o)
	return nil
}

const timeForm = "2006-01-02T15:04:05.999999999Z07:00"

// queued tells that an earlier handoff waits for the same agent.
func (w *work) queued(agent string) bool {
	return slices.ContainsFunc(w.d.Queue, func(o Offer) bool { return o.To == agent && o.Status == PendingAccept })
}

// busyBut counts the open frames of an offer's target, without the source if
// that makes room by leaving.
func (w *work) busyBut(o *Offer, source *Frame) int {
	n := 0
	for _, f := range w.frames {
		if f.Agent == o.To {
			n++
		}
	}
	if source != nil && source.Agent == o.To && o.Record.Kind != Call && o.Record.Kind != Spawn {
		n--
	}
	return n
}

// hold keeps the source of an offer waiting until the offer begins or ends.
func (w *work) hold(f *Frame, o *Offer) {
	if f == nil || !w.isOpen(f) || f.State == FrameCalling && o.Record.Kind != Spawn {
		return
	}
	f.State = FrameCalling
}

// begin lets the target of an offer work.
func (w *work) begin(f *Frame, o *Offer) error {
	child := &o.Frame // it is not the offer's any more
	w.d.Made++
	child.ID, child.Begun, child.Agent = frameID(w.d.Made), w.now, o.To
	sent, err := w.sent(o, child)
	if err != nil {
		return err
	}
	child.Context = sent
	e := w.stage(o.Record, o.To, Accepted, Running)
	e.Context, e.Attempt = sent, attempt(o.Attempt)
	if w.p.wantsDigest() {
		e.detail(detailDigest, w.in.Digest)
	}
	if o.Attempt <= 1 {
		w.counted(o)
	}
	if err := w.enter(f, child, o); err != nil {
		return err
	}
	w.moveBy(o)
	w.d.Class = cmp.Or(w.d.Class, o.Class)
	w.out.Notices = append(w.out.Notices, noticeOf(o, w.now))
	w.proceed(child)
	return nil
}

// attempt is what an entry tells of attempts: from the second on.
func attempt(n int) int {
	if n <= 1 {
		return 0
	}
	return n
}

// counted counts a handoff against the limits.
func (w *work) counted(o *Offer) {
	if w.d.Begun.IsZero() {
		w.d.Begun = w.now
	}
	w.d.countHandoff(w.m.edges[o.Edge], o.Record.From, o.To)
	if f := w.frame(o.Source); f != nil {
		f.Misses = 0
	}
	if e := w.m.edges[o.Edge]; e == nil || !e.Apart {
		for f := w.frame(o.Source); f != nil; f = w.frame(f.Caller) {
			f.Handed++
		}
	}
	if o.Record.Rule != "" {
		w.count("rule:" + o.Record.Rule)
	}
	if p := w.p.Breaker; p != nil {
		key := p.key(o.Record.From, o.To, o.Record.Capability)
		b, _ := p.admit(w.d.Breakers[key], w.now)
		w.setBreaker(key, b)
	}
}

// enter puts the target's frame among the others.
func (w *work) enter(f, child *Frame, o *Offer) error {
	switch o.Record.Kind {
	case Call:
		w.frames = append(w.frames, child)
		if f != nil && !child.Detached {
			f.State = FrameCalling
		}
		w.activate(child)
	case Spawn:
		w.frames = append(w.frames, child)
	default:
		if f == nil || !w.isOpen(f) {
			w.frames = append(w.frames, child)
		} else {
			w.handedOver(f, child, o)
			w.replace(f, child)
		}
		if child.Caller == "" && !child.Detached {
			w.setOwner(child.Agent)
		}
		w.activate(child)
	}
	return nil
}

// handedOver notes how the work has ended of an agent that has handed it over.
// For the reason of ErrorRecovery it has failed, unless it took over from one
// that had: then the reason is the other one's failure.
func (w *work) handedOver(f, to *Frame, o *Offer) {
	r := o.Record
	to.Rescues = r.Reason == ErrorRecovery && (r.Actor == BySystem || !f.Rescues)
	if !to.Rescues || r.Actor == BySystem || r.Actor == ByUser {
		w.completed(f)
		return
	}
	why := cmp.Or(r.Explanation, string(CodeFailed))
	w.breaker(f, (*BreakerPolicy).fail)
	w.settleFailed(f, &Outcome{Code: CodeFailed, Error: why})
	w.task(f, Failed, why)
}

// moveBy moves the workflow to the state that a handoff's edge, rule or
// command names. The pipeline has checked it.
func (w *work) moveBy(o *Offer) {
	next := ""
	if e := w.m.edges[o.Edge]; e != nil {
		next = e.Next
	}
	if next = cmp.Or(o.State, next); next != "" && next != w.d.Machine {
		w.d.Machine = next
		w.entry(o.Record.ID, "", "", "").State = next
	}
}

// proceed gives a frame's agent a turn, if it may have one more.
func (w *work) proceed(f *Frame) {
	if !slices.Contains(w.ready, f) {
		w.ready = append(w.ready, f)
	}
	f.State = FrameRunning
	f.Epoch++
	f.Turns++
	w.d.countTurn()
}

// turn makes what the agent of a frame is told about its turn.
func (w *work) turn(f *Frame) Turn {
	t := Turn{
		Agent: f.Agent, Frame: f.ID, Epoch: f.Epoch, Handoff: f.Handoff, From: f.From, Called: f.Call != "", Task: f.Task,
		Reason: f.Reason, Intent: f.Intent, Why: f.Why, Needs: f.Needs, Payload: f.Payload, Number: f.Turns, Results: f.Results, Signals: f.Came,
		Expired: f.Expired, Refused: f.Refused, Context: f.Context, Grants: f.Grants, Step: f.Step, Branch: f.Branch, Attempt: attempt(f.Retries + 1),
	}
	f.Results, f.Came, f.Expired, f.Refused, f.Asked = nil, nil, false, nil, nil
	return t
}

// sent tells what of the conversation the target of an offer gets.
func (w *work) sent(o *Offer, f *Frame) (*Sent, error) {
	policy := &w.p.Context
	if e := w.m.edges[o.Edge]; e != nil && e.Context != nil {
		policy = e.Context
	}
	if w.in.Context == nil {
		return &Sent{Policy: policy.Mode, Until: w.in.Messages}, nil
	}
	t := &w.room.turn
	*t = Turn{Agent: f.Agent, Frame: f.ID, Handoff: f.Handoff, From: f.From, Task: f.Task, Payload: f.Payload, Reason: f.Reason, Intent: f.Intent, Why: f.Why, Needs: f.Needs, Results: f.Results}
	return w.in.Context(policy, t)
}
