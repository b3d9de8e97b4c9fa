package models

import (
	"maps"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/graphfile/internal/page"
	"github.com/graphrun/graphrun/graphfile/internal/source"
)

// Section has the models that a graph knows by name.
type Section struct {
	*page.Page
	known  []string // providers
	named  map[string]*Spec
	order  []string         // names that are declared here
	inline map[string]*Spec // by their text
	vague  bool             // the section could not be read, so that no name can be called unknown
}

// Read reads the section; without one n is nil. Around has the names of the
// graph around; nil: there is none. Known are the providers beside Providers.
func Read(p *page.Page, n *source.Node, around *Section, known []string) *Section {
	s := &Section{Page: p, known: append(Providers(), known...), named: map[string]*Spec{}, inline: map[string]*Spec{}}
	if around != nil {
		s.named, s.vague, s.inline = maps.Clone(around.named), around.vague, around.inline
	}
	if n == nil || n.Kind == source.Null {
		return s
	}
	s.vague = s.vague || n.Kind != source.Map
	for _, e := range p.Rep.Entries(n, `"models"`) {
		s.declare(e)
	}
	return s
}

// declare reads a model with a name.
func (s *Section) declare(e source.Entry) {
	switch {
	case e.Key == "":
		s.Rep.Errorf(e.KeyPos, "a model needs a name")
	case strings.Contains(e.Key, ":"):
		s.Rep.Errorf(e.KeyPos, "the name of a model must not hold \":\", as a provider's models do").Hint = "give it a name of your own, and say under \"use\" which model it is"
	}
	s.named[e.Key] = s.spec(e.Value, e.KeyPos, "a model") // nil of one that is wrong
	s.order = append(s.order, e.Key)
}

// Unused warns of names that nothing uses.
func (s *Section) Unused() {
	for _, name := range s.order {
		if spec := s.named[name]; spec != nil && !spec.used {
			s.Rep.Warnf(spec.Pos, "the model %q is used by nothing", name)
		}
	}
}

// At reads the model that stands under a key: a name of the section, a text like
// "openai:gpt-4o", or a map as the section has it. Nil: it is not there, or wrong.
func (s *Section) At(f *source.Fields, key string) *Spec {
	n := f.Take(key)
	if n == nil {
		return nil
	}
	spec := s.find(n)
	if spec != nil {
		spec.used = true
	}
	return spec
}

func (s *Section) find(n *source.Node) *Spec {
	if n.Kind == source.String {
		if spec, ok := s.named[n.Text]; ok {
			return spec
		}
		if !strings.Contains(n.Text, ":") {
			s.unknown(n)
			return nil
		}
		if spec, ok := s.inline[n.Text]; ok {
			return spec
		}
	}
	spec := s.spec(n, n.Pos, "a model")
	if n.Kind == source.String {
		s.inline[n.Text] = spec
	}
	return spec
}

// unknown reports a name that no model has.
func (s *Section) unknown(n *source.Node) {
	if s.vague {
		return
	}
	d := s.Rep.Unknown(n.Pos, "model", n.Text, slices.Sorted(maps.Keys(s.named)))
	if d.Hint == "" {
		d.Hint = `declare it in the section "models", or write it like "openai:gpt-4o"`
	}
}
