package cli

import (
	"strings"

	"github.com/graphrun/graphrun/internal/topo"
)

// lineGoal is how wide a list may get that is written on one line.
const lineGoal = 72

// renderValues writes the fields of a JSON object as YAML, for people: short
// lists on one line, texts of several lines as they are.
func renderValues(data []byte, k ink) ([]byte, error) {
	v, err := parseValue(data)
	if err != nil {
		return nil, err
	}
	w := &yamlWriter{ink: k}
	if line, ok := inline(v, 0); ok {
		w.WriteString(line + "\n")
	} else {
		w.block(v, 0, false)
	}
	return []byte(w.String()), nil
}

// yamlWriter writes values as YAML.
type yamlWriter struct {
	strings.Builder
	ink ink
}

// block writes the entries of a map or a list on lines of their own. The first
// one goes on with the line if it is begun.
func (w *yamlWriter) block(v value, indent int, begun bool) {
	for i, item := range v.items {
		if i > 0 || !begun {
			w.WriteString(strings.Repeat(" ", indent))
		}
		if v.kind == '[' {
			w.WriteString("-")
			w.entry(item, indent, 1, true)
			continue
		}
		key := scalarText(v.keys[i], false)
		w.WriteString(w.ink.cyan(key) + ":")
		w.entry(item, indent, topo.Columns(key)+1, false)
	}
}

// entry writes what stands behind a key or a dash; a map or list begins on the
// same line if it is compact.
func (w *yamlWriter) entry(v value, indent, used int, compact bool) {
	line, ok := inline(v, indent+used+1)
	switch {
	case ok:
		w.WriteString(" " + line + "\n")
	case v.kind == '"':
		w.prose(v.text, indent+2)
	case compact:
		w.WriteString(" ")
		w.block(v, indent+2, true)
	default:
		w.WriteString("\n")
		w.block(v, indent+2, false)
	}
}

// prose writes a text of several lines as it is.
func (w *yamlWriter) prose(text string, indent int) {
	body, ends := strings.CutSuffix(text, "\n")
	switch {
	case !ends:
		w.WriteString(" |-\n")
	case strings.HasSuffix(body, "\n"):
		w.WriteString(" |+\n")
	default:
		w.WriteString(" |\n")
	}
	for line := range strings.SplitSeq(body, "\n") {
		if line != "" {
			line = strings.Repeat(" ", indent) + line
		}
		w.WriteString(line + "\n")
	}
}

// inline returns a value as it is written on the rest of a line, of which so
// many columns are used, or false if it needs lines of its own.
func inline(v value, used int) (string, bool) {
	switch {
	case v.kind == '"':
		return scalarText(v.text, false), !isProse(v.text)
	case v.kind == 's':
		return v.text, true
	case v.kind == '{':
		return "{}", len(v.items) == 0
	}
	parts := make([]string, len(v.items))
	for i, item := range v.items {
		switch {
		case item.kind == '"' && !strings.Contains(item.text, "\n"):
			parts[i] = scalarText(item.text, true)
		case item.kind == 's':
			parts[i] = item.text
		default:
			return "", false
		}
	}
	line := "[" + strings.Join(parts, ", ") + "]"
	return line, len(parts) == 0 || used+topo.Columns(line) <= lineGoal
}
