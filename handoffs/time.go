package handoffs

import (
	"slices"
	"time"
)

// restart begins a new run on the desk: turns that were at work were dropped
// by the run's input; whoever owns the conversation gets it.
func (w *work) restart() {
	w.d.Fault, w.d.Ended = nil, false
	if w.p.PerMessage {
		w.d.countAnew()
	}
	for _, f := range w.frames {
		f.Misses = 0
		switch {
		case slices.Contains(w.ready, f): // it waited for next_step
		case f.State == FrameRunning && f.Turns > 0:
			w.proceed(f)
		case f.State == FrameInput && !w.hasCommand() && (f.Root != nil || f.Call != "" || w.in.Plan == nil):
			w.proceed(f)
		}
	}
}

// hasCommand tells that the input itself says what to do: a user's choice of
// an agent, a signal.
func (w *work) hasCommand() bool { return len(w.outside) > 0 }

// elapse lets pass the time that the agents' turns took, and does what fell
// due meanwhile, in the order in which it did.
func (w *work) elapse() error {
	end := w.now
	if !w.p.Virtual.IsZero() {
		end = w.now.Add(w.took)
	}
	return w.pass(end)
}

// pass moves on to a time.
func (w *work) pass(end time.Time) error {
	for {
		at, ok := w.nextEvent()
		if !ok || at.After(end) {
			break
		}
		if at.After(w.now) {
			w.now = at
		}
		if err := w.happen(); err != nil {
			return err
		}
	}
	if end.After(w.now) {
		w.now = end
	}
	return nil
}

// nextEvent is when the next thing happens by itself.
func (w *work) nextEvent() (time.Time, bool) {
	at, ok := nextDue(w.view())
	if s, there := w.scheduled(); there && (!ok || !s.After(at)) {
		return s, true
	}
	return at, ok
}

// scheduled is when the next signal of the script comes.
func (w *work) scheduled() (time.Time, bool) {
	if w.p.Virtual.IsZero() || w.d.Scripted >= len(w.p.Script) {
		return time.Time{}, false
	}
	return w.p.Virtual.Add(w.p.Script[w.d.Scripted].After), true
}

// happen does one thing that is due. Of several at one time signals come
// first, then the oldest.
func (w *work) happen() error {
	if at, ok := w.scheduled(); ok && !at.After(w.now) {
		w.d.Scripted++
		return w.byScript(&w.p.Script[w.d.Scripted-1])
	}
	for i := range w.d.Queue {
		o := w.d.Queue[i]
		switch {
		case o.Status == Failed && w.overdueTime(o.Next):
			w.d.Queue = slices.Delete(slices.Clone(w.d.Queue), i, i+1)
			if o.stepOf() != nil {
				return w.takeStep(&o)
			}
			o.Next, o.Status, o.Since = time.Time{}, Validated, w.now
			return w.admit(w.frame(o.Source), &given{x: &Execution{}, command: commandOf(&o)}, &o)
		case o.Status != Failed && w.overdueTime(o.Due):
			w.d.Queue = slices.Delete(slices.Clone(w.d.Queue), i, i+1)
			if o.Status == AwaitingApproval {
				return w.expired(&o)
			}
			return w.notAccepted(&o)
		}
	}
	for _, g := range w.d.Groups {
		if w.overdueTime(g.Due) {
			good, _ := g.tally()
			return w.joined(g, good, true)
		}
	}
	for _, f := range w.frames {
		if f.State == FrameWaiting && w.overdueTime(f.Wake) {
			return w.wake(f)
		}
	}
	for _, f := range w.frames {
		if at := frameEnds(f); w.overdueTime(at) {
			text := w.p.text(CodeDeadline, "target", f.Agent, "source", f.From, "limit", f.Limits.Time.String())
			f.Limits.Time = 0
			if f.Call == "" && !f.Detached && f.Root == nil {
				return w.recover(f, &Outcome{Status: Failed, Code: CodeDeadline, Error: text})
			}
			return w.fail(f, &Outcome{Status: Failed, Code: CodeDeadline, Error: text})
		}
	}
	return nil
}

// byScript lets a signal of the script come.
func (w *work) byScript(s *Scheduled) error {
	comes, _, err := s.When.test(w.in.Facts)
	if err != nil || !comes {
		return err
	}
	signal := s.Signal
	return w.signal(&signal)
}

// frameEnds is when a frame's time is used up; zero: never.
func frameEnds(f *Frame) time.Time {
	if f.Limits.Time <= 0 || f.Begun.IsZero() {
		return time.Time{}
	}
	return f.Begun.Add(f.Limits.Time)
}

