package params

import (
	"slices"
	"strings"

	"github.com/graphrun/graphrun/graphfile/internal/page"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/internal/expression"
	"github.com/graphrun/graphrun/internal/schemacheck"
)

// bySchema reads a JSON Schema.
func bySchema(p *page.Page, n *source.Node, key string) *Shape {
	if n.Kind != source.Map {
		p.Rep.Errorf(n.Pos, "%q: expected a JSON Schema, found %s", key, n.Kind)
		return nil
	}
	data, err := n.MarshalJSON()
	if err == nil {
		_, err = schemacheck.Compile(data)
	}
	if err != nil {
		p.Rep.Errorf(n.Pos, "%q is no JSON Schema that can be used: %s", key, oneLine(err))
		return nil
	}
	out := &Shape{Schema: data, Keys: &expression.Shape{Keys: map[string]expression.Type{}, Open: true}}
	if t := n.Get("type"); t != nil && t.Kind == source.String {
		out.Type = t.Text
	}
	out.properties(n)
	return out
}

// oneLine is what a checker of schemas says, without the names that it has for
// them.
func oneLine(err error) string {
	var parts []string
	for line := range strings.Lines(err.Error()) {
		if at, ok := strings.CutPrefix(strings.TrimSpace(line), "- at "); ok && !strings.HasSuffix(at, "' failed") {
			parts = append(parts, "at "+at)
		}
	}
	if parts == nil {
		return page.Plain(err)
	}
	return strings.Join(parts, "; ")
}

// properties notes the keys that a schema tells of.
func (s *Shape) properties(n *source.Node) {
	extra := n.Get("additionalProperties")
	s.Keys.Open = extra == nil || extra.Kind != source.Bool || extra.Bool
	props := n.Get("properties")
	if props == nil || props.Kind != source.Map {
		return
	}
	files, schemas := types()
	for _, e := range props.Entries {
		t := expression.Type{}
		if named := e.Value.Get("type"); named != nil && named.Kind == source.String {
			if i := slices.Index(schemas, named.Text); i > 0 {
				t = expression.Type{Kind: kindNamed(files[i]), Nullable: true}
			}
		}
		s.Keys.Keys[e.Key] = t
	}
}

// Kind is the kind of the whole value, as expressions know it.
func (s *Shape) Kind() expression.Kind {
	files, schemas := types()
	if i := slices.Index(schemas, s.Type); i > 0 {
		return kindNamed(files[i])
	}
	return expression.Any
}
