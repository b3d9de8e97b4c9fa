package cli_test

import (
	"encoding/json"
	"slices"
	"strings"
)

// textsOf writes rows as text, so that they can be compared: updates as a
// set, and absent fields like null. Where by is given, an update is shown by
// its node alone if the same row of by has it so.
func textsOf(rows, by []row) []string {
	var out []string
	for i, r := range rows {
		var bare []string
		if by != nil && i < len(by) {
			bare = bareNodes(by[i])
		}
		lines := make([]string, 0, len(r.Updates))
		for _, u := range r.Updates {
			lines = append(lines, u.text(bare))
		}
		slices.Sort(lines)
		values := "unfinished"
		if r.Values != nil {
			values = text(present(r.Values))
		}
		out = append(out, strings.Join(append(lines, values), "\n"))
	}
	return out
}

// bareNodes are the nodes whose updates a row tells by name alone.
func bareNodes(r row) []string {
	var out []string
	for _, u := range r.Updates {
		if u.Update == nil {
			out = append(out, u.path())
		}
	}
	return out
}

func (u *written) path() string { return strings.Join(append(slices.Clone(u.NS), u.Node), "/") }

func (u *written) text(bare []string) string {
	if u.Update == nil || slices.Contains(bare, u.path()) {
		return u.path()
	}
	return u.path() + " " + text(present(u.Update))
}

// present leaves out the fields that are null.
func present(values map[string]any) map[string]any {
	out := map[string]any{}
	for name, v := range values {
		if v != nil {
			out[name] = v
		}
	}
	return out
}

func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
