package source

import (
	"strings"
	"unicode/utf8"
)

// cursor is a place in a checked text, in which line breaks are "\n" and NUL
// does not occur. A copy of it is a place to come back to.
type cursor struct {
	src   string
	off   int // in bytes
	line  int
	col   int
	fresh bool // only blanks stand before it on its line
	tab   bool // a tab is among them
}

func start(src string) cursor { return cursor{src: src, line: 1, col: 1, fresh: true} }

// peek is the byte at the cursor, 0 at the end.
func (c *cursor) peek() byte { return c.ahead(0) }

// ahead is the byte n bytes on, 0 behind the end.
func (c *cursor) ahead(n int) byte {
	if c.off+n >= len(c.src) {
		return 0
	}
	return c.src[c.off+n]
}

func (c *cursor) eof() bool { return c.off >= len(c.src) }

func (c *cursor) pos() Pos { return Pos{c.line, c.col} }

// indent is the number of blanks before a fresh cursor.
func (c *cursor) indent() int { return c.col - 1 }

// advance goes on by one rune.
func (c *cursor) advance() {
	if c.eof() {
		return
	}
	switch b := c.src[c.off]; {
	case b == '\n':
		c.off++
		c.line, c.col, c.fresh, c.tab = c.line+1, 1, true, false
		return
	case b == '\t':
		c.tab = c.tab || c.fresh
		c.off++
	case b == ' ':
		c.off++
	case b < utf8.RuneSelf:
		c.fresh = false
		c.off++
	default:
		c.fresh = false
		_, size := utf8.DecodeRuneInString(c.src[c.off:])
		c.off += size
	}
	c.col++
}

// to goes on to an offset.
func (c *cursor) to(off int) {
	for c.off < off {
		c.advance()
	}
}

// lineStart is where the first character of the line stands that is no blank.
func (c *cursor) lineStart() Pos {
	line := c.src[strings.LastIndexByte(c.src[:c.off], '\n')+1 : c.off]
	return Pos{c.line, 1 + len(line) - len(strings.TrimLeft(line, " \t"))}
}

// blanks passes spaces and tabs.
func (c *cursor) blanks() {
	for isBlank(c.peek()) {
		c.advance()
	}
}

// gap passes blanks, comments and line breaks.
func (c *cursor) gap() {
	for {
		c.blanks()
		if c.comment() {
			for !isBreak(c.peek()) {
				c.advance()
			}
		}
		if c.peek() != '\n' {
			return
		}
		c.advance()
	}
}

// comment tells whether a comment starts here: a '#' at the start of a line or
// behind a blank.
func (c *cursor) comment() bool {
	return c.peek() == '#' && (c.off == 0 || isSpace(c.src[c.off-1]))
}

// lineDone tells whether nothing but a comment follows on the line. It stands
// behind blanks.
func (c *cursor) lineDone() bool { return isBreak(c.peek()) || c.comment() }

// marker tells whether "---" or "..." stands here at the start of a line.
func (c *cursor) marker() bool {
	if c.col != 1 || !isSpace(c.ahead(3)) {
		return false
	}
	rest := c.src[c.off:]
	return strings.HasPrefix(rest, "---") || strings.HasPrefix(rest, "...")
}

// indicator tells whether b stands here with a space, a line break or the end
// behind it.
func (c *cursor) indicator(b byte) bool { return c.peek() == b && isSpace(c.ahead(1)) }

func isBlank(b byte) bool { return b == ' ' || b == '\t' }

// isBreak holds for a line break and for the end.
func isBreak(b byte) bool { return b == '\n' || b == 0 }

func isSpace(b byte) bool { return isBlank(b) || isBreak(b) }

// isFlow holds for what ends a plain text inside brackets.
func isFlow(b byte) bool { return strings.IndexByte(",[]{}", b) >= 0 && b != 0 }
