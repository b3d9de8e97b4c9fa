package specialist

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/state"
)

// ToolName is the name of the tool.
const ToolName = "handoff_to_specialist"

const toolText = `Hands a task to a specialist agent and returns its result. Use it when
1. the task needs knowledge of a field that is not yours,
2. the task needs tools or rights that you do not have,
3. a specialist does this part of the work clearly better or faster,
4. you have tried and cannot get on, or the user asks for a specialist.

You must give context: the specialist knows nothing of what you did. Say what was
done, which files you read, what you found out and what worries you.`

// toolSchema is the JSON Schema of the arguments.
const toolSchema = `{
  "type": "object",
  "properties": {
    "specialist_type": {"type": "string", "minLength": 1, "description": "What the specialist is specialized in, or a capability that it has: testing, deployment"},
    "task": {"type": "string", "minLength": 1, "description": "What the specialist is to do, complete and exact"},
    "reason": {"type": "string", "minLength": 1, "description": "Why a specialist is needed"},
    "context": {"type": "object", "description": "Work done so far, files read, observations, concerns"},
    "required_capabilities": {"type": "array", "items": {"type": "string", "minLength": 1}, "description": "Capabilities that the specialist must have, all of them"}
  },
  "required": ["specialist_type", "task", "reason"],
  "additionalProperties": false
}`

// Definition describes a tool to a model.
type Definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema
	Tags        []string        `json:"tags"`
}

// ToolDefinition returns the description of the tool handoff_to_specialist.
func ToolDefinition() Definition {
	return Definition{Name: ToolName, Description: toolText, Parameters: json.RawMessage(toolSchema), Tags: []string{"coordination", "handoff", "delegation"}}
}

// Arguments are what a model calls the tool with.
type Arguments struct {
	SpecialistType       string         `json:"specialist_type"`
	Task                 string         `json:"task"`
	Reason               string         `json:"reason"`
	Context              map[string]any `json:"context,omitempty"`
	RequiredCapabilities []string       `json:"required_capabilities,omitempty"` // nil: the SpecialistType
}

// ValidateArguments reads the arguments of a call, and tells all that is wrong
// with them; nil: nothing. An optional key may be null.
func ValidateArguments(data []byte) (Arguments, []string) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(data, &given); err != nil || given == nil {
		return Arguments{}, []string{"the arguments must be a JSON object"}
	}
	r := argReader{given: given}
	a := Arguments{SpecialistType: r.text("specialist_type"), Task: r.text("task"), Reason: r.text("reason")}
	a.Context = r.object("context")
	a.RequiredCapabilities = r.texts("required_capabilities")
	for _, key := range slices.Sorted(maps.Keys(given)) {
		r.wrong(key, "there is no such argument")
	}
	return a, r.problems
}

// argReader takes arguments out of an object.
type argReader struct {
	given    map[string]json.RawMessage
	problems []string
}

func (r *argReader) wrong(key, what string) {
	r.problems = append(r.problems, fmt.Sprintf("%s: %s", key, what))
}

// take returns a value and takes it out; nil: it is not there, or null.
func (r *argReader) take(key string) json.RawMessage {
	v := r.given[key]
	delete(r.given, key)
	if string(v) == "null" {
		return nil
	}
	return v
}

func (r *argReader) text(key string) (s string) {
	v := r.take(key)
	switch {
	case v == nil:
		r.wrong(key, "it is missing")
	case json.Unmarshal(v, &s) != nil:
		r.wrong(key, "it must be a text")
	case strings.TrimSpace(s) == "":
		r.wrong(key, "it must not be empty")
	}
	return s
}

func (r *argReader) object(key string) map[string]any {
	v := r.take(key)
	if v == nil {
		return nil
	}
	m, err := state.ParseAny(v)
	out, ok := m.(map[string]any)
	if err != nil || !ok {
		r.wrong(key, "it must be an object")
	}
	return out
}

func (r *argReader) texts(key string) (out []string) {
	v := r.take(key)
	if v == nil {
		return nil
	}
	if json.Unmarshal(v, &out) != nil {
		r.wrong(key, "it must be a list of texts")
		return nil
	}
	for i, s := range out {
		if strings.TrimSpace(s) == "" {
			r.wrong(fmt.Sprintf("%s[%d]", key, i), "it must not be empty")
		}
	}
	return out
}
