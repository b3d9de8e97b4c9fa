package source

import "strings"

// slot is where a value may stand in block style.
type slot struct {
	indent  int  // a value on a line of its own is indented more than this
	list    bool // or as much, if it is a list
	compact bool // a list or map may start in the middle of a line
	at      Pos  // where a value that is left out is said to stand
}

// blockGap is gap where lines are indented by spaces.
func (p *parser) blockGap() {
	p.gap()
	if p.fresh && p.tab && !p.eof() {
		p.fail(p.pos(), "a tab indents this line").Hint = "use spaces"
	}
}

// inside tells whether what stands at the cursor belongs to the slot.
func (p *parser) inside(s slot) bool {
	if p.eof() || p.marker() {
		return false
	}
	if !p.fresh || p.indent() > s.indent {
		return true
	}
	return s.list && p.indent() == s.indent && p.indicator('-')
}

// block reads the value of a slot.
func (p *parser) block(s slot) *Node {
	begin := p.settle(s)
	if !p.inside(s) {
		return p.node(Null, s.at)
	}
	pr := p.props()
	if !pr.any() || !p.lineDone() {
		return p.content(s, begin, pr)
	}
	a := p.open(pr)
	begin = p.settle(s)
	n := (*Node)(nil)
	if p.inside(s) {
		inner := p.props()
		n = p.content(s, begin, inner)
		if n.Pos != begin.pos() && pr.anchor != "" && inner.anchor != "" {
			p.fail(inner.pos, "a value can have only one anchor")
		}
	} else {
		n = p.node(Null, s.at)
	}
	p.close(a, n)
	return n
}

// settle goes on to the next value. A document that is one bracketed value, as
// JSON is, may be indented by tabs.
func (p *parser) settle(s slot) cursor {
	p.gap()
	if p.fresh && p.tab && !p.eof() && (s.indent >= 0 || strings.IndexByte("[{\"", p.peek()) < 0) {
		p.fail(p.pos(), "a tab indents this line").Hint = "use spaces"
	}
	return p.cursor
}

// content reads a value whose properties were read and stand at begin.
func (p *parser) content(s slot, begin cursor, pr props) *Node {
	if p.indicator('-') {
		return p.listHere(s, begin, pr)
	}
	if p.indicator('?') || p.indicator(':') {
		return p.mapping(s, begin, nil)
	}
	if b := p.peek(); b != '|' && b != '>' && b != '[' && b != '{' && b != '*' {
		return p.textOrMap(s, begin, pr)
	}
	a := p.open(pr)
	n := p.bracketed(s.indent, pr)
	p.close(a, n)
	p.blanks()
	if p.indicator(':') && !p.fresh {
		p.keyOf(n, false)
	}
	return n
}

// bracketed reads what cannot be a key.
func (p *parser) bracketed(indent int, pr props) *Node {
	switch p.peek() {
	case '[':
		return p.flowList()
	case '{':
		return p.flowMap()
	case '*':
		return p.alias(pr)
	default:
		return p.blockText(indent)
	}
}

// textOrMap reads a text; if a ':' follows, the text is the first key of a map
// and the properties are the key's.
func (p *parser) textOrMap(s slot, begin cursor, pr props) *Node {
	t := p.text(false)
	p.blanks()
	if p.indicator(':') {
		k := mapKey{text: t.value, pos: t.pos, merge: t.merge()}
		p.keyAnchor(pr, t)
		if p.line != t.pos.Line {
			p.fail(t.pos, "a key must stand on one line with its ':'")
		}
		return p.mapping(s, begin, &k)
	}
	if !t.quoted {
		t.value = p.blockLines(t, s.indent)
	}
	a := p.open(pr)
	n := p.scalar(t)
	p.close(a, n)
	return n
}

// blockLines reads the further lines of a text without quotes.
func (p *parser) blockLines(t text, indent int) string {
	joined := p.joinLines(t.value, false, func() bool {
		return p.indent() > indent && !p.tab
	})
	p.blanks()
	if p.line != t.pos.Line && p.indicator(':') {
		d := p.fail(p.lineStart(), "a key cannot stand here: this line goes on with the text of line %d", t.pos.Line)
		d.Hint = "indent the line as the key it belongs beside, or put the text in quotes"
	}
	return joined
}

// listHere reads a block list, if one may start here.
func (p *parser) listHere(s slot, begin cursor, pr props) *Node {
	if pr.any() || !begin.fresh && !s.compact {
		p.fail(p.pos(), "a list cannot start here in the middle of a line").Hint =
			"put each '- ' on a line of its own, or text in quotes"
		return p.node(List, begin.pos())
	}
	n := p.node(List, begin.pos())
	if !p.enter(n.Pos) {
		return n
	}
	defer p.leave()
	shared := begin.fresh && begin.indent() == s.indent
	for {
		n.Items = append(n.Items, p.item(begin.indent()))
		if !p.sibling(begin.indent()) {
			return n
		}
		if !p.indicator('-') {
			if !shared {
				p.fail(p.pos(), "an entry of the list above must start with '- '")
			}
			return n
		}
	}
}

func (p *parser) item(indent int) *Node {
	at := p.pos()
	p.advance()
	return p.block(slot{indent: indent, compact: p.spaced(), at: at})
}

// spaced tells whether only spaces separate the cursor from what follows on its
// line, so that its column can be an indent.
func (p *parser) spaced() bool {
	look := p.cursor
	look.blanks()
	return strings.IndexByte(p.src[p.off:look.off], '\t') < 0
}

// sibling goes on to the next entry of a block list or map, false at its end.
func (p *parser) sibling(indent int) bool {
	p.blockGap()
	switch {
	case p.eof() || p.marker():
		return false
	case !p.fresh:
		p.unexpected()
	case p.indent() > indent:
		p.fail(p.pos(), "this line is indented by %d, the entries it should stand beside by %d", p.indent(), indent)
	}
	return !p.failed && p.indent() == indent
}
