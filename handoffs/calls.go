package handoffs

import (
	"slices"
	"strconv"
	"time"
)

func frameID(n int) string { return "f" + strconv.Itoa(n) }

// calls makes the calls and spawns of a turn. The frame waits for all of
// their results; if none could be made it goes on with the refusal.
func (w *work) calls(f *Frame, gs []given) error {
	f.Waits += len(gs)
	for i := range gs {
		f.Asked = push(f.Asked, w.idOf(&gs[i]))
	}
	ids := f.Asked[len(f.Asked)-len(gs):]
	for i := range gs {
		if !w.isOpen(f) {
			return nil
		}
		do := w.hand
		if gs[i].command.kind() == Spawn {
			do = w.spawn
		}
		if err := do(f, &gs[i], ids[i]); err != nil || w.over() {
			return err
		}
	}
	return nil
}

func (w *work) agentOf(frame string) string {
	if f := w.frame(frame); f != nil {
		return f.Agent
	}
	return ""
}

// alone reports whether nobody works beside a frame: then its agent, while it
// is at work, is the active one.
func (w *work) alone(f *Frame) bool {
	for ; f != nil; f = w.frame(f.Caller) {
		if f.Group != "" || f.Detached || f.Waits > 1 {
			return false
		}
	}
	return true
}

// activate makes a frame's agent the active one, if nobody works beside it and
// calls change that at all.
func (w *work) activate(f *Frame) {
	if w.alone(f) && !(w.p.KeepActive && f.Caller != "") {
		w.setActive(f.Agent)
	}
}

// deliver gives a result to the frame that waits for it. With an arbiter the
// frame first waits for what that makes of the conflicts.
func (w *work) deliver(caller string, res CallResult, reply, arbiter string) error {
	f := w.frame(caller)
	if f == nil {
		return nil
	}
	f.Results = push(f.Results, res)
	slices.SortStableFunc(f.Results, func(a, b CallResult) int {
		return slices.Index(f.Asked, a.Handoff) - slices.Index(f.Asked, b.Handoff)
	})
	if reply != "" {
		w.answer(reply, f.Agent, resultText(&res), !res.Outcome.good())
	}
	f.Waits--
	if arbiter != "" {
		payload := map[string]any{}
		for _, c := range res.Conflicts {
			payload[c.Key] = c.Values
		}
		c := NewCommand(arbiter, ErrorRecovery, "branches wrote the same keys differently")
		c.Kind, c.Actor, c.Task, c.Payload = Call, BySystem, "resolve the conflicts", payload
		return w.calls(f, []given{{x: &Execution{}, command: c}})
	}
	if f.Waits > 0 {
		return nil
	}
	return w.resumeCaller(f)
}

// resumeCaller lets a frame go on whose results are all there.
func (w *work) resumeCaller(f *Frame) error {
	f.State = FrameRunning
	w.activate(f)
	if t := f.Then; t != nil {
		f.Then = nil
		g := &given{x: &Execution{ID: t.Reply, Reply: t.Reply != "", Agent: f.Agent}, command: t.Command}
		if k := t.Command.kind(); k == Return || k == Refuse || k == Resume || k == Wait {
			return w.leave(f, g)
		}
		return w.hand(f, g, t.ID)
	}
	if allRejected(f.Results) {
		return w.missed(f)
	}
	return w.again(f)
}

// allRejected reports whether none of the results is that of an agent's work.
func allRejected(results []CallResult) bool {
	return len(results) > 0 && !slices.ContainsFunc(results, func(r CallResult) bool { return r.Outcome.Status != Rejected })
}

// missed lets a frame go on all of whose calls were given back, unless that has
// happened too often in a row.
func (w *work) missed(f *Frame) error {
	if most := orDefault(w.p.Misses, 3); most <= 0 || f.Misses < most {
		f.Misses++
		return w.again(f)
	}
	last := &f.Results[len(f.Results)-1]
	ref := &Refusal{Handoff: last.Handoff, Target: last.Agent, Code: last.Outcome.Code, Codes: []Code{last.Outcome.Code}, Message: last.Outcome.Error}
	return w.act(f, Action{Do: ToSource}, ref, nil)
}

// again gives a frame another turn. If its turns, tokens or time are used up
// it ends as failed instead.
func (w *work) again(f *Frame) error {
	if code := w.p.turnLimit(w.view(), f, w.now); code != "" {
		text := w.p.text(code, "source", f.Agent, "target", f.Agent, "limit", strconv.Itoa(f.Limits.Turns))
		return w.fail(f, &Outcome{Status: Failed, Code: code, Error: text, Turns: f.Turns})
	}
	w.proceed(f)
	return nil
}

// overdueTime tells whether a time has come.
func (w *work) overdueTime(t time.Time) bool { return !t.IsZero() && !t.After(w.now) }
