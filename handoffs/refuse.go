package handoffs

import (
	"strings"
)

// refusedByTarget gives a handoff back that the target was given.
func (w *work) refusedByTarget(f *Frame, g *given) error {
	why := ""
	if g.command.Result != nil {
		why = g.command.Result.Error
	}
	text := w.p.text(CodeRefused, "target", f.Agent, "source", f.From, "reason", why)
	if why != "" && !strings.Contains(text, why) {
		text += ": " + why
	}
	ref := &Refusal{Handoff: f.Handoff, Target: f.Agent, Code: CodeRefused, Codes: []Code{CodeRefused}, Message: text, Task: f.Task, Payload: f.Payload}
	w.task(f, Failed, text)
	w.reply(g, f.Agent, "given back", false)
	switch given := f.Handoff != "" && !f.Settled; {
	case f.Root != nil && (f.Root.Agent == f.Agent || f.Root.Agent == ""):
		return w.fail(f, &Outcome{Status: Failed, Code: CodeRefused, Error: text})
	case !given && (f.Call != "" || f.Root != nil):
		return w.fail(f, &Outcome{Status: Failed, Code: CodeRefused, Error: text})
	case !given:
		return w.act(f, Action{Do: FailRun}, ref, g)
	}
	f.Settled = true
	e := w.entry(f.Handoff, f.From, f.Agent, f.kind())
	e.Stages, e.Code, e.Message, e.Usage = append(e.Stages, Rejected), CodeRefused, text, f.Spent
	w.out.Notices = append(w.out.Notices, &RejectedNotice{Handoff: f.Handoff, From: f.From, To: f.Agent, Code: CodeRefused, Codes: ref.Codes, Message: text})
	if f.Handoff == f.Origin {
		w.remove(f)
		out := Outcome{Status: Rejected, Code: CodeRefused, Error: text}
		if f.Detached {
			w.say(f, &out)
			return nil
		}
		if f.branch() {
			return w.partDone(f, &out)
		}
		caller := w.frame(f.Caller)
		a := w.actionFor(&Failure{Code: CodeRefused}, w.m.edges[f.Edge])
		if caller == nil || a.Do == DoDefault || a.Do == ToSource || caller.Waits > 1 {
			return w.deliver(f.Caller, CallResult{Handoff: f.Call, Agent: f.Agent, Task: f.Task, Outcome: out}, f.Reply, "")
		}
		caller.Waits--
		w.answer(f.Reply, caller.Agent, text, true)
		return w.act(caller, a, ref, g)
	}
	return w.refusedTransfer(f, ref)
}

// refusedTransfer lets the source of a transfer go on in the frame that its
// target has refused.
func (w *work) refusedTransfer(f *Frame, ref *Refusal) error {
	a := w.actionFor(&Failure{Code: CodeRefused}, w.m.edges[f.Edge])
	back := *f
	w.d.Made++
	back.ID, back.Agent, back.Epoch, back.Handoff, back.Edge = frameID(w.d.Made), f.From, 0, "", ""
	back.From, back.Told, back.Settled, back.Rescues, back.Turns = "", false, false, false, 0
	back.Visited = with(f.Visited, f.Agent)
	w.ownWays(&back)
	w.replace(f, &back)
	if back.Caller == "" && !back.Detached {
		w.setOwner(back.Agent)
	}
	if away := a.Do == RouteTo || a.Do == DoDefault && w.p.Supervisor != "" && w.p.Supervisor != back.Agent && back.Call == ""; !away {
		w.activate(&back)
	}
	return w.act(&back, a, ref, nil)
}
