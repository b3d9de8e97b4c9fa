package handoffs

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/graphrun/graphrun/internal/jsonwrite"
	"github.com/graphrun/graphrun/state"
)

// made returns what a mode makes of the conversation: one message or none.
func (p *ContextPolicy) made(in *ContextInput, base []state.Message) ([]contextUnit, error) {
	var text string
	var err error
	switch p.mode() {
	case ContextFields:
		text, err = p.fields(in)
	case ContextArtifacts:
		text = p.artifacts(in)
	case ContextSummary:
		text, err = p.summary(in, base)
	case ContextNone:
		text = cmp.Or(in.Turn.Task, in.Turn.Intent)
	default:
		err = errors.New("there is no such mode")
	}
	if err != nil || text == "" {
		return nil, err
	}
	return []contextUnit{madeUnit(state.Text(state.RoleHuman, text))}, nil
}

// summary returns what Summarize makes of the conversation, and the task.
func (p *ContextPolicy) summary(in *ContextInput, base []state.Message) (string, error) {
	if p.Summarize == nil {
		return "", errors.New("the policy has no Summarize function")
	}
	ms, _ := pairMessages(base)
	text, err := p.Summarize(ms)
	if err != nil {
		return "", err
	}
	var b briefText
	b.section("The conversation so far", text)
	b.section("Your task", in.Turn.Task)
	return b.String(), nil
}

// fields returns the task, and keys of the payload and fields of the state as
// JSON in their order.
func (p *ContextPolicy) fields(in *ContextInput) (string, error) {
	names := p.Fields
	if names == nil {
		names = sortedKeys(in.Turn.Payload)
	}
	dst := []byte{'{'}
	for _, name := range names {
		v, ok := in.value(name)
		if !ok {
			continue
		}
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst, _ = jsonwrite.AppendText(dst, name)
		raw, err := anyJSON(v)
		if err != nil {
			return "", fmt.Errorf("field %q: %w", name, err)
		}
		dst = append(append(dst, ':'), raw...)
	}
	var b briefText
	b.section("Your task", in.Turn.Task)
	if len(dst) > 1 {
		b.json("What you need to know", append(dst, '}'))
	}
	return b.String(), nil
}

// value returns a key of the payload or a field of the state.
func (in *ContextInput) value(name string) (any, bool) {
	if v, ok := in.Turn.Payload[name]; ok {
		return v, true
	}
	if in.Facts == nil {
		return nil, false
	}
	return in.Facts(name)
}

// anyJSON writes a value as package state does, one that it does not keep as
// encoding/json does.
func anyJSON(v any) ([]byte, error) {
	if raw, err := state.AppendAny(nil, v); err == nil {
		return raw, nil
	}
	return json.Marshal(v)
}

// artifacts returns the task, and names and places of artifacts, never what is
// in them.
func (p *ContextPolicy) artifacts(in *ContextInput) string {
	names := p.Fields
	if names == nil {
		names = []string{"artifacts"}
	}
	var lines []string
	for _, name := range names {
		if v, ok := in.value(name); ok {
			lines = append(lines, artifactLines(name, v)...)
		}
	}
	var b briefText
	b.section("Your task", in.Turn.Task)
	b.section("Artifacts", strings.Join(lines, "\n"))
	return b.String()
}

// artifactLines tells of artifacts in a map of names and places, a list of
// places, or in a text that is the place of one.
func artifactLines(name string, v any) (lines []string) {
	switch x := v.(type) {
	case nil:
		return []string{"- " + name + ": not there yet"}
	case string:
		return []string{"- " + name + ": " + x}
	case []any:
		for _, e := range x {
			if text, ok := e.(string); ok {
				lines = append(lines, "- "+text)
			} else {
				lines = append(lines, artifactLines(name, e)...)
			}
		}
	case map[string]any:
		if own, ok := x["name"].(string); ok {
			return artifactLines(own, cmp.Or(x["path"], x["url"], x["uri"]))
		}
		for _, k := range sortedKeys(x) {
			lines = append(lines, artifactLines(k, x[k])...)
		}
	}
	return lines
}
