package nodes

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/graphrun/graphrun/internal/schemacheck"
	"github.com/graphrun/graphrun/state"
)

// Tool is a function that a model may call. NewTool makes one of a Go function.
type Tool struct {
	Name        string // letters, digits, "_" and "-", at most 64
	Description string
	// Schema is the JSON Schema of the arguments, an object's; nil: any object.
	// Arguments that do not fit are told to the model, and Run is not called.
	Schema json.RawMessage
	// Run does the work, and returns what the model is told. It may be called by
	// several goroutines at once. In ctx there are the call (CallOf), the state
	// (StateOf) and all that a node's context has: graph.Interrupt asks a person,
	// by a key that the tool does not use twice.
	Run func(ctx context.Context, args json.RawMessage) (string, error)

	// Timeout bounds one call; 0: two minutes; less: none. A tool that does not
	// end when its context does is left behind, and the model is told.
	Timeout time.Duration
	// MaxResult is how many bytes of the result the model is told; 0: 64 KiB;
	// less: all.
	MaxResult int
	// Strict makes an error of the tool one of the run. Else the model is told.
	Strict bool
	// Alone keeps other tools of the same answer from running beside it.
	Alone bool
	// Ends ends the turn: what the tool returns is the agent's answer.
	Ends bool
	// Approve asks a person before each call; see Review.
	Approve bool
	// Grant is the right that an agent's stay in a team must have for it, if it
	// names any; "": the tool's name.
	Grant string

	checker *schemacheck.Schema
}

// NewTool makes a tool of a function. The arguments' schema is that of In, a
// struct or a map, as encoding/json reads it, with the descriptions of tags
// "jsonschema". A string is told the model as it is, another Out as JSON.
func NewTool[In, Out any](name, description string, fn func(ctx context.Context, in In) (Out, error)) (Tool, error) {
	schema, err := schemaOf[In]()
	if err != nil {
		return Tool{}, fmt.Errorf("nodes: tool %q: %w", name, err)
	}
	t := Tool{Name: name, Description: description, Schema: schema, Run: func(ctx context.Context, args json.RawMessage) (string, error) {
		var in In
		if err := json.Unmarshal(args, &in); err != nil {
			return "", fmt.Errorf("the arguments cannot be read: %w", err)
		}
		out, err := fn(ctx, in)
		if err != nil {
			return "", err
		}
		return resultText(out)
	}}
	return t, t.check()
}

// MustTool is NewTool for tools whose types are known to be fine; it panics on
// an error.
func MustTool[In, Out any](name, description string, fn func(ctx context.Context, in In) (Out, error)) Tool {
	t, err := NewTool(name, description, fn)
	if err != nil {
		panic(err)
	}
	return t
}

// resultText is what a model is told of a result.
func resultText(out any) (string, error) {
	if text, ok := out.(string); ok {
		return text, nil
	}
	data, err := json.Marshal(out)
	if err != nil {
		return "", fmt.Errorf("the result has no JSON form: %w", err)
	}
	return string(data), nil
}

// check tells what is wrong with a tool, and makes its schema ready.
func (t *Tool) check() error {
	switch {
	case !isToolName(t.Name):
		return fmt.Errorf("a tool has the name %q; it must be letters, digits, \"_\" and \"-\", at most 64", t.Name)
	case t.Run == nil:
		return fmt.Errorf("tool %q has no Run", t.Name)
	case t.Schema == nil:
		return nil
	}
	var object struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(t.Schema, &object); err != nil || object.Type != "object" {
		return fmt.Errorf("the schema of tool %q must be that of an object", t.Name)
	}
	var err error
	if t.checker, err = schemacheck.Compile(t.Schema); err != nil {
		return fmt.Errorf("the schema of tool %q: %w", t.Name, err)
	}
	return nil
}

func isToolName(name string) bool {
	for _, c := range []byte(name) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-') {
			return false
		}
	}
	return name != "" && len(name) <= 64
}

func (t *Tool) schema() json.RawMessage {
	if t.Schema == nil {
		return anyObject
	}
	return t.Schema
}

func (t *Tool) grant() string { return cmp.Or(t.Grant, t.Name) }

// arguments checks what a model calls the tool with.
func (t *Tool) arguments(args json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	if t.checker == nil {
		return args, nil
	}
	if err := t.checker.Check(args); err != nil {
		return nil, errors.New("the arguments do not fit: " + err.Error())
	}
	return args, nil
}

// ToolCall is the call that a tool works on.
type ToolCall struct {
	state.ToolCall
	Agent string // that called it

	key  string // of graph.Once, unique in the task
	bill *bill
}

type callKey struct{}

// CallOf returns the call that a tool's context belongs to; false: ctx is that
// of no tool.
func CallOf(ctx context.Context) (ToolCall, bool) {
	c, ok := ctx.Value(callKey{}).(ToolCall)
	return c, ok
}
