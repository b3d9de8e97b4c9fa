package team

import (
	"math"

	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/graphfile/internal/task"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/internal/expression"
)

// wait ends a turn until something happens.
type wait struct{ until handoffs.Until }

// wait reads {signals, count, for}.
func (r *reader) wait(n *source.Node) act {
	f := r.Rep.Fields(n, `"wait"`)
	w := &wait{handoffs.Until{Signals: texts(f, "signals"), Count: count(f, "count", 1)}}
	w.until.For, _ = f.Duration("for", 1, task.Longest)
	if f.Done() && !f.Has("signals") && !f.Has("for") {
		r.Rep.Errorf(n.Pos, `"wait" needs "signals" or "for", or it never ends`)
	}
	if f.Has("count") && !f.Has("signals") {
		r.Rep.Errorf(f.KeyPos("count"), `"count" counts the signals, and "signals" names none`)
	}
	return w
}

func (w *wait) command(*task.View) (handoffs.Command, error) {
	until := w.until
	return handoffs.Command{Type: handoffs.CommandType, Kind: handoffs.Wait, Until: &until}, nil
}

// refuse gives back the handoff that the agent was given.
type refuse struct{ reason *slot }

func (e *refuse) command(v *task.View) (handoffs.Command, error) {
	reason, err := e.reason.text(v)
	c := handoffs.Command{Type: handoffs.CommandType, Kind: handoffs.Refuse, Explanation: reason}
	c.Result = &handoffs.Outcome{Status: handoffs.Rejected, Code: handoffs.CodeRefused, Error: reason}
	return c, err
}

// returning ends the work that the agent was called for.
type returning struct {
	text, value, outputs, status, error, code *slot
	retryable                                 bool
	missing                                   []string
	state                                     string
}

// returns reads a text, or {text, value, outputs, status, …}.
func (r *reader) returns(n *source.Node, scope expression.Scope) act {
	if n.Kind == source.String {
		return &returning{text: r.value(n, "return", scope)}
	}
	f := r.Rep.Fields(orEmpty(n), `"return"`)
	e := &returning{
		text: r.textAt(f, "text", scope), value: r.value(f.Take("value"), "value", scope),
		outputs: r.valueAt(f, "outputs", scope, expression.Map), error: r.textAt(f, "error", scope),
		status:  r.wordAt(f, "status", scope, string(handoffs.Completed), string(handoffs.Partial), string(handoffs.Failed)),
		code:    r.wordAt(f, "code", scope, asTexts(codes())...),
		missing: texts(f, "missing"), state: r.stateAt(f, "state"),
	}
	e.retryable, _ = f.Bool("retryable")
	f.Done()
	return e
}

func (e *returning) command(v *task.View) (handoffs.Command, error) {
	out := &handoffs.Outcome{Retry: e.retryable, Missing: e.missing}
	c := handoffs.Command{Type: handoffs.CommandType, Kind: handoffs.Return, Result: out, State: e.state}
	var status, code string
	for _, t := range []struct {
		to   *string
		from *slot
	}{{&out.Text, e.text}, {&out.Error, e.error}, {&status, e.status}, {&code, e.code}} {
		var err error
		if *t.to, err = t.from.text(v); err != nil {
			return c, err
		}
	}
	out.Status, out.Code = handoffs.Status(status), handoffs.Code(code)
	switch {
	case status == "" && e.error != nil:
		out.Status = handoffs.Failed
	case status == "":
		out.Status = handoffs.Completed
	}
	var err error
	if out.Value, err = e.value.any(v); err != nil {
		return c, err
	}
	out.Outputs, err = e.outputs.object(v)
	return c, err
}

// limitsAt reads what a handoff may use.
func (r *reader) limitsAt(f *source.Fields, key string) handoffs.Limits {
	if !f.Has(key) {
		return handoffs.Limits{}
	}
	return r.limits(f.Fields(key, quote(key)))
}

// limits reads bounds. No handoffs at all is 0 in a file.
func (r *reader) limits(f *source.Fields) handoffs.Limits {
	l := handoffs.Limits{
		Tokens: count(f, "tokens", 1), Agents: count(f, "agents", 1), Depth: count(f, "depth", 1), Turns: count(f, "turns", 1),
	}
	if n, ok := f.Int("handoffs", 0, math.MaxInt32); ok {
		if l.Handoffs = int(n); n == 0 {
			l.Handoffs = -1
		}
	}
	l.Time, _ = f.Duration("time", 1, task.Longest)
	f.Done()
	return l
}
