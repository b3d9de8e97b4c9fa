package team

import (
	"slices"
	"strings"

	"github.com/graphrun/graphrun/graphfile/internal/page"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/internal/expression"
)

// edges reads who may hand to whom.
func (r *reader) edges(f *source.Fields) []handoffs.Edge {
	out := []handoffs.Edge{}
	names := map[string]bool{}
	for _, n := range r.ways(f.Take("edges"), `"edges"`) {
		switch n.Kind {
		case source.String:
			out = append(out, r.arrows(n)...)
		case source.Map:
			e := r.edge(n)
			if e.Name != "" && names[e.Name] {
				r.Rep.Errorf(n.Pos, "two edges are named %q", e.Name)
			}
			names[e.Name] = true
			out = append(out, e)
		default:
			r.Rep.Errorf(n.Pos, "an edge of handoffs: expected text like \"a -> b\" or a map, found %s", n.Kind)
		}
	}
	return out
}

// arrows reads "a -> b", and "a -> b -> c" as the edges a -> b and b -> c.
func (r *reader) arrows(n *source.Node) []handoffs.Edge {
	parts := strings.Split(n.Text, "->")
	if len(parts) < 2 || slices.ContainsFunc(parts, func(p string) bool { return strings.TrimSpace(p) == "" }) {
		r.Rep.Errorf(n.Pos, "the edge %q cannot be read", n.Text).Hint = `write it "from -> to", with the name of an agent at each end`
		return nil
	}
	var out []handoffs.Edge
	before, at := "", 0
	for i, part := range parts {
		name := strings.TrimSpace(part)
		if !r.byID[name] {
			lead := page.Runes(part) - page.Runes(strings.TrimLeft(part, " \t\n"))
			r.Rep.Unknown(r.Within(n, at+lead), "agent", name, r.ids)
		}
		if i > 0 {
			out = append(out, handoffs.Edge{From: []string{before}, To: []string{name}})
		}
		before = name
		at += page.Runes(part) + len("->")
	}
	return out
}

// edge reads an edge with what it says.
func (r *reader) edge(n *source.Node) handoffs.Edge {
	f := r.Rep.Fields(n, "an edge of handoffs")
	e := handoffs.Edge{
		From: r.agentNames(f, "from"), Kinds: wordsOf(r, f, "kinds", handed()...),
		Priority: wordOf(f, "priority", priorities()...), Limits: r.limitsAt(f, "limits"), Retry: r.retry(f),
		OnReject: r.onReject(f, "on_reject", nil), Context: r.contextAt(f, "context"),
		Next: r.stateAt(f, "next"), When: r.stateNamesAt(f, "in"),
	}
	e.Name, _ = f.Text("name")
	if f.AtMostOne("to", "capability") == "capability" {
		e.Capability, _ = f.Text("capability")
	}
	e.To = r.agentNames(f, "to")
	for _, reason := range texts(f, "reasons") {
		e.Reasons = append(e.Reasons, handoffs.Reason(reason))
	}
	e.Closed, _ = f.Bool("closed")
	var known *expression.Shape
	e.Payload, known = r.payloadFields(f, e.Closed)
	e.Guard = r.guard(f.Take("when"), r.guardScope(known))
	if f.Has("approval") {
		e.Approval = r.approval(f, "approval")
	}
	e.Result, _ = f.Text("result")
	e.Apart, _ = f.Bool("apart")
	e.Parallel, _ = f.Bool("parallel")
	e.CompletesStep, _ = f.Bool("completes_step")
	e.Returns = wordOf(f, "returns", "explicit", "auto")
	f.Done()
	return e
}

// payloadFields reads what a payload must have: {key: type} or {key: {type,
// optional, enum}}.
func (r *reader) payloadFields(f *source.Fields, closed bool) ([]handoffs.PayloadField, *expression.Shape) {
	entries := f.Entries("payload")
	if !f.Has("payload") {
		if closed {
			r.Rep.Errorf(f.KeyPos("closed"), `"closed" allows only the keys of "payload", and there is none`)
		}
		return nil, nil
	}
	var out []handoffs.PayloadField
	known := &expression.Shape{Keys: map[string]expression.Type{}, Open: !closed}
	for _, e := range entries {
		p := r.payloadField(e)
		t := expression.Type{Kind: kindNamed(p.Type)}
		t.Nullable = p.Optional && t.Kind != expression.Any
		known.Keys[p.Key] = t
		out = append(out, p)
	}
	return out, known
}

func (r *reader) payloadField(e source.Entry) handoffs.PayloadField {
	p := handoffs.PayloadField{Key: e.Key}
	if e.Value.Kind == source.String {
		p.Type, _ = r.Rep.OneOf(e.Value, quote(e.Key), types()...)
		return p
	}
	f := r.Rep.Fields(e.Value, "a key of a payload")
	p.Type = wordOf(f, "type", types()...)
	p.Optional, _ = f.Bool("optional")
	p.Enum = r.constants(f, "enum")
	f.Done()
	return p
}

// types are the types of values in files.
func types() []string { return []string{"any", "string", "int", "float", "bool", "list", "map"} }

// kindNamed is the kind of a type's name; "" is any.
func kindNamed(name string) expression.Kind {
	kinds := []string{"any", "null", "bool", "int", "float", "string", "list", "map"}
	return expression.Kind(max(0, slices.Index(kinds, name)))
}
