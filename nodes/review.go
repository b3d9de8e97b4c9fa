package nodes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/graph"
)

// Review is the question by which a person is asked about calls of tools, in the
// form that chat front ends of this field show. Its answer is a ReviewAnswer.
type Review struct {
	Actions []Action       `json:"action_requests"`
	Configs []ReviewConfig `json:"review_configs"` // one for each action, in their order
}

// Action is a call that a person is asked about.
type Action struct {
	Name        string          `json:"name"`
	Args        json.RawMessage `json:"args"`
	Description string          `json:"description,omitempty"`
}

// ReviewConfig says how an action may be answered.
type ReviewConfig struct {
	Name    string         `json:"action_name"`
	Allowed []DecisionKind `json:"allowed_decisions"`
}

// ReviewAnswer has a decision for each action, in their order. Read from JSON it
// may also be a decision alone, or its kind, which is then that of all actions.
type ReviewAnswer struct {
	Decisions []Decision `json:"decisions"`
}

// Decision is a person's decision about a call.
type Decision struct {
	Kind    DecisionKind `json:"type"`
	Edited  *Action      `json:"edited_action,omitempty"` // of Edit: the arguments to call with
	Message string       `json:"message,omitempty"`       // of Reject: what the model is told
}

// DecisionKind is what a person decides about a call.
type DecisionKind string

// The decisions.
const (
	Approve DecisionKind = "approve"
	Edit    DecisionKind = "edit"
	Reject  DecisionKind = "reject"
)

// UnmarshalJSON reads an answer.
func (a *ReviewAnswer) UnmarshalJSON(data []byte) error {
	type plain ReviewAnswer
	var kind DecisionKind
	var one Decision
	var many []Decision
	switch {
	case json.Unmarshal(data, &kind) == nil && kind != "":
		a.Decisions = []Decision{{Kind: kind}}
	case json.Unmarshal(data, &many) == nil && many != nil:
		a.Decisions = many
	case json.Unmarshal(data, (*plain)(a)) == nil && a.Decisions != nil:
	case json.Unmarshal(data, &one) == nil && one.Kind != "":
		a.Decisions = []Decision{one}
	default:
		return errors.New(`the answer is {"decisions":[{"type":"approve"}, …]}, one for each action; also {"type":"edit","edited_action":{"name":…,"args":{…}}} and {"type":"reject","message":…}`)
	}
	return nil
}

// review asks a person about those calls whose tools want it, in one question.
func (t *turn) review(calls []*toolCall) error {
	var asks []*toolCall
	var q Review
	for _, c := range calls {
		if c.tool == nil || !c.tool.Approve {
			continue
		}
		if _, err := c.tool.arguments(c.args); err != nil {
			continue // the model is told
		}
		asks = append(asks, c)
		q.Actions = append(q.Actions, Action{Name: c.Name, Args: c.args, Description: c.tool.Description})
		q.Configs = append(q.Configs, ReviewConfig{Name: c.Name, Allowed: []DecisionKind{Approve, Edit, Reject}})
	}
	if asks == nil {
		return nil
	}
	decisions, err := t.decisions(&q)
	if err != nil {
		return err
	}
	for i, c := range asks {
		switch d := decisions[i]; d.Kind {
		case Edit:
			t.edit(c, d.Edited.Args)
		case Reject:
			c.refused = "A person has refused this call."
			if d.Message != "" {
				c.refused += " " + d.Message
			}
		}
	}
	return nil
}

// edit gives a call other arguments, also in the message that has it: the model
// must not take the result for that of what it asked.
func (t *turn) edit(c *toolCall, args json.RawMessage) {
	c.args, c.Args, t.edited = args, args, true
	calls := t.made[len(t.made)-1].ToolCalls
	for i := range calls {
		if calls[i].ID == c.ID {
			calls[i].Args = args
		}
	}
}

// decisions asks until there is a decision about each action.
func (t *turn) decisions(q *Review) ([]Decision, error) {
	return decided(t.ctx, t.key("review:%d", t.round), q)
}

// decided asks by keys that begin with key.
func decided(ctx context.Context, key string, q *Review) ([]Decision, error) {
	for try := 0; ; try++ {
		a, err := graph.Interrupt[json.RawMessage](ctx, fmt.Sprintf("%s:%d", key, try), q)
		if err != nil {
			return nil, err
		}
		decisions, problem := readDecisions(q, a)
		if problem == "" {
			return decisions, nil
		}
		again := *q
		again.Actions = append([]Action(nil), q.Actions...)
		again.Actions[0].Description = strings.TrimSpace(q.Actions[0].Description + "\nThe last answer cannot be used: " + problem)
		q = &again
	}
}

// readDecisions reads an answer, and tells what is wrong with it.
func readDecisions(q *Review, data json.RawMessage) ([]Decision, string) {
	var a ReviewAnswer
	if err := a.UnmarshalJSON(data); err != nil {
		return nil, err.Error()
	}
	if len(a.Decisions) == 1 && a.Decisions[0].Kind != Edit {
		for len(a.Decisions) < len(q.Actions) {
			a.Decisions = append(a.Decisions, a.Decisions[0])
		}
	}
	if len(a.Decisions) != len(q.Actions) {
		return nil, fmt.Sprintf("there are %d decisions about %d actions", len(a.Decisions), len(q.Actions))
	}
	for i, d := range a.Decisions {
		var object map[string]any
		switch {
		case d.Kind != Approve && d.Kind != Edit && d.Kind != Reject:
			return nil, fmt.Sprintf("%q is no decision: approve, edit or reject", d.Kind)
		case !slices.Contains(q.Configs[i].Allowed, d.Kind):
			return nil, fmt.Sprintf("%s is not allowed for %q", d.Kind, q.Actions[i].Name)
		case d.Kind != Edit:
		case d.Edited == nil || json.Unmarshal(d.Edited.Args, &object) != nil || object == nil:
			return nil, "edit needs edited_action with args, an object"
		case d.Edited.Name != "" && d.Edited.Name != q.Actions[i].Name:
			return nil, fmt.Sprintf("an edit cannot make a call of %q one of %q", q.Actions[i].Name, d.Edited.Name)
		}
	}
	return a.Decisions, ""
}
