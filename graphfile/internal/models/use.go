package models

import (
	"slices"
	"strings"

	"github.com/graphrun/graphrun/graphfile/internal/source"
)

// Providers are those that every file may name.
func Providers() []string { return []string{"openai", "anthropic", "ollama"} }

// use reads "provider:name".
func (s *Section) use(n *source.Node, what string, to *Spec) bool {
	text, ok := s.Rep.Text(n, what)
	if !ok {
		return false
	}
	provider, name, found := strings.Cut(text, ":")
	switch {
	case !found || strings.TrimSpace(name) == "" || name != strings.TrimSpace(name):
		s.Rep.Errorf(n.Pos, "%s: %q names no model", what, text).Hint = `write it like "openai:gpt-4o": the provider, a colon, the name that the provider gives it`
		return false
	case !slices.Contains(s.known, provider):
		s.Rep.Unknown(n.Pos, "provider", provider, s.known)
		return false
	}
	to.Provider, to.Name = provider, name
	return true
}
