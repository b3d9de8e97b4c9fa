package cli

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/plan"
)

// plumbing are the fields in which agents keep their handoffs, and plans their
// course: people have the commands handoffs and plan for that.
func plumbing(f *graphfile.File) (names []string) {
	if f.Team() != nil {
		names = append(names, "handoffs", "handoff_log", "tool_executions")
	}
	if hasPlan(f) {
		for _, field := range plan.RecordFields() {
			names = append(names, field.Name)
		}
	}
	return names
}

// unshown are the fields that progress leaves out: what agents tell in words,
// and what they keep.
func (r *runner) unshown() []string {
	switch {
	case r.debug:
		return nil
	case slices.Contains(r.hidden, "handoffs"):
		return append(slices.Clone(r.hidden), "active_agent")
	}
	return r.hidden
}

// shown are the values of a state that people see, without what is hidden.
func shown(values json.RawMessage, hidden []string) json.RawMessage {
	if len(hidden) == 0 {
		return values
	}
	if less, err := without(values, hidden); err == nil {
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
