package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/internal/topo"
)

// choice is the value of a flag that takes one of some words. The first word
// is the default unless value is set.
type choice struct {
	value string
	words []string
}

// choose makes a choice whose default is the first word.
func choose(words ...string) *choice { return &choice{words[0], words} }

// String returns the word that was chosen.
func (c *choice) String() string { return c.value }

// Type lists the words for the help.
func (c *choice) Type() string { return strings.Join(c.words, "|") }

// Set takes a word.
func (c *choice) Set(word string) error {
	if !slices.Contains(c.words, word) {
		return fmt.Errorf("it must be one of %s%s", strings.Join(c.words, ", "), didYouMean(word, c.words))
	}
	c.value = word
	return nil
}

// didYouMean is a hint at the nearest of some names, or nothing.
func didYouMean(name string, among []string) string {
	if near, ok := topo.Nearest(name, among); ok {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}
