package handoffs

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

// finish ends a frame that somebody called: its result goes to the caller.
func (w *work) finish(f *Frame, out *Outcome) error {
	out.Turns = f.Turns
	if out.Status == Failed {
		return w.fail(f, out)
	}
	w.succeeded(f)
	w.task(f, out.Status, "")
	return w.giveResult(f, out)
}

// giveResult closes a frame and hands its result to whoever waits for it.
func (w *work) giveResult(f *Frame, out *Outcome) error {
	w.cancelUnder(f, CodeCancelled)
	if out.Status != Failed {
		w.settle(f, Completed)
	}
	status := Returned
	if out.Status != Completed {
		status = out.Status
	}
	if f.Root != nil {
		w.leaveStep(f, status, out)
		return nil
	}
	w.remove(f)
	if f.Detached {
		w.note(f, status, out)
		w.say(f, out)
		return nil
	}
	w.returned(f, status, out)
	if f.branch() {
		return w.partDone(f, out)
	}
	res := CallResult{Handoff: f.Call, Agent: f.Agent, Task: f.Task, Outcome: *out}
	return w.deliver(f.Caller, res, f.Reply, "")
}

// returned notes that what a frame was called for has ended.
func (w *work) returned(f *Frame, status Status, out *Outcome) {
	e := w.add(Entry{Handoff: f.Origin, Event: EventReturn, From: f.Agent, To: w.agentOf(f.Caller), Kind: Return, Stages: []Status{status},
		Code: out.Code, Message: out.Error, Usage: f.Spent})
	result := *out
	redactOutcome(&result, w.p.Secrets)
	e.Result = &result
}

// note notes how a detached frame's handoff ended.
func (w *work) note(f *Frame, status Status, out *Outcome) {
	w.returned(f, status, out)
}

// partDone notes the result of a spawn's branch.
func (w *work) partDone(f *Frame, out *Outcome) error {
	g := w.group(f.Group)
	if g == nil {
		return nil
	}
	for i := range g.Parts {
		if p := &g.Parts[i]; p.Branch == f.Branch && !p.Done {
			p.Done, p.Agent, p.Outcome = true, f.Agent, *out
		}
	}
	return w.join(g.ID)
}

// settle gives the handoff that brought a frame its last status, once. That
// of a call has it when the call returns.
func (w *work) settle(f *Frame, s Status) {
	if f.Settled || f.Handoff == "" || f.Handoff == f.Origin {
		return
	}
	f.Settled = true
	e := w.entry(f.Handoff, f.From, f.Agent, f.kind())
	e.Stages = append(e.Stages, s)
	e.Usage = f.Spent
}

// completed notes that a frame's agent has done its work, which nobody waits
// for.
func (w *work) completed(f *Frame) {
	w.succeeded(f)
	w.settle(f, Completed)
	w.task(f, Completed, "")
}

// kind is that of the handoff that brought a frame.
func (f *Frame) kind() Kind { return cmp.Or(f.Kind, Transfer) }

// branch reports whether a frame's result is that of a spawn's branch.
func (f *Frame) branch() bool { return f.Group != "" && f.Call == f.Group }

// task notes that an agent's task is done, or has failed.
func (w *work) task(f *Frame, s Status, why string) {
	if f.Told {
		return
	}
	f.Told = true
	w.add(Entry{Event: EventTask, Handoff: f.Handoff, From: f.Agent, Message: why, Detail: map[string]any{"status": string(s), "task": f.Task}})
}

func (w *work) countN(key string, n int) {
	if n <= 0 {
		return
	}
	if w.d.Counts == nil {
		w.d.Counts = map[string]int{}
	}
	w.d.Counts[key] += n
}

// cancelUnder cancels everything that a frame waits for.
func (w *work) cancelUnder(f *Frame, code Code) {
	for _, child := range slices.Clone(w.frames) {
		if child.Caller == f.ID && !child.Detached {
			w.cancel(child, code)
		}
	}
	keep := w.d.Queue[:0:0]
	for i := range w.d.Queue {
		o := &w.d.Queue[i]
		if o.Source != f.ID || o.loose() {
			keep = append(keep, *o)
			continue
		}
		e := w.stage(o.Record, o.To, Cancelled)
		e.Code = code
		if o.Record.Kind == Call {
			w.cutOff(o.Frame.Reply, o.Record.From, code)
		}
	}
	w.d.Queue = keep
	for _, g := range slices.Clone(w.d.Groups) {
		if g.Caller == f.ID {
			w.cutOff(g.Reply, f.Agent, code)
			w.removeGroup(g.ID)
		}
	}
}

// cutOff answers a tool call of which nothing will come any more.
func (w *work) cutOff(call, agent string, code Code) {
	w.answer(call, agent, string(Cancelled)+": "+string(code), true)
}

// dropThen gives up what a frame would have done behind its calls.
func (w *work) dropThen(f *Frame) {
	if f.Then != nil {
		w.cutOff(f.Then.Reply, f.Agent, CodeCancelled)
		f.Then = nil
	}
}

