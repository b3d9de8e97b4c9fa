package source

import "strings"

const mergeKey = "<<"

// text is a text that was read, before it is known what it means.
type text struct {
	value  string
	pos    Pos
	quoted bool
}

func (t text) merge() bool { return !t.quoted && t.value == mergeKey }

// text reads a quoted text, or the first line of one without quotes.
func (p *parser) text(flow bool) text {
	t := text{pos: p.pos()}
	if b := p.peek(); b == '"' || b == '\'' {
		t.quoted, t.value = true, p.quoted()
		return t
	}
	if !p.mayStart(flow) {
		return t
	}
	t.value = p.plain(flow)
	return t
}

// mayStart fails where a text without quotes cannot start.
func (p *parser) mayStart(flow bool) bool {
	b, next := p.peek(), p.ahead(1)
	switch {
	case p.eof() || p.lineDone():
		p.fail(p.pos(), "a value is missing here")
	case strings.IndexByte("@`%&*!|>#", b) >= 0:
		p.fail(p.pos(), "a text without quotes cannot start with '%c'", b).Hint = "put the text in quotes"
	case strings.IndexByte(",]}", b) >= 0:
		p.fail(p.pos(), "unexpected '%c'", b)
	case strings.IndexByte("-?:", b) >= 0 && (isSpace(next) || flow && isFlow(next)):
		p.fail(p.pos(), "unexpected '%c'", b).Hint = "if it is text, put it in quotes"
	}
	return !p.failed
}

// plain reads a text without quotes up to the end of its line, a comment, a ':'
// that parts key and value, or a bracket or comma inside brackets.
func (p *parser) plain(flow bool) string {
	from, end := p.off, p.off
	for i := from; i < len(p.src); i++ {
		b, next := p.src[i], byte(0)
		if i+1 < len(p.src) {
			next = p.src[i+1]
		}
		if b == '\n' || flow && isFlow(b) || b == '#' && i > from && isBlank(p.src[i-1]) {
			break
		}
		if b == ':' && (isSpace(next) || flow && isFlow(next)) {
			break
		}
		if !isBlank(b) {
			end = i + 1
		}
	}
	p.to(end)
	return p.src[from:end]
}

// joinLines reads the further lines of a text without quotes, as long as goes
// says of the start of a line that it belongs to the text.
func (p *parser) joinLines(first string, flow bool, goes func() bool) string {
	var joined []byte
	for {
		back := p.cursor
		breaks := p.breaks()
		if p.failed || breaks == 0 || p.eof() || p.marker() || p.peek() == '#' || !goes() {
			if !p.failed {
				p.cursor = back
			}
			break
		}
		line := p.plain(flow)
		if line == "" {
			p.cursor = back
			break
		}
		if joined == nil {
			joined = []byte(first)
		}
		joined = append(foldBreaks(joined, breaks), line...)
	}
	if joined == nil {
		return first
	}
	return string(joined)
}

// breaks passes blanks and line breaks and counts the latter.
func (p *parser) breaks() int {
	n := 0
	for {
		p.blanks()
		if p.peek() != '\n' {
			return n
		}
		p.advance()
		n++
	}
}

// foldBreaks adds what a number of line breaks means: one is a space, more are
// one less.
func foldBreaks(dst []byte, n int) []byte {
	if n == 1 {
		return append(dst, ' ')
	}
	for range n - 1 {
		dst = append(dst, '\n')
	}
	return dst
}
