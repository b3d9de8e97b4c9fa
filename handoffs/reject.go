package handoffs

import (
	"fmt"
	"slices"
)

// noteRejected notes a handoff that was not accepted.
func (w *work) noteRejected(r *Record, d *Decision) *Entry {
	e := w.begun(r, Rejected)
	e.Code, e.Message, e.Why = d.Failures[0].Code, w.why(r, r.To, d), d.Why
	for _, f := range d.Failures {
		if !slices.Contains(e.Codes, f.Code) {
			e.Codes = append(e.Codes, f.Code)
		}
	}
	return e
}

// why is the message of a rejection.
func (w *work) why(r *Record, to string, d *Decision) string {
	f := d.Failures[0]
	if f.Message != "" {
		return f.Message
	}
	return w.p.text(f.Code, "source", r.From, "target", to, "capability", r.Capability)
}

// reject ends a handoff that was not accepted, and says how its source goes on.
func (w *work) reject(f *Frame, g *given, r *Record, d *Decision) error {
	return w.rejected(f, g, r, w.refusal(g, r, d), &d.Failures[0])
}

// refusal notes a rejection and tells whoever watches.
func (w *work) refusal(g *given, r *Record, d *Decision) *Refusal {
	e := w.noteRejected(r, d)
	ref := &Refusal{Handoff: r.ID, Target: g.command.Target, Code: e.Code, Codes: e.Codes, Message: e.Message}
	w.out.Notices = append(w.out.Notices, &RejectedNotice{Handoff: r.ID, From: r.From, To: ref.Target, Code: ref.Code, Codes: ref.Codes, Message: ref.Message})
	return ref
}

// rejected goes on behind a rejection that is noted.
func (w *work) rejected(f *Frame, g *given, r *Record, ref *Refusal, why *Failure) error {
	if g.x != nil && g.x.Reply && r.Kind != Call && r.Kind != Spawn {
		w.answer(g.x.ID, f.Agent, ref.Message, true)
	}
	if !w.isOpen(f) {
		return nil
	}
	if g.step != nil {
		w.stepLost(g, r, ref, f)
		return nil
	}
	if g.rescue {
		return w.act(f, Action{Do: FailRun}, ref, g)
	}
	edge := g.edge()
	if edge == nil {
		edge = w.m.edges[r.edgeName()]
	}
	a := w.actionFor(why, edge)
	if k := r.Kind; k == Call || k == Spawn {
		f.Waits--
		reply := ""
		if g.x != nil && g.x.Reply {
			reply = g.x.ID
		}
		if f.Waits > 0 || len(f.Results) > 0 || f.Then != nil {
			f.Waits++
			res := CallResult{Handoff: r.ID, Agent: g.command.Target, Task: r.Task, Outcome: Outcome{Status: Rejected, Code: ref.Code, Error: ref.Message}}
			return w.deliver(f.ID, res, reply, "")
		}
		if reply != "" {
			w.answer(reply, f.Agent, ref.Message, true)
		}
	}
	return w.act(f, a, ref, g)
}

// edgeName is the name of the edge of a rule's handoff.
func (r *Record) edgeName() string {
	if r.Rule == "" {
		return ""
	}
	return "rule " + r.Rule
}

// actionFor finds what a policy says about a failure: the failure itself, its
// edge, the policy by code, the policy for the rest.
func (w *work) actionFor(f *Failure, e *Edge) Action {
	if f.Action.Do != DoDefault {
		return f.Action
	}
	if e != nil {
		for _, code := range []Code{f.Code, ""} {
			if a, ok := e.OnReject[code]; ok && a.Do != DoDefault {
				return a
			}
		}
	}
	for _, code := range []Code{f.Code, ""} {
		if a, ok := w.p.OnReject[code]; ok && a.Do != DoDefault {
			return a
		}
	}
	return Action{}
}

