package source

import "strings"

// blockText reads a text that starts with '|' or '>' on the line before it.
// Its lines are indented more than indent.
func (p *parser) blockText(indent int) *Node {
	n := p.node(String, p.pos())
	n.Quoted = true
	b := blockText{folded: p.peek() == '>', least: indent + 1}
	p.advance()
	p.blockHeader(&b, indent)
	for !p.eof() && p.blockLine(&b) {
	}
	if b.deepest > b.width && b.some {
		p.fail(n.Pos, "an empty line in front of the text is indented more than the text")
	}
	n.Text = b.finish()
	return n
}

// blockText is a block text as far as it was read.
type blockText struct {
	folded  bool
	chomp   byte // '-' drops the last line break, '+' keeps all, 0 keeps one
	width   int  // the indent of the text, once it is known
	known   bool
	least   int // the smallest indent it may have
	deepest int // the largest indent of an empty line in front of the text

	out   strings.Builder
	some  bool // a line was written
	empty int  // line breaks of empty lines since then
	more  bool // the last line was indented more than the text
}

// blockHeader reads the rest of the line of the '|' or '>'.
func (p *parser) blockHeader(b *blockText, indent int) {
	for range 2 {
		switch c := p.peek(); {
		case (c == '+' || c == '-') && b.chomp == 0:
			b.chomp = c
			p.advance()
		case c >= '1' && c <= '9' && !b.known:
			b.known, b.width = true, max(indent, 0)+int(c-'0')
			p.advance()
		}
	}
	at := p.pos()
	p.blanks()
	if !p.lineDone() {
		p.fail(at, "behind '|' or '>' only '+', '-', a digit for the indent and a comment may stand").Hint =
			"the text starts on the next line; a text of one line that starts so needs quotes"
	}
	p.restOfLine()
	p.advance()
}

// restOfLine passes what stands before the next line break and returns it.
func (p *parser) restOfLine() string {
	from := p.off
	for !isBreak(p.peek()) {
		p.advance()
	}
	return p.src[from:p.off]
}

// blockLine reads one line of the text, false if the next line is not part of
// it.
func (p *parser) blockLine(b *blockText) bool {
	back, spaces := p.cursor, 0
	for p.peek() == ' ' && (!b.known || spaces < b.width) {
		p.advance()
		spaces++
	}
	if isBreak(p.peek()) {
		if !b.known {
			b.deepest = max(b.deepest, spaces)
		}
		if !p.eof() || spaces > 0 {
			b.empty++
		}
		p.advance()
		return true
	}
	if !b.known && spaces >= b.least {
		b.known, b.width = true, spaces
	}
	if !b.known || spaces < b.width || back.marker() {
		p.cursor = back
		return false
	}
	b.add(p.restOfLine())
	p.advance()
	return true
}

// add writes a line behind the line breaks that part it from the one before.
func (b *blockText) add(line string) {
	more := isBlank(line[0])
	switch {
	case !b.some:
		b.breaks(b.empty)
	case !b.folded || more || b.more:
		b.breaks(b.empty + 1)
	case b.empty == 0:
		b.out.WriteByte(' ')
	default:
		b.breaks(b.empty)
	}
	b.out.WriteString(line)
	b.some, b.empty, b.more = true, 0, more
}

func (b *blockText) breaks(n int) {
	for range n {
		b.out.WriteByte('\n')
	}
}

// finish ends the text with the line breaks it keeps. The end of the file counts
// as one.
func (b *blockText) finish() string {
	last := 1
	if !b.some {
		last = 0
	}
	switch b.chomp {
	case '-':
	case '+':
		b.breaks(last + b.empty)
	default:
		b.breaks(last)
	}
	return b.out.String()
}
