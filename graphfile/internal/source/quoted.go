package source

import (
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// quoted reads a text in single or double quotes.
func (p *parser) quoted() string {
	quote, open := p.peek(), p.pos()
	p.advance()
	var buf []byte
	keep := 0 // what stands before it is not trimmed at the end of a line
	for !p.eof() {
		switch b := p.peek(); {
		case b == quote && quote == '\'' && p.ahead(1) == '\'':
			buf = append(buf, '\'')
			p.advance()
			p.advance()
		case b == quote:
			p.advance()
			return string(buf)
		case b == '\n':
			buf = p.foldQuoted(buf, keep)
			keep = len(buf)
		case b == '\\' && quote == '"':
			buf = p.escape(buf)
			keep = len(buf)
		default:
			from := p.off
			p.advance()
			buf = append(buf, p.src[from:p.off]...)
		}
	}
	p.fail(open, "the text that starts here has no closing quote")
	return ""
}

// foldQuoted joins the lines of a quoted text.
func (p *parser) foldQuoted(buf []byte, keep int) []byte {
	for len(buf) > keep && isBlank(buf[len(buf)-1]) {
		buf = buf[:len(buf)-1]
	}
	return foldBreaks(buf, p.quotedBreaks())
}

func (p *parser) quotedBreaks() int {
	n := p.breaks()
	if p.marker() {
		p.fail(p.pos(), "the document ends inside a text in quotes")
	}
	return n
}

// escape reads a backslash and what it stands for.
func (p *parser) escape(buf []byte) []byte {
	at := p.pos()
	p.advance()
	b := p.peek()
	if b == '\n' {
		for range p.quotedBreaks() - 1 {
			buf = append(buf, '\n')
		}
		return buf
	}
	if r, ok := escaped(b); ok {
		p.advance()
		return utf8.AppendRune(buf, r)
	}
	digits := hexDigits(b)
	if digits == 0 {
		d := p.rep.Errorf(at, "unknown escape in a text in double quotes")
		d.Hint = `write a backslash as \\, or use single quotes`
		return buf
	}
	return p.escapedRune(buf, at, digits)
}

// hexDigits is how many digits follow the letter of an escape, 0 if it is none.
func hexDigits(letter byte) int {
	switch letter {
	case 'x':
		return 2
	case 'u':
		return 4
	case 'U':
		return 8
	}
	return 0
}

// escaped is the character that a backslash and b stand for.
func escaped(b byte) (rune, bool) {
	const from, to = "0abt\tnvfre \"/\\N_LP", "\x00\a\b\t\t\n\v\f\r\x1b \"/\\\u0085\u00a0\u2028\u2029"
	i := 0
	for _, r := range to {
		if from[i] == b {
			return r, true
		}
		i++
	}
	return 0, false
}

// escapedRune reads the hexadecimal digits of \x, \u or \U; two \u that are the
// halves of a surrogate pair are one character.
func (p *parser) escapedRune(buf []byte, at Pos, digits int) []byte {
	r, ok := p.hex(digits)
	if !ok {
		p.rep.Errorf(at, "an escape \\%c needs %d hexadecimal digits", p.peek(), digits)
		return buf
	}
	p.passHex(digits)
	if digits == 4 && utf16.IsSurrogate(r) && p.peek() == '\\' && p.ahead(1) == 'u' {
		look := *p
		look.advance()
		if low, ok := look.hex(4); ok && utf16.DecodeRune(r, low) != utf8.RuneError {
			p.advance()
			p.passHex(4)
			return utf8.AppendRune(buf, utf16.DecodeRune(r, low))
		}
	}
	if !utf8.ValidRune(r) {
		d := p.rep.Errorf(at, "the escape names no character: %s", runeName(r))
		if utf16.IsSurrogate(r) {
			d.Hint = "it is half of a surrogate pair; the other half is missing"
		}
		return buf
	}
	return utf8.AppendRune(buf, r)
}

// hex is the number that stands behind the letter at the cursor.
func (p *parser) hex(digits int) (rune, bool) {
	if p.off+1+digits > len(p.src) {
		return 0, false
	}
	n, err := strconv.ParseUint(p.src[p.off+1:p.off+1+digits], 16, 32)
	if err != nil {
		return 0, false
	}
	return rune(min(n, 0x7fffffff)), true
}

func (p *parser) passHex(digits int) {
	for range digits + 1 {
		p.advance()
	}
}

func runeName(r rune) string { return fmt.Sprintf("U+%04X", r) }
