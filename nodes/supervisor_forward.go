package nodes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// context makes what an agent is given that was handed to: the conversation
// without what it is not to see, and its task.
func (o Others) context(in handoffs.ContextInput) ([]state.Message, error) {
	ms := o.of(in.Messages, in.Turn.Agent)
	text, err := taskText(&in.Turn)
	if err != nil || text == "" {
		return ms, err
	}
	return append(slices.Clip(ms), state.Text(state.RoleHuman, text)), nil
}

// taskText tells an agent what it was handed.
func taskText(t *handoffs.Turn) (string, error) {
	if isBlank(t.Task) {
		return "", nil
	}
	how := "hands over to you"
	if t.Called {
		how = "asks you, and waits for your answer"
	}
	text := t.Task
	if t.From != "" {
		text = fmt.Sprintf("[%s] %s: %s", t.From, how, t.Task)
	}
	if t.Intent != "" {
		text += "\nWhat the user wants: " + t.Intent
	}
	if len(t.Payload) > 0 {
		data, err := json.Marshal(t.Payload)
		if err != nil {
			return "", fmt.Errorf("nodes: the payload for agent %q: %w", t.Agent, err)
		}
		text += "\nWhat is known: " + string(data)
	}
	return text, nil
}

const forwardText = `Gives the last answer of an agent to the user, letter by letter, and ends your turn. Call it, and nothing else, when that answer needs no word of yours.`

// forwardTool makes the tool forward_message of an agent with workers.
func forwardTool[S any](fields handoffs.Binding[S], workers []string) Tool {
	schema := `{"type":"object","properties":{"agent":{"type":"string","enum":` + string(jsonOf(workers)) +
		`,"description":"Whose answer; the last one's if left out."}},"additionalProperties":false}`
	return Tool{Name: "forward_message", Description: forwardText, Schema: json.RawMessage(schema), Ends: true, MaxResult: -1,
		Run: func(ctx context.Context, args json.RawMessage) (string, error) {
			var in struct{ Agent string }
			if err := json.Unmarshal(args, &in); err != nil {
				return "", err
			}
			s, ok := StateOf[S](ctx)
			if !ok {
				return "", errors.New("nodes: forward_message is a tool of supervisors")
			}
			look, err := fields.Look(&s)
			if err != nil {
				return "", err
			}
			of := workers
			if in.Agent != "" {
				of = []string{in.Agent}
			}
			return lastAnswer(look.Messages, of)
		}}
}

// lastAnswer is what the last of several agents has answered.
func lastAnswer(ms []state.Message, of []string) (string, error) {
	for _, m := range slices.Backward(ms) {
		if m.Role == state.RoleAI && len(m.ToolCalls) == 0 && slices.Contains(of, m.Name) && !isBlank(m.Text()) {
			return m.Text(), nil
		}
	}
	return "", fmt.Errorf("there is no answer of %s to forward; call it first, or answer yourself", strings.Join(of, " or "))
}