// act does what the policy says about a frame whose handoff came to nothing.
func (w *work) act(f *Frame, a Action, ref *Refusal, g *given) error {
	f.Misses++
	if g != nil && ref.Task == "" && ref.Payload == nil {
		ref.Task, ref.Payload = g.command.Task, g.command.Payload
	}
	if most := orDefault(w.p.Misses, 3); most > 0 && f.Misses > most && a.Do != FailRun && a.Do != EndRun {
		a = Action{Do: FailRun}
		if f.Call != "" || f.Root != nil {
			return w.fail(f, &Outcome{Status: Failed, Code: ref.Code, Error: ref.Message})
		}
	}
	if a.Do == DoDefault {
		a = Action{Do: ToSource}
		if s := w.p.Supervisor; s != "" && s != f.Agent && f.Call == "" {
			a = Action{Do: RouteTo, Target: s}
		}
	}
	switch a.Do {
	case RouteTo:
		return w.routeTo(f, a.Target, ref)
	case DoEscalate:
		return w.escalate(f, ref)
	case AskPerson:
		return w.askAbout(f, g, ref)
	case DegradeTo:
		w.d.Degraded = true
		w.add(Entry{Event: EventDegraded, From: f.Agent, Code: ref.Code, Message: ref.Message})
	case FailRun:
		w.d.Fault = ref
		f.State = FrameInput
		return nil
	case EndRun:
		w.d.Ended = true
		f.State = FrameInput
		return nil
	}
	f.Refused = ref
	return w.again(f)
}

func orDefault(n, def int) int {
	if n == 0 {
		return def
	}
	return n
}

// routeTo lets another agent take over from a frame whose handoff was
// rejected: that is no handoff of its own.
func (w *work) routeTo(f *Frame, target string, ref *Refusal) error {
	w.out.Messages = append(w.out.Messages, Reply{Agent: target, Text: fmt.Sprintf("Handoff to %s rejected: %s", ref.Target, ref.Message), Error: true})
	if target == f.Agent || target == "" {
		f.Refused = ref
		return w.again(f)
	}
	next := *f
	w.d.Made++
	next.ID, next.Agent, next.From, next.Epoch, next.Turns = frameID(w.d.Made), target, f.Agent, 0, 0
	next.Handoff, next.Refused, next.Reason, next.Begun = "", ref, ErrorRecovery, w.now
	next.Visited, next.Edge, next.Told, next.Rescues = with(f.Visited, f.Agent), "", false, true
	if next.Root = f.Root.takenBy(target); next.Root != nil {
		next.Begun = f.Begun // its time is that of the attempt
	}
	w.ownWays(&next)
	w.settle(f, Completed)
	w.replace(f, &next)
	if next.Caller == "" && !next.Detached {
		w.setOwner(target)
	}
	w.activate(&next)
	return w.again(&next)
}

// ownWays gives the copy of another agent's frame what its agent's profile says
// of turns and returns. It is the agent's first attempt.
func (w *work) ownWays(f *Frame) {
	f.Limits.Turns, f.Stays, f.Retries = 0, false, 0
	if p, ok := w.p.Registry.Get(f.Agent); ok {
		f.Limits.Turns, f.Stays = p.Turns, p.Conversational
	}
}

// escalate hands to the next rung of the ladder after a rejection.
func (w *work) escalate(f *Frame, ref *Refusal) error {
	f.Visited = with(f.Visited, ref.Target)
	c := NewCommand("", ErrorRecovery, ref.Message)
	c.Kind, c.Actor, c.Task, c.Payload = Escalate, BySystem, f.Task, f.Payload
	return w.hand(f, &given{x: &Execution{Agent: f.Agent}, command: c, rescue: w.rung(f) == "" && !w.p.LadderAsks}, w.id())
}

// refuseAll notes that commands of a turn are rejected, which could not be read
// or were not to be given together. It returns what the first one is told.
func (w *work) refuseAll(f *Frame, gs []given) (first *Refusal, why *Failure) {
	for i := range gs {
		g := &gs[i]
		r := w.record(f, g)
		d := Decision{Failures: []Failure{failureOf(g.err)}}
		ref := w.refusal(g, r, &d)
		w.reply(g, f.Agent, ref.Message, true)
		if first == nil {
			first, why = ref, &d.Failures[0]
		}
	}
	return first, why
}

// reply answers the tool call of a command.
func (w *work) reply(g *given, agent, text string, failed bool) {
	if g.x != nil && g.x.Reply {
		w.answer(g.x.ID, agent, text, failed)
	}
}

func (w *work) answer(call, agent, text string, failed bool) {
	if call != "" && !slices.ContainsFunc(w.out.Messages, func(r Reply) bool { return r.Call == call }) {
		w.out.Messages = append(w.out.Messages, Reply{Call: call, Agent: agent, Text: text, Error: failed})
	}
}
