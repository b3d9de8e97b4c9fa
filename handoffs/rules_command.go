package handoffs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// make makes the command of a rule that fired. What speaks against the command
// is the firing's error: the rule's group is taken all the same, so that no
// other rule steps in for one that is broken.
func (c *ruleChoice) make(r *Rule, because string, made int, problem error) Firing {
	f := Firing{Rule: r, Command: Command{
		Type: CommandType, Kind: r.kind(), Target: r.To, Reason: r.Reason, Priority: r.Priority,
		Actor: ByRule, Trigger: c.ev.Trigger, ReturnControl: r.kind() == Call,
	}}
	if r.To == "" {
		f.Command.Capability = r.Capability
	}
	if r.Retry != nil {
		retry := *r.Retry
		retry.Initial = cmp.Or(retry.Initial, c.rules.Backoff)
		f.After = retry.delay(made+1, c.ev.ID+"/"+r.Name)
	}
	code := CodeGuard
	if problem == nil {
		code, problem = c.complete(r, &f.Command)
	}
	if problem != nil {
		f.Err = c.failure(r, &f.Command, code, problem)
	}
	c.tell(r, because, &f.Command)
	c.payload = c.ev.Payload
	return f
}

// complete computes what a command has from the facts.
func (c *ruleChoice) complete(r *Rule, to *Command) (code Code, err error) {
	if to.Payload, err = c.payloadOf(r); err != nil {
		return CodePayload, err
	}
	c.payload = to.Payload
	if to.Priority, err = c.priority(r); err != nil {
		return CodePayload, err
	}
	if to.State, err = c.next(r); err != nil {
		return CodeGuard, err
	}
	if c.m != nil && to.State != "" {
		if err := c.m.move(c.ev.State, to.State); err != nil {
			return CodeTransition, err
		}
	}
	return "", nil
}

// failure is the error of a firing. That of a transition says nothing but which
// one, others name the rule and its place.
func (c *ruleChoice) failure(r *Rule, to *Command, code Code, err error) *Error {
	text := err.Error()
	if code != CodeTransition {
		text = r.title() + ": " + text
	}
	return &Error{Code: code, Codes: []Code{code}, From: c.ev.Agent, To: cmp.Or(to.Target, to.Capability), Message: text, Err: err}
}

// title names a rule with its place.
func (r *Rule) title() string {
	if r.Place == "" {
		return "rule " + r.Name
	}
	return "rule " + r.Name + " (" + r.Place + ")"
}

// eval computes a value; one without a function gives none.
func (v *Value) eval(facts Facts) (any, error) {
	if v == nil || v.Eval == nil {
		return nil, nil
	}
	return v.Eval(facts)
}

// priority is the rule's priority, or what its urgency raises that to.
func (c *ruleChoice) priority(r *Rule) (Priority, error) {
	v, err := r.Urgency.eval(c.see)
	if err != nil {
		return r.Priority, fmt.Errorf("urgency: %w", err)
	}
	var raised Priority
	switch x := v.(type) {
	case nil:
		return r.Priority, nil
	case Priority:
		raised = x
	case string:
		raised = Priority(strings.ToLower(x))
	}
	by, was := slices.Index(priorities(), raised), slices.Index(priorities(), cmp.Or(r.Priority, Normal))
	switch {
	case by < 0:
		return r.Priority, fmt.Errorf("urgency: %s is no priority; use urgent, high, normal or low", explainValue(v))
	case by < was:
		return raised, nil
	}
	return r.Priority, nil
}

// priorities are all priorities, most urgent first.
func priorities() []Priority { return []Priority{Urgent, High, Normal, Low} }

// next is the workflow's state behind a rule.
func (c *ruleChoice) next(r *Rule) (string, error) {
	if r.Again == "" {
		return r.Next, nil
	}
	if c.rules.Retries == nil {
		if c.payload["retryable"] == true {
			return r.Again, nil
		}
		return r.Next, nil
	}
	again, _, err := c.rules.Retries.test(c.see)
	if err != nil {
		return "", fmt.Errorf("retries: %w", err)
	}
	if again {
		return r.Again, nil
	}
	return r.Next, nil
}

// tell fills the texts of a command.
func (c *ruleChoice) tell(r *Rule, because string, to *Command) {
	to.Explanation, to.Task = r.Explanation, r.Task
	if to.Explanation == "" {
		to.Explanation = because
	}
	look := func(name string) (any, bool) {
		switch name {
		case "rule":
			return r.Name, true
		case "source":
			return c.ev.Agent, true
		case "target":
			return cmp.Or(to.Target, to.Capability), true
		case "capability":
			return to.Capability, true
		}
		return factAt(c.see, name)
	}
	to.Explanation, to.Task = explainFill(to.Explanation, look), explainFill(to.Task, look)
}
