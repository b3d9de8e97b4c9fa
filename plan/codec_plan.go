package plan

import (
	"encoding/json"

	"github.com/graphrun/graphrun/state"
)

func (w *writer) plan(key string, p *Plan) {
	if p == nil {
		return
	}
	w.object(key, func() {
		w.text("id", p.ID)
		w.whole("version", p.Version)
		w.text("goal", p.Goal)
		w.text("order", string(p.Order))
		w.list("steps", len(p.Steps), func(i int) { w.step(&p.Steps[i]) })
		w.flag("more", p.More)
	})
}

func (w *writer) step(s *Step) {
	w.object("", func() {
		w.must("id", s.ID)
		w.text("agent", s.Agent)
		w.text("capability", s.Capability)
		w.text("task", s.Task)
		w.values("input", s.Input)
		writeTexts(w, "depends_on", s.DependsOn)
		w.accept(s.Accept)
		w.retry(s.Retry)
		w.span("timeout", s.Timeout)
		if f := s.OnFailure; f != nil {
			w.object("on_failure", func() {
				w.text("do", string(f.Do))
				writeTexts(w, "to", f.To)
			})
		}
		w.text("status", string(s.Status))
		w.outcome("result", s.Result)
	})
}

func (w *writer) accept(a *Accept) {
	if a == nil {
		return
	}
	w.object("accept", func() {
		w.text("if", a.If)
		w.raw("schema", a.Schema)
		w.text("check", a.Check)
	})
}

// raw writes JSON in the form that all JSON of a state has.
func (w *writer) raw(key string, data json.RawMessage) {
	if len(data) == 0 {
		return
	}
	w.key(key)
	v, err := state.ParseAny(data)
	if err != nil {
		w.fail(err)
		return
	}
	w.any(key, v)
}

func (w *writer) retry(r *Retry) {
	if r == nil {
		return
	}
	w.object("retry", func() {
		w.whole("max", r.Max)
		w.span("initial", r.Initial)
		w.float("factor", r.Factor)
		w.span("most", r.Most)
	})
}

func (w *writer) outcome(key string, r *Result) {
	if r == nil {
		return
	}
	w.object(key, func() {
		w.text("text", r.Text)
		w.value("value", r.Value)
		w.values("outputs", r.Outputs)
		w.text("agent", r.Agent)
		w.usage("spent", r.Spent)
	})
}

func (w *writer) progress(p *Progress) {
	w.object("", func() {
		w.text("status", string(p.Status))
		w.whole("version", p.Version)
		w.whole("met", p.Met)
		w.whole("attempt", p.Attempt)
		w.text("agent", p.Agent)
		writeTexts(w, "tried", p.Tried)
		w.flag("raised", p.Raised)
		w.text("code", string(p.Code))
		w.text("error", p.Error)
		w.outcome("result", p.Result)
		w.time("begun", p.Begun)
		w.time("ended", p.Ended)
	})
}

func (w *writer) course(c *Course) {
	w.object("", func() {
		w.text("phase", string(c.Phase))
		w.text("plan", c.Plan)
		w.whole("version", c.Version)
		w.number("cursor", c.Cursor)
		w.whole("left", c.Left)
		writeTexts(w, "open", c.Open)
		writeTexts(w, "ready", c.Ready)
		w.whole("root", c.Root)
		w.whole("replans", c.Replans)
		w.whole("stalls", c.Stalls)
		w.cause(c.Cause)
		w.whole("seq", c.Seq)
		w.whole("heard", c.Heard)
		w.whole("asked", c.Asked)
		w.text("answer", c.Answer)
		w.ledger(c.Ledger)
	})
}

func (w *writer) cause(c *Cause) {
	if c == nil {
		return
	}
	w.object("cause", func() {
		w.text("step", c.Step)
		w.text("agent", c.Agent)
		w.text("code", string(c.Code))
		w.text("text", c.Text)
	})
}

func (w *writer) ledger(l *Ledger) {
	if l == nil {
		return
	}
	w.object("ledger", func() {
		writeTexts(w, "facts", l.Facts)
		writeTexts(w, "lookup", l.Lookup)
		writeTexts(w, "derive", l.Derive)
		writeTexts(w, "guesses", l.Guesses)
	})
}

func (w *writer) event(e *Event) {
	w.object("", func() {
		w.number("seq", e.Seq)
		w.mustTime("at", e.At)
		w.must("event", e.Event)
		w.plan("plan", e.Plan)
		w.whole("version", e.Version)
		w.text("step", e.Step)
		w.text("agent", e.Agent)
		w.whole("attempt", e.Attempt)
		w.text("handoff", e.Handoff)
		w.text("code", string(e.Code))
		w.text("message", e.Message)
	})
}