// letGo answers a tool call whose result will be a message.
func (w *work) letGo(call *string, agent string) {
	w.answer(*call, agent, "goes on by itself; its result will be a message", false)
	*call = ""
}

// cancel ends a frame and everything under it.
func (w *work) cancel(f *Frame, code Code) {
	w.cancelUnder(f, code)
	w.cutOff(f.Reply, f.From, code)
	w.remove(f)
	if f.Root != nil {
		defer w.endStep(f, &Outcome{Status: Cancelled, Code: code})
	}
	status := Cancelled
	if code == CodeJoinTime || code == CodeDeadline {
		status = TimedOut
	}
	if f.Handoff != "" && !f.Settled {
		e := w.entry(f.Handoff, f.From, f.Agent, f.kind())
		e.Stages, e.Code, e.Usage = append(e.Stages, status), code, f.Spent
	}
	if f.Origin != "" && f.Origin != f.Handoff {
		e := w.entry(f.Origin, "", "", "")
		e.Stages, e.Code = append(e.Stages, status), code
	}
}

// cancelBranch cancels a branch of a spawn, at work or waiting.
func (w *work) cancelBranch(group, branch string, code Code) {
	for _, f := range slices.Clone(w.frames) {
		if f.Group == group && f.Branch == branch {
			w.cancel(f, code)
		}
	}
	keep := w.d.Queue[:0:0]
	for i := range w.d.Queue {
		if o := &w.d.Queue[i]; o.Frame.Group != group || o.Frame.Branch != branch {
			keep = append(keep, *o)
		} else {
			w.stage(o.Record, o.To, Cancelled).Code = code
		}
	}
	w.d.Queue = keep
}

// detachUnder lets what a frame called go on without it.
func (w *work) detachUnder(f *Frame) {
	for _, child := range w.frames {
		if child.Caller == f.ID {
			cutLoose(child, w.frame)
			w.letGo(&child.Reply, f.Agent)
			child.Detached, child.Caller = true, ""
		}
	}
	for i := range w.d.Queue {
		if o := &w.d.Queue[i]; o.Source == f.ID {
			w.letGo(&o.Frame.Reply, f.Agent)
			o.Frame.Detached, o.Frame.Caller = true, ""
		}
	}
	for _, g := range slices.Clone(w.d.Groups) {
		if g.Caller == f.ID {
			w.letGo(&g.Reply, f.Agent)
			w.removeGroup(g.ID)
		}
	}
}

// setBreaker keeps a breaker's state and notes when it changes.
func (w *work) setBreaker(key string, b Breaker) {
	before := w.d.Breakers[key]
	if before.State != b.State {
		w.add(Entry{Event: EventBreaker, Detail: map[string]any{"key": key, "state": stateOf(b), "failures": int64(b.Failures)}})
	}
	if w.d.Breakers == nil {
		w.d.Breakers = map[string]Breaker{}
	}
	if b == (Breaker{}) {
		delete(w.d.Breakers, key)
		return
	}
	w.d.Breakers[key] = b
}

func stateOf(b Breaker) string {
	if b.State == "" {
		return string(BreakerClosed)
	}
	return string(b.State)
}

// succeeded tells the breaker that a frame's work was good.
func (w *work) succeeded(f *Frame) { w.breaker(f, (*BreakerPolicy).succeed) }

func (w *work) breaker(f *Frame, then func(*BreakerPolicy, Breaker, time.Time) Breaker) {
	if w.p.Breaker == nil || f.Handoff == "" || f.Settled {
		return
	}
	key := w.p.Breaker.key(f.From, f.Agent, f.Capability)
	w.setBreaker(key, then(w.p.Breaker, w.d.Breakers[key], w.now))
}

// say makes a message of the result of a frame that nobody waits for.
func (w *work) say(f *Frame, out *Outcome) {
	text := resultText(&CallResult{Outcome: *out})
	w.out.Messages = append(w.out.Messages, Reply{Agent: f.Agent, Text: text, Error: !out.good()})
}

// good reports whether there is something to go on with.
func (o *Outcome) good() bool { return o.Status == Completed || o.Status == Partial }

// resultText is what a caller's tool message says of a result.
func resultText(r *CallResult) string {
	if !r.Outcome.good() {
		return string(r.Outcome.Status) + ": " + cmp.Or(r.Outcome.Error, string(r.Outcome.Code))
	}
	if len(r.Parts) == 0 {
		return r.Outcome.Text
	}
	text := ""
	for i := range r.Parts {
		p := &r.Parts[i]
		text += p.Branch + ": " + p.Outcome.Text + p.Outcome.Error + "\n"
	}
	return text + strconv.Itoa(len(r.Parts)-len(r.Outcome.Missing)) + " of " + strconv.Itoa(len(r.Parts)) + " succeeded"
}
