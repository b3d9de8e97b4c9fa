package cli

import (
	"bytes"
	"encoding/json"
	"slices"
)

// plumbing are the fields in which agents keep their handoffs: people have the
// command handoffs for that.
func plumbing() []string { return []string{"handoffs", "handoff_log", "tool_executions"} }

// unshown are the fields that progress leaves out: what agents tell in words,
// and what they keep.
func (r *runner) unshown() []string {
	if r.debug || !r.team {
		return nil
	}
	return append(plumbing(), "active_agent")
}

// shown are the values of a state that people see.
func shown(values json.RawMessage, team bool) json.RawMessage {
	if !team {
		return values
	}
	if less, err := without(values, plumbing()); err == nil {
		return less
	}
	return values
}

// without is a JSON object without some of its members.
func without(object []byte, names []string) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	out := []byte("{")
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		if name, _ := key.(string); !slices.Contains(names, name) {
			if len(out) > 1 {
				out = append(out, ',')
			}
			quoted, err := json.Marshal(name)
			if err != nil {
				return nil, err
			}
			out = append(append(append(out, quoted...), ':'), value...)
		}
	}
	return append(out, '}'), nil
}
