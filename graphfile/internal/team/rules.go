package team

import (
	"math"
	"slices"
	"strconv"

	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/graphfile/internal/task"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/internal/expression"
)

// rules reads the section rules: a list, or {list, backoff, retries, …}.
func (r *reader) rules() *handoffs.Rules {
	out := &handoffs.Rules{}
	n := r.Rules
	if n.Kind == source.Map {
		f := r.Rep.Fields(n, `"rules"`)
		out.Backoff, _ = f.Duration("backoff", 1, task.Longest)
		out.Retries = r.guard(f.Take("retries"), r.ruleScope(nil))
		r.expect(f, out)
		n = f.Need("list")
		f.Done()
	}
	names := map[string]bool{}
	for i, item := range r.ways(n, `"rules"`) {
		rule := r.rule(item)
		if rule.Name == "" {
			rule.Name = strconv.Itoa(i + 1)
		}
		if names[rule.Name] {
			r.Rep.Errorf(item.Pos, "two rules are named %q", rule.Name)
		}
		names[rule.Name] = true
		out.List = append(out.List, rule)
	}
	return out
}

// expect reads how many handoffs a run without errors makes, by the state or
// agent that it ends with.
func (r *reader) expect(f *source.Fields, to *handoffs.Rules) {
	to.Expect, to.ExpectAt = map[string]int{}, map[string]string{}
	for _, e := range f.Entries("expect") {
		known := r.states
		what := "state"
		if r.states == nil {
			known, what = r.ids, "agent"
		}
		if !slices.Contains(known, e.Key) {
			r.Rep.Unknown(e.KeyPos, what, e.Key, known)
		}
		n, _ := r.Rep.Int(e.Value, quote(e.Key), 0, math.MaxInt32)
		to.Expect[e.Key], to.ExpectAt[e.Key] = int(n), r.Place(e.KeyPos)
	}
}

// ruleScope has the names of a rule's expressions: the payload is that of the
// trigger.
func (r *reader) ruleScope(payload *expression.Shape) expression.Scope {
	return r.guardScope(payload).With("trigger", kindOf(expression.String))
}

// rule reads one handoff rule.
func (r *reader) rule(n *source.Node) handoffs.Rule {
	f := r.Rep.Fields(n, "a rule")
	scope := r.ruleScope(nil)
	rule := handoffs.Rule{
		Place: r.Place(n.Pos), From: r.agentNames(f, "from"), Triggers: texts(f, "on"),
		When: r.guard(f.Take("when"), scope), Next: r.stateAt(f, "next"), Again: r.stateAt(f, "again"),
		Kind:     wordOf(f, "kind", handoffs.Transfer, handoffs.Call, handoffs.Escalate),
		Priority: wordOf(f, "priority", priorities()...), Urgency: r.valueOf(f.Take("urgency"), "urgency", scope),
		Limits: r.limitsAt(f, "limits"), Retry: r.retry(f), Context: r.contextAt(f, "context"),
		OnReject: r.onReject(f, "on_reject", nil), Payload: r.rulePayload(f, scope),
	}
	rule.Name = r.ruleName(f)
	one := f.AtMostOne("to", "capability")
	rule.To = r.agentAt(f, "to")
	if one == "capability" {
		rule.Capability, _ = f.Text("capability")
	}
	reason, _ := f.Text("reason")
	rule.Reason = handoffs.Reason(reason)
	rule.Explanation, _ = f.Text("explanation")
	rule.Task, _ = f.Text("task")
	rule.Group, _ = f.Text("group")
	order, _ := f.Int("order", math.MinInt32, math.MaxInt32)
	rule.Order = int(order)
	if f.Has("approval") {
		rule.Approval = r.approval(f, "approval")
	}
	if f.Done() && one == "" && rule.Kind != handoffs.Escalate {
		r.Rep.Errorf(n.Pos, `a rule needs "to" or "capability"`)
	}
	return rule
}

// ruleName reads the name of a rule, which may look like a number.
func (r *reader) ruleName(f *source.Fields) string {
	n := f.Take("name")
	if n != nil && (n.Kind == source.Int || n.Kind == source.Float) {
		return n.Text
	}
	name, _ := f.Text("name")
	return name
}

// rulePayload reads what a rule puts into the payload: {key: value}, where a
// value may hold expressions, or {key: {from, type, optional, enum}}. A key
// without from is taken from the trigger's payload.
func (r *reader) rulePayload(f *source.Fields, scope expression.Scope) []handoffs.RulePayload {
	if !f.Has("payload") {
		return nil
	}
	out := []handoffs.RulePayload{}
	for _, e := range f.Entries("payload") {
		p := handoffs.RulePayload{PayloadField: handoffs.PayloadField{Key: e.Key}}
		if e.Value.Kind != source.Map {
			p.From = r.valueOf(e.Value, "payload", scope)
			out = append(out, p)
			continue
		}
		g := r.Rep.Fields(e.Value, "a key of a payload")
		p.Type = wordOf(g, "type", types()...)
		p.Optional, _ = g.Bool("optional")
		p.Enum = r.constants(g, "enum")
		p.From = r.valueOf(g.Take("from"), "from", scope)
		g.Done()
		out = append(out, p)
	}
	return out
}
