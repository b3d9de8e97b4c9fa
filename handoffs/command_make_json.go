package handoffs

import (
	"encoding/json"
	"fmt"
)

// Encode writes the command as JSON, as ParseCommand reads it; equal commands
// give equal bytes. An empty Type is written as CommandType. A payload that
// holds other values than package state keeps in any, text that is not UTF-8
// and nesting deeper than 100 levels are errors, told with their path in a
// *CommandError.
func (c Command) Encode() (json.RawMessage, error) {
	room := 160 + len(c.Target) + len(c.Explanation) + len(c.Intent) + len(c.Task) + 32*len(c.Payload)
	w := jsonWriter{buf: make([]byte, 0, room)}
	w.command("", &c)
	if w.problems != nil {
		return nil, &CommandError{Problems: w.problems}
	}
	return w.buf, nil
}

// MarshalJSON is Encode.
func (c Command) MarshalJSON() ([]byte, error) { return c.Encode() }

func (w *jsonWriter) command(key string, c *Command) {
	w.open(key)
	if c.Type != "" && c.Type != CommandType {
		w.problem(&w.path, fmt.Sprintf("type: want %q, got %q", CommandType, shortJSON(c.Type)))
	}
	w.must("type", CommandType)
	w.text("kind", string(c.Kind))
	w.must("targetAgentId", c.Target)
	w.text("capability", c.Capability)
	writeTexts(w, "requiredCapabilities", c.Needs)
	w.text("reason", string(c.Reason))
	w.text("explanation", c.Explanation)
	w.text("userIntent", c.Intent)
	w.values("payload", c.Payload)
	w.text("task", c.Task)
	w.flag("returnControl", c.ReturnControl)
	w.text("priority", string(c.Priority))
	w.text("actor", string(c.Actor))
	w.text("planStepId", c.PlanStep)
	w.text("class", c.Class)
	w.text("workflowState", c.State)
	w.text("trigger", c.Trigger)
	w.text("traceId", c.Trace)
	w.list("branches", len(c.Branches), func(i int) { w.branch(&c.Branches[i]) })
	w.join("join", &c.Join)
	w.text("token", c.Token)
	w.outcome("result", c.Result)
	w.until("until", c.Until)
	w.usage("usage", &c.Usage)
	w.limits("budget", &c.Budget)
	w.close(key)
}

func (w *jsonWriter) branch(b *Branch) {
	w.open("")
	w.text("name", b.Name)
	w.text("targetAgentId", b.Target)
	w.text("capability", b.Capability)
	w.text("task", b.Task)
	w.values("payload", b.Payload)
	w.limits("budget", &b.Budget)
	w.close("")
}

// join writes a join that is not zero.
func (w *jsonWriter) join(key string, j *Join) {
	if *j == (Join{}) {
		return
	}
	w.open(key)
	w.whole("need", int64(j.Need))
	w.flag("partial", j.Partial)
	w.text("resolve", j.Resolve)
	w.whole("timeout", int64(j.Timeout))
	w.close(key)
}

// outcome writes an outcome; nil is left out.
func (w *jsonWriter) outcome(key string, o *Outcome) {
	if o == nil {
		return
	}
	w.open(key)
	w.must("status", string(o.Status))
	w.text("text", o.Text)
	w.value("value", o.Value)
	w.values("outputs", o.Outputs)
	w.text("error", o.Error)
	w.text("code", string(o.Code))
	w.flag("retryable", o.Retry)
	writeTexts(w, "missing", o.Missing)
	w.whole("iterations", int64(o.Turns))
	w.close(key)
}

// until writes an Until; nil is left out.
func (w *jsonWriter) until(key string, u *Until) {
	if u == nil {
		return
	}
	w.open(key)
	writeTexts(w, "signals", u.Signals)
	w.whole("count", int64(u.Count))
	w.whole("for", int64(u.For))
	w.close(key)
}

// usage writes a usage that is not zero.
func (w *jsonWriter) usage(key string, u *Usage) {
	if *u == (Usage{}) {
		return
	}
	w.open(key)
	w.whole("tokens", int64(u.Tokens))
	w.whole("calls", int64(u.Calls))
	w.whole("elapsed", int64(u.Time))
	w.close(key)
}

// limits writes limits that are not zero.
func (w *jsonWriter) limits(key string, l *Limits) {
	if *l == (Limits{}) {
		return
	}
	w.open(key)
	w.whole("handoffs", int64(l.Handoffs))
	w.whole("tokens", int64(l.Tokens))
	w.whole("agents", int64(l.Agents))
	w.whole("depth", int64(l.Depth))
	w.whole("turns", int64(l.Turns))
	w.whole("time", int64(l.Time))
	w.close(key)
}
