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

// Arguments are what a model calls the tool with.
type Arguments struct {
	SpecialistType       string         `json:"specialist_type"` // a capability, a specialization, or an agent's name
	Task                 string         `json:"task"`
	Reason               string         `json:"reason"`
	Context              map[string]any `json:"context,omitempty"` // what was done and found out
	RequiredCapabilities []string       `json:"required_capabilities,omitempty"`
}

const argumentsSchema = `{"type":"object","properties":{` +
	`"specialist_type":{"type":"string","minLength":1,"description":"What the specialist must be good at: a capability or specialization, or a name."},` +
	`"task":{"type":"string","minLength":1,"description":"What the specialist is to do, in full."},` +
	`"reason":{"type":"string","minLength":1,"description":"Why you hand it off, for people."},` +
	`"context":{"type":"object","description":"What was done and found out so far, by key: files, observations, concerns."},` +
	`"required_capabilities":{"type":"array","items":{"type":"string"},"description":"What else the specialist must be able to do."}` +
	`},"required":["specialist_type","task","reason"],"additionalProperties":false}`

// ParseArguments reads the arguments of a call, and returns all that is wrong
// with them; none: nothing is.
func ParseArguments(data []byte) (a Arguments, problems []string) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(data, &given); err != nil || given == nil {
		return a, []string{"the arguments are no JSON object"}
	}
	take := func(key, want string, into any) {
		raw := given[key]
		delete(given, key)
		if len(raw) > 0 && string(raw) != "null" && json.Unmarshal(raw, into) != nil {
			problems = append(problems, key+" must be "+want)
		}
	}
	for _, f := range [...]struct {
		key  string
		into *string
	}{{"specialist_type", &a.SpecialistType}, {"task", &a.Task}, {"reason", &a.Reason}} {
		before := len(problems)
		take(f.key, "a text", f.into)
		if len(problems) == before && strings.TrimSpace(*f.into) == "" {
			problems = append(problems, f.key+" must not be empty")
		}
	}
	var context json.RawMessage
	take("context", "an object", &context)
	if v, err := state.ParseAny(context); len(context) > 0 {
		var is bool
		if a.Context, is = v.(map[string]any); err != nil || !is {
			problems = append(problems, "context must be an object")
		}
	}
	take("required_capabilities", "a list of texts", &a.RequiredCapabilities)
	for _, key := range slices.Sorted(maps.Keys(given)) {
		problems = append(problems, fmt.Sprintf("there is no argument %q", key))
	}
	return a, problems
}
