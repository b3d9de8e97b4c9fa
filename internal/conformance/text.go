package conformance

import (
	"encoding/json"
	"slices"
	"strings"
)

// stepText writes a step as text, so that steps that mean the same are equal:
// updates as a set, absent fields like null. The updates of bare nodes are
// shown by the node's name alone.
func stepText(steps []Step, i int, bare []string) string {
	if i >= len(steps) {
		return "none"
	}
	s := &steps[i]
	lines := make([]string, len(s.Updates))
	for k := range s.Updates {
		u := &s.Updates[k]
		lines[k] = u.path()
		if !slices.Contains(bare, lines[k]) {
			lines[k] += text(present(u.Fields))
		}
	}
	slices.Sort(lines)
	if s.Values == nil {
		return strings.Join(append(lines, "unfinished"), " ")
	}
	return strings.Join(append(lines, "=> "+text(present(s.Values))), " ")
}

// bareNodes are the nodes whose updates a step tells by name alone.
func bareNodes(s *Step) []string {
	var out []string
	for i := range s.Updates {
		if s.Updates[i].Fields == nil {
			out = append(out, s.Updates[i].path())
		}
	}
	return out
}

func (u *Update) path() string { return strings.Join(append(slices.Clone(u.NS), u.Node), "/") }

// rowText writes a row of a history. The reference has no rows of inputs of
// their own: it applies them in a step of the loop.
func rowText(source string, next []string, values Fields) string {
	if source == "input" {
		source = "loop"
	}
	return source + " " + text(sorted(next)) + " " + text(present(values))
}

// present leaves out the fields that are null.
func present(f Fields) Fields {
	out := Fields{}
	for name, v := range f {
		if v != nil {
			out[name] = v
		}
	}
	return out
}

func sorted(names []string) []string {
	return append([]string{}, slices.Sorted(slices.Values(names))...)
}

func questions(c *Checkpoint) []any {
	out := []any{}
	for _, q := range c.Interrupts {
		out = append(out, q.Value)
	}
	return out
}

func ids(c *Checkpoint) []string {
	var out []string
	for _, q := range c.Interrupts {
		out = append(out, q.ID)
	}
	return sorted(out)
}

// text is JSON with sorted keys.
func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
