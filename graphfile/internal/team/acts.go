package team

import (
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/graphfile/internal/task"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/internal/expression"
)

// act is one thing by which a turn ends.
type act interface {
	// command makes the command for what the script sees.
	command(v *task.View) (handoffs.Command, error)
}

// acts reads the keys by which a turn ends. They are done in this order,
// whatever the order of the file.
func (r *reader) acts(f *source.Fields, scope expression.Scope) []act {
	var out []act
	for _, n := range f.OneOrMany("handoff") {
		out = append(out, r.handoff(n, scope))
	}
	for _, n := range f.OneOrMany("spawn") {
		out = append(out, r.spawn(n, scope))
	}
	if n := f.Take("resume"); n != nil {
		out = append(out, &resume{token: r.textAt(f, "resume", scope)})
	}
	for _, n := range f.OneOrMany("emit") {
		out = append(out, r.emit(n, scope))
	}
	if n := f.Take("wait"); n != nil {
		out = append(out, r.wait(n))
	}
	if n := f.Take("refuse"); n != nil {
		out = append(out, &refuse{reason: r.textAt(f, "refuse", scope)})
	}
	if n := f.Take("return"); n != nil {
		out = append(out, r.returns(n, scope))
	}
	return out
}

// about is what handoffs of several kinds have in common.
type about struct {
	reason, explanation, intent, task, trace, step *slot
	payload, priority                              *slot
	class, trigger, state                          string
	needs                                          []string
	budget                                         handoffs.Limits
}

// about reads the keys that say what a handoff is about.
func (r *reader) about(f *source.Fields, scope expression.Scope) about {
	a := about{
		reason: r.textAt(f, "reason", scope), explanation: r.textAt(f, "explanation", scope),
		intent: r.textAt(f, "intent", scope), task: r.textAt(f, "task", scope),
		trace: r.textAt(f, "trace", scope), step: r.textAt(f, "plan_step", scope),
		payload:  r.valueAt(f, "payload", scope, expression.Map),
		priority: r.wordAt(f, "priority", scope, asTexts(priorities())...),
		needs:    texts(f, "needs"),
	}
	a.class = r.classAt(f)
	a.trigger, _ = f.Text("trigger")
	a.state = r.stateAt(f, "state")
	a.budget = r.limitsAt(f, "budget")
	return a
}

// fill makes the command's part of it.
func (a *about) fill(c *handoffs.Command, v *task.View) error {
	var reason, priority string
	for _, t := range []struct {
		to   *string
		from *slot
	}{
		{&reason, a.reason}, {&c.Explanation, a.explanation}, {&c.Intent, a.intent}, {&c.Task, a.task},
		{&c.Trace, a.trace}, {&c.PlanStep, a.step}, {&priority, a.priority},
	} {
		var err error
		if *t.to, err = t.from.text(v); err != nil {
			return err
		}
	}
	var err error
	c.Reason, c.Priority = handoffs.Reason(reason), handoffs.Priority(priority)
	c.Class, c.Trigger, c.State, c.Needs, c.Budget = a.class, a.trigger, a.state, a.needs, a.budget
	c.Payload, err = a.payload.object(v)
	return err
}

// handoff is a transfer, a call or an escalation.
type handoff struct {
	about
	kind, to, capability *slot
	returns              bool
}

// handoff reads {to | capability, kind, …}.
func (r *reader) handoff(n *source.Node, scope expression.Scope) act {
	f := r.Rep.Fields(n, "a handoff")
	h := &handoff{about: r.about(f, scope)}
	h.kind = r.wordAt(f, "kind", scope, string(handoffs.Transfer), string(handoffs.Call), string(handoffs.Escalate))
	h.returns, _ = f.Bool("return_control")
	one := f.AtMostOne("to", "capability")
	h.to, h.capability = r.targetAt(f, "to", scope), r.textAt(f, "capability", scope)
	kind := f.Take("kind")
	if f.Done() && one == "" && (kind == nil || kind.Text != string(handoffs.Escalate) && !dynamic(kind)) {
		r.Rep.Errorf(n.Pos, `a handoff needs "to" or "capability"`).Hint = "only one of the kind escalate knows whom to go to"
	}
	return h
}

func (h *handoff) command(v *task.View) (handoffs.Command, error) {
	c := handoffs.Command{Type: handoffs.CommandType, ReturnControl: h.returns}
	if err := h.fill(&c, v); err != nil {
		return c, err
	}
	kind, err := h.kind.text(v)
	if err != nil {
		return c, err
	}
	c.Kind = handoffs.Kind(kind)
	if c.Target, err = h.to.text(v); err != nil {
		return c, err
	}
	c.Capability, err = h.capability.text(v)
	return c, err
}

// emit names a trigger of the handoff rules, or moves the workflow.
type emit struct {
	trigger, state string
	payload        *slot
}

// emit reads a trigger's name, or {trigger, payload, state}.
func (r *reader) emit(n *source.Node, scope expression.Scope) act {
	if n.Kind == source.String {
		return &emit{trigger: n.Text}
	}
	f := r.Rep.Fields(n, "an emit")
	e := &emit{payload: r.valueAt(f, "payload", scope, expression.Map), state: r.stateAt(f, "state")}
	e.trigger, _ = f.Text("trigger")
	if f.Done() && !f.Has("trigger") && !f.Has("state") {
		r.Rep.Errorf(n.Pos, `an emit needs "trigger" or "state"`)
	}
	return e
}

func (e *emit) command(v *task.View) (handoffs.Command, error) {
	c := handoffs.Command{Type: handoffs.CommandType, Kind: handoffs.Report, Trigger: e.trigger, State: e.state}
	var err error
	c.Payload, err = e.payload.object(v)
	return c, err
}

// resume goes on with agents that were set aside.
type resume struct{ token *slot }

func (e *resume) command(v *task.View) (handoffs.Command, error) {
	token, err := e.token.text(v)
	return handoffs.Command{Type: handoffs.CommandType, Kind: handoffs.Resume, Token: token}, err
}
