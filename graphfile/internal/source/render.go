package source

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/graphrun/graphrun/internal/topo"
)

// shown is how many columns of a line are drawn.
const shown = 100

// String draws the problem: its place and message, the line with a caret under
// the column, and the hint. It has no line break at its end.
func (d Diagnostic) String() string {
	var b strings.Builder
	b.WriteString(d.Summary())
	if d.Pos.Known() {
		number := fmt.Sprintf("%5d", d.Pos.Line)
		margin := strings.Repeat(" ", len(number))
		line, caret := draw(d.Line, d.Pos.Col)
		b.WriteString(strings.TrimRight("\n"+number+" | "+line, " "))
		b.WriteString("\n" + margin + " | " + strings.Repeat(" ", caret) + "^")
	}
	if d.Hint != "" {
		b.WriteString("\n      = " + d.Hint)
	}
	return b.String()
}

// place is "file:line:col: " as far as it is known.
func (d Diagnostic) place() string {
	out := ""
	if d.File != "" {
		out = d.File + ":"
	}
	if d.Pos.Known() {
		out += strconv.Itoa(d.Pos.Line) + ":" + strconv.Itoa(d.Pos.Col) + ":"
	}
	if out != "" {
		out += " "
	}
	return out
}

// draw returns a line as it is shown, clipped around a column, and the number
// of columns in front of the caret.
func draw(line string, col int) (string, int) {
	before, behind := split(line, col)
	left, cutLeft := lastColumns(before, shown*2/3)
	caret := topo.Columns(left)
	right, cutRight := firstColumns(behind, shown-caret)
	if cutLeft {
		left, caret = "…"+left, caret+1
	}
	if cutRight {
		right += "…"
	}
	return left + right, caret
}

// split cuts a line in front of a column that counts from 1.
func split(line string, col int) (string, string) {
	n := 0
	for i := range line {
		if n++; n >= col {
			return line[:i], line[i:]
		}
	}
	return line, ""
}

// firstColumns draws the start of a text, and tells whether it left any out.
func firstColumns(text string, limit int) (string, bool) {
	var b strings.Builder
	used := 0
	for _, r := range text {
		cell := glyph(r)
		if used += topo.Columns(cell); used > limit {
			return b.String(), true
		}
		b.WriteString(cell)
	}
	return b.String(), false
}

// lastColumns draws the end of a text, and tells whether it left any out.
func lastColumns(text string, limit int) (string, bool) {
	from, used := len(text), 0
	for from > 0 {
		r, size := utf8.DecodeLastRuneInString(text[:from])
		if used += topo.Columns(glyph(r)); used > limit {
			break
		}
		from -= size
	}
	drawn, _ := firstColumns(text[from:], limit)
	return drawn, from > 0
}

// glyph is how a character is drawn: a tab as four spaces, and what would move
// the cursor of a terminal or cannot be seen as a replacement character.
func glyph(r rune) string {
	switch {
	case r == '\t':
		return "    "
	case r == '\u200d' || r >= '\ufe00' && r <= '\ufe0f':
		return string(r) // parts of an emoji
	case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029':
		return "\ufffd"
	}
	return string(r)
}

// excerpt is a text in quotes, shortened if it is long.
func excerpt(text string) string {
	const most = 40
	n := 0
	for i := range text {
		if n++; n > most {
			return strconv.Quote(text[:i] + "…")
		}
	}
	return strconv.Quote(text)
}
