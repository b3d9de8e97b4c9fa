// Package page reads the expressions of a graph file where they stand: a Page
// is the text of one file with the report of what is wrong in it.
package page

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/graphrun/graphrun/graphfile/internal/source"
)

// Page is the text of a file with the report of what is wrong in it. The
// pages of one load share their count of failures.
type Page struct {
	File     *source.File
	Rep      *source.Report
	Failures *int // expressions and names that were wrong, in all files
}

// MostFailures is how many wrong expressions are looked at. More than that
// would not be shown.
const MostFailures = 100

// Within returns the place of a character of a text, counted in characters
// from 0. Where the text is not written on its line as it is, because of
// escapes or line breaks, it is the place of the whole text.
func (p *Page) Within(n *source.Node, offset int) source.Pos {
	rest := behind(p.File.Line(n.Pos.Line), n.Pos.Col-1)
	quote := 0
	if n.Quoted && rest != "" {
		rest, quote = rest[1:], 1
	}
	if !strings.HasPrefix(rest, n.Text) {
		return n.Pos
	}
	return source.Pos{Line: n.Pos.Line, Col: n.Pos.Col + quote + offset}
}

// behind returns a line without its first characters.
func behind(line string, cols int) string {
	for i := range line {
		if cols <= 0 {
			return line[i:]
		}
		cols--
	}
	return ""
}

// Runes counts the characters of a text.
func Runes(text string) int { return utf8.RuneCountInString(text) }

// At is a place in the file for the errors of runs, with what stands there.
func (p *Page) At(at source.Pos, what string) string { return p.Place(at) + ": " + what }

// Place is a place in the file as text.
func (p *Page) Place(at source.Pos) string {
	return fmt.Sprintf("%s:%d:%d", p.File.Name, at.Line, at.Col)
}
