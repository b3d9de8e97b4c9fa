package model

import (
	"strings"

	"github.com/graphrun/graphrun/state"
)

// Paragraphs returns a message's texts with an empty line between them, for
// providers that take one text. A projection makes one message of several: they
// must not run into one another.
func Paragraphs(m *state.Message) string {
	var texts []string
	for i := range m.Content {
		if p := &m.Content[i]; p.Type == "text" && p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}
