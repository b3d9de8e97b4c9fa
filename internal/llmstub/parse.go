package llmstub

import (
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v4"
)

// ParseScript reads a script: YAML or JSON with the fields of Script in lower
// case with underscores (retry_after), durations as in 50ms. Unknown keys and
// wrong types are errors that tell the line, impossible numbers errors that tell
// the reply.
func ParseScript(text []byte) (*Script, error) {
	s := &Script{}
	if err := yaml.Load(text, s, yaml.WithKnownFields()); err != nil {
		return nil, fmt.Errorf("llmstub: the script cannot be read: %w", err)
	}
	for i, r := range s.Replies {
		if why := r.impossible(); why != "" {
			return nil, fmt.Errorf("llmstub: reply %d: %s", i+1, why)
		}
	}
	return s, nil
}

// impossible says which number can not be.
func (r *Reply) impossible() string {
	f := r.Fault
	switch {
	case r.When.Call < 0:
		return "when.call must be 1 or more, or left out"
	case f.Status != 0 && !isStatus(f.Status):
		return "fault.status must be from 200 to 599, or left out"
	case f.Delay < 0 || f.Gap < 0:
		return "fault.delay and fault.gap must not be negative"
	case f.LongLine < 0 || f.LongLine > maxLine:
		return fmt.Sprintf("fault.long_line must be from 0 to %d", maxLine)
	}
	return ""
}

func isStatus(n int) bool { return n >= 200 && n <= 599 }

// UnmarshalYAML reads arguments: a text as it is, a mapping as JSON.
func (a *Args) UnmarshalYAML(node *yaml.Node) error {
	var v any
	if err := node.Load(&v); err != nil {
		return err
	}
	if text, ok := v.(string); ok {
		*a = Args(text)
		return nil
	}
	if _, err := json.Marshal(v); err != nil {
		return fmt.Errorf("args are no JSON: %w", err)
	}
	*a = Args(asJSON(v))
	return nil
}
