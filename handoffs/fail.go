package handoffs

import (
	"cmp"
	"fmt"
)

// failTurn is what becomes of a turn whose agent failed.
func (w *work) failTurn(f *Frame, g *given) error {
	out := *g.command.Result
	out.Code, out.Turns = cmp.Or(out.Code, CodeFailed), f.Turns
	return w.fail(f, &out)
}

// fail ends a frame as failed: its handoff is tried again if its edge says so,
// else the caller gets the failure, or the policy says who takes over.
func (w *work) fail(f *Frame, out *Outcome) error {
	out.Turns = f.Turns
	w.breaker(f, (*BreakerPolicy).fail)
	if done, err := w.retry(f, out); done || err != nil {
		return err
	}
	w.task(f, Failed, out.Error)
	if f.Call != "" || f.Detached || f.Root != nil {
		w.settleFailed(f, out)
		return w.giveResult(f, out)
	}
	return w.recover(f, out)
}

// settleFailed notes that the handoff that brought a frame has failed.
func (w *work) settleFailed(f *Frame, out *Outcome) {
	if f.Settled || f.Handoff == "" || f.Handoff == f.Origin {
		return
	}
	f.Settled = true
	e := w.entry(f.Handoff, f.From, f.Agent, f.kind())
	e.Stages, e.Code, e.Message, e.Usage = append(e.Stages, Failed), out.Code, out.Error, f.Spent
}

// retry tries a failed handoff again, under the same id.
func (w *work) retry(f *Frame, out *Outcome) (bool, error) {
	e := w.m.edges[f.Edge]
	if e == nil || e.Retry == nil || f.Rule || f.Handoff == "" || out.Code.Limit() || !e.Retry.left(f.Retries+1) {
		return false, nil
	}
	w.cancelUnder(f, CodeCancelled)
	f.Retries++
	w.dropThen(f)
	f.Results, f.Refused, f.Waits = nil, nil, 0
	f.Turns, f.Misses = 0, 0
	wait := e.Retry.delay(f.Retries, f.Handoff)
	w.add(Entry{Event: EventRetry, Handoff: f.Handoff, From: f.From, To: f.Agent, Attempt: f.Retries + 1, Code: out.Code, Message: out.Error,
		Detail: map[string]any{"after": wait.String()}})
	if wait <= 0 {
		w.proceed(f)
		return true, nil
	}
	f.State, f.Until, f.Wake = FrameWaiting, &Until{For: wait}, w.now.Add(wait)
	f.Again = true
	return true, nil
}

// recover says who takes over from an agent that failed and that nobody
// called.
func (w *work) recover(f *Frame, out *Outcome) error {
	a := w.p.OnFailure
	if a.Do == DoDefault {
		a = w.actionFor(&Failure{Code: out.Code}, w.m.edges[f.Edge])
	}
	w.settleFailed(f, out)
	why := cmp.Or(out.Error, string(out.Code))
	if a.Do == DoDefault || a.Do == ToSource {
		a = Action{Do: FailRun}
		if s := w.p.Supervisor; s != "" && s != f.Agent {
			a = Action{Do: RouteTo, Target: s}
		}
	}
	if a.Do != RouteTo && a.Do != DoEscalate {
		return w.act(f, a, &Refusal{Handoff: f.Handoff, Target: f.Agent, Code: out.Code, Message: why}, nil)
	}
	c := NewCommand(a.Target, ErrorRecovery, fmt.Sprintf("%s failed: %s", f.Agent, why))
	c.Actor, c.Task, c.Payload = BySystem, f.Task, copyPayload(f.Payload, map[string]any{"error": why, "errorCode": string(out.Code)})
	if a.Do == DoEscalate {
		c.Kind, c.Target = Escalate, ""
	}
	return w.hand(f, &given{x: &Execution{Agent: f.Agent}, command: c, rescue: true}, w.id())
}