// wake ends a frame's wait by time.
func (w *work) wake(f *Frame) error {
	w.add(Entry{Event: EventTimer, Handoff: f.Handoff, From: f.Agent})
	f.Wake, f.Expired = time.Time{}, !f.Again
	f.Until, f.Again = nil, false
	return w.again(f)
}

// notAccepted ends an offer that its target did not accept in time.
func (w *work) notAccepted(o *Offer) error {
	text := w.p.text(CodeAcceptTime, "source", o.Record.From, "target", o.To, "limit", w.p.Accept.String())
	e := w.stage(o.Record, o.To, TimedOut)
	e.Code, e.Codes, e.Message = CodeAcceptTime, []Code{CodeAcceptTime}, text
	return w.lostOffer(o, CodeAcceptTime, text)
}

// loose reports whether nobody waits any more for the frame that an offer is to
// begin.
func (o *Offer) loose() bool {
	return o.Frame.Detached && (o.Record.Kind == Call || o.Record.Kind == Spawn)
}

// lostOffer goes on behind an offer that never began.
func (w *work) lostOffer(o *Offer, code Code, text string) error {
	ref := &Refusal{Handoff: o.Record.ID, Target: o.To, Code: code, Codes: []Code{code}, Message: text}
	w.out.Notices = append(w.out.Notices, &RejectedNotice{Handoff: ref.Handoff, From: o.Record.From, To: o.To, Code: code, Codes: ref.Codes, Message: text})
	if o.loose() {
		w.say(&o.Frame, &Outcome{Status: Rejected, Code: code, Error: text})
		return nil
	}
	if o.Frame.Group != "" && o.Record.Kind == Spawn {
		return w.branchLost(o, &Outcome{Status: Rejected, Code: code, Error: text})
	}
	f := w.frame(o.Source)
	if f == nil {
		return nil
	}
	return w.rejected(f, &given{step: o.stepOf(), x: &Execution{ID: o.Frame.Reply, Reply: o.Frame.Reply != "" && o.Record.Kind == Call}, command: commandOf(o)}, o.Record, ref, &Failure{Code: code})
}

// drain begins the offers whose targets are free.
func (w *work) drain() error {
	for {
		free := func(agent string) bool {
			p, ok := w.p.Registry.Get(agent)
			return ok && (p.MaxConcurrent <= 0 || busy(w.view(), agent) < p.MaxConcurrent)
		}
		i := w.p.Queue.next(w.d.Queue, w.now, free)
		if i < 0 {
			return nil
		}
		o := w.d.Queue[i]
		w.d.Queue = slices.Delete(slices.Clone(w.d.Queue), i, i+1)
		if err := w.beginLate(&o); err != nil {
			return err
		}
	}
}

// beginLate begins an offer that has waited, unless its breaker has opened
// meanwhile.
func (w *work) beginLate(o *Offer) error {
	if p := w.p.Breaker; p != nil {
		if _, ok := p.admit(w.d.Breakers[p.key(o.Record.From, o.To, o.Record.Capability)], w.now); !ok {
			text := w.p.text(CodeBreaker, "source", o.Record.From, "target", o.To)
			e := w.stage(o.Record, o.To, Rejected)
			e.Code, e.Codes, e.Message = CodeBreaker, []Code{CodeBreaker}, text
			return w.lostOffer(o, CodeBreaker, text)
		}
	}
	return w.begin(w.frame(o.Source), o)
}

// idle finds something to do if no agent has a turn: under a virtual clock
// time passes, as long as somebody waits; else the run waits.
func (w *work) idle() error {
	if w.planHolds {
		return nil
	}
	for len(w.ready) == 0 && w.d.Fault == nil && !w.d.Ended && len(w.d.Ends) == 0 {
		at, ok := w.nextEvent()
		if !ok || w.p.Virtual.IsZero() || w.approving() || !w.awaiting() {
			w.park(at)
			return nil
		}
		if err := w.pass(at); err != nil {
			return err
		}
		if err := w.drain(); err != nil {
			return err
		}
	}
	return nil
}

// approving tells that a person is to be asked before time passes.
func (w *work) approving() bool {
	return slices.ContainsFunc(w.d.Queue, func(o Offer) bool { return o.Status == AwaitingApproval })
}

// park says what the run waits for.
func (w *work) park(at time.Time) {
	for i := range w.d.Queue {
		if o := &w.d.Queue[i]; o.Status == AwaitingApproval {
			w.out.Asks = append(w.out.Asks, *o.Approval)
		}
	}
	w.out.Until = at
	w.out.Waiting = w.awaiting()
}

// awaiting tells that an agent or a handoff waits for a signal or a time.
func (w *work) awaiting() bool {
	return len(w.d.Queue) > 0 || slices.ContainsFunc(w.frames, func(f *Frame) bool { return f.State == FrameWaiting })
}
