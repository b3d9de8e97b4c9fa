package nodes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

const taskSchema = `{"type":"object","properties":{"task":{"type":"string","minLength":1,` +
	`"description":"All that is to be done, and all that must be known for it: nothing else of this conversation is told."}},` +
	`"required":["task"],"additionalProperties":false}`

// AsTool makes a tool of an agent: it is called with a task, works on it with its
// own model and tools in a conversation of its own, and its answer is the result.
// Nobody else sees that conversation, and it is gone behind the call.
//
// Each call of its model and tools is kept with the caller's task, as the
// caller's own are. Questions of its tools and reviews pause the run. What it
// costs is counted with what the caller costs. What it fails with, its limits
// included, is told the caller. It has no time limit but Limits.Time.
//
// The agent's name is the tool's, if it has none. Prompt gets the caller's
// state. Messages and Usage must be nil; Output checks the answer, which is then
// JSON, and writes nothing; Handoffs is of no use.
func AsTool[S any](name, description string, cfg AgentConfig[S]) (Tool, error) {
	var problems []error
	if cfg.Messages != nil {
		problems = append(problems, errors.New("its Messages must be nil: the conversation is its own"))
	}
	if cfg.Usage != nil {
		problems = append(problems, errors.New("its Usage must be nil: its calls are counted with the caller's"))
	}
	if err := errors.Join(problems...); err != nil {
		return Tool{}, fmt.Errorf("nodes: the agent of tool %q: %w", name, err)
	}
	if cfg.Name == "" {
		cfg.Name = name
	}
	a, err := NewAgent(cfg)
	if err != nil {
		return Tool{}, err
	}
	t := Tool{Name: name, Description: description, Schema: json.RawMessage(taskSchema), Timeout: -1, Run: a.work}
	if err := t.check(); err != nil {
		return Tool{}, fmt.Errorf("nodes: %w", err)
	}
	return t, nil
}

// work does a task that a tool's call brings.
func (a *Agent[S]) work(ctx context.Context, args json.RawMessage) (string, error) {
	var in struct{ Task string }
	if err := json.Unmarshal(args, &in); err != nil {
		return "", fmt.Errorf("the arguments cannot be read: %w", err)
	}
	t, err := a.errand(ctx, in.Task)
	if err != nil {
		return "", err
	}
	defer t.close()
	err = t.run()
	Charge(ctx, t.spent, t.calls+t.theirs)
	switch {
	case err != nil:
		return "", err
	case t.value != nil:
		return string(t.value), nil
	}
	return t.made[len(t.made)-1].Text(), nil
}

// errand begins a turn inside of a tool's call.
func (a *Agent[S]) errand(ctx context.Context, task string) (*turn, error) {
	call, ok := CallOf(ctx)
	if !ok {
		return nil, fmt.Errorf("nodes: agent %q is a tool, and was not called by an agent", a.core.name)
	}
	t := &turn{core: &a.core, instructions: a.cfg.Instructions, prefix: call.key + "/"}
	var err error
	if t.info, err = graph.Task(ctx); err != nil {
		return nil, err
	}
	if a.cfg.Prompt != nil {
		s, ok := StateOf[S](ctx)
		if !ok {
			return nil, fmt.Errorf("nodes: agent %q: its Prompt takes a %T, and the caller's state is another", a.core.name, s)
		}
		if t.instructions, err = a.cfg.Prompt(s); err != nil {
			return nil, err
		}
	}
	t.given = []state.Message{state.Text(state.RoleHuman, strings.TrimSpace(task))}
	t.all = t.given
	t.begin(ctx)
	return t, nil
}

// answerByTool makes the agent's answer of what the tools gave that end a turn.
func (t *turn) answerByTool(calls []*toolCall) {
	var texts []string
	var at time.Time
	for _, c := range calls {
		if c.tool != nil && c.tool.Ends && !c.result.Failed {
			texts, at = append(texts, c.result.Text), c.result.At
		}
	}
	m := state.Text(state.RoleAI, strings.Join(texts, "\n\n"))
	m.ID, m.Name, m.Time = t.id("answer", "msg_"), t.agent(), at
	t.made = append(t.made, m)
}
