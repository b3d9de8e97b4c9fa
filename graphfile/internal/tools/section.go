package tools

import (
	"maps"
	"slices"

	"github.com/graphrun/graphrun/graphfile/internal/page"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/nodes"
)

// Section has the tools that a graph knows by name.
type Section struct {
	*page.Page
	named map[string]*Spec
	order []string // names that are declared here
	vague bool     // the section could not be read, so that no name can be called unknown
}

// Read reads the section; without one n is nil. Around has the names of the
// graph around; nil: there is none. Made are tools written in Go.
func Read(p *page.Page, n *source.Node, around *Section, made []nodes.Tool) *Section {
	s := &Section{Page: p, named: map[string]*Spec{}}
	if around != nil {
		s.named, s.vague = maps.Clone(around.named), around.vague
	} else {
		for _, t := range append(ready(), made...) {
			s.named[t.Name] = &Spec{Tool: t, made: true, used: true}
		}
	}
	if n == nil || n.Kind == source.Null {
		return s
	}
	s.vague = s.vague || n.Kind != source.Map
	for _, e := range p.Rep.Entries(n, `"tools"`) {
		if old := s.named[e.Key]; old != nil && old.made {
			p.Rep.Errorf(e.KeyPos, "the tool %q is there by itself, or written in Go: give this one another name", e.Key)
		}
		s.named[e.Key] = s.spec(e) // nil of one that is wrong
		s.order = append(s.order, e.Key)
	}
	return s
}

// ready are the tools that every file may name.
func ready() []nodes.Tool {
	ask, err := nodes.AskPerson()
	if err != nil { // its types are known to be fine
		return nil
	}
	return []nodes.Tool{ask}
}

// Unused warns of tools that no agent has.
func (s *Section) Unused() {
	for _, name := range s.order {
		if spec := s.named[name]; spec != nil && !spec.used {
			s.Rep.Warnf(spec.Pos, "the tool %q is used by no agent", name)
		}
	}
}

// At reads the names of tools under a key: one, or a list of them.
func (s *Section) At(f *source.Fields, key string) []*Spec {
	var out []*Spec
	seen := map[string]bool{}
	for _, n := range f.OneOrMany(key) {
		name, ok := s.Rep.Text(n, `"`+key+`"`)
		spec, known := s.named[name]
		switch {
		case !ok:
		case !known && !s.vague:
			d := s.Rep.Unknown(n.Pos, "tool", name, slices.Sorted(maps.Keys(s.named)))
			if d.Hint == "" || len(s.named) == len(ready()) {
				d.Hint = `declare it in the section "tools"`
			}
		case seen[name]:
			s.Rep.Errorf(n.Pos, "the tool %q is there twice", name)
		case spec != nil:
			spec.used = true
			out = append(out, spec)
		}
		seen[name] = true
	}
	return out
}
