package source

import (
	"fmt"
	"unicode/utf8"
)

// flowGap is gap inside brackets, where the indent does not matter.
func (p *parser) flowGap() {
	p.gap()
	if p.marker() {
		p.fail(p.pos(), "the document ends inside a bracket that is not closed")
	}
}

// flowList reads "[…]".
func (p *parser) flowList() *Node {
	n := p.node(List, p.pos())
	if !p.enter(n.Pos) {
		return n
	}
	defer p.leave()
	for p.advance(); p.flowMore(n, ']'); {
		n.Items = append(n.Items, p.flowItem())
		p.flowComma(n, ']')
	}
	return n
}

// flowMap reads "{…}".
func (p *parser) flowMap() *Node {
	n := p.node(Map, p.pos())
	if !p.enter(n.Pos) {
		return n
	}
	defer p.leave()
	all := p.keys(n)
	for p.advance(); p.flowMore(n, '}'); {
		key := p.flowKey()
		value := p.flowValue(key)
		if p.failed {
			break
		}
		all.add(key, value)
		p.flowComma(n, '}')
	}
	return n
}

// flowMore tells whether another entry follows, and passes the closing bracket
// if none does.
func (p *parser) flowMore(open *Node, closing byte) bool {
	p.flowGap()
	switch b := p.peek(); {
	case p.eof():
		p.fail(open.Pos, "this bracket is not closed: '%c' is missing", closing)
		return false
	case b == closing:
		p.advance()
		return false
	case b == ',':
		p.fail(p.pos(), "a value is missing in front of ','")
		return false
	}
	return true
}

// flowComma passes the ',' behind an entry.
func (p *parser) flowComma(open *Node, closing byte) {
	p.flowGap()
	switch b := p.peek(); {
	case b == closing || p.eof():
	case b == ',':
		p.advance()
	default:
		p.noComma(open, closing)
	}
}

func (p *parser) noComma(open *Node, closing byte) {
	at, b := p.pos(), p.peek()
	template := b == '{' && p.off > 0 && p.src[p.off-1] == '$'
	found, _ := utf8.DecodeRuneInString(p.src[p.off:])
	d := p.fail(at, "expected ',' or '%c', found '%s'", closing, glyph(found))
	switch {
	case template:
		d.Hint = `inside brackets, text with ${…} needs quotes: "${…}"`
	case open.Pos.Line != at.Line:
		d.Hint = fmt.Sprintf("is the bracket of %s closed?", open.Pos)
	case b == ':':
		d.Hint = "is a ',' missing in front of the key?"
	}
}

// flowItem reads an element of a list, which may be a map of one entry without
// braces.
func (p *parser) flowItem() *Node {
	at, explicit := p.pos(), p.question()
	n := p.flowNode()
	p.flowGap()
	if !explicit && !p.colon(n.Quoted) {
		return n
	}
	pair := p.node(Map, at)
	if !p.enter(at) {
		return pair
	}
	defer p.leave()
	key := p.keyOf(n, explicit)
	if !explicit && p.line != at.Line {
		p.fail(at, "a key must stand on one line with its ':'")
	}
	p.keys(pair).add(key, p.flowValue(key))
	return pair
}

// flowKey reads a key inside braces.
func (p *parser) flowKey() mapKey {
	explicit := p.question()
	key := p.keyOf(p.flowNode(), explicit)
	p.flowGap()
	return key
}

// question passes the '?' of an explicit key.
func (p *parser) question() bool {
	if !p.indicator('?') {
		return false
	}
	p.advance()
	p.flowGap()
	return true
}

// flowValue reads ':' and the value behind it, if they are there.
func (p *parser) flowValue(key mapKey) *Node {
	at := p.pos()
	if !p.colon(p.behindQuote()) {
		return p.node(Null, key.pos)
	}
	p.advance()
	p.flowGap()
	if b := p.peek(); b == ',' || b == '}' || b == ']' {
		return p.node(Null, at)
	}
	return p.flowNode()
}

// behindQuote tells whether the cursor stands directly behind a quoted key.
func (p *parser) behindQuote() bool {
	if p.off == 0 {
		return false
	}
	b := p.src[p.off-1]
	return b == '"' || b == '\'' || isSpace(b)
}

// colon tells whether a ':' stands here that parts a key from its value.
// Behind a quoted key nothing need follow it.
func (p *parser) colon(quoted bool) bool {
	next := p.ahead(1)
	return p.peek() == ':' && (quoted || isSpace(next) || isFlow(next))
}

// flowNode reads a value inside brackets.
func (p *parser) flowNode() *Node {
	pr := p.props()
	if pr.any() {
		p.flowGap()
	}
	a := p.open(pr)
	n := p.flowContent(pr)
	p.close(a, n)
	return n
}

func (p *parser) flowContent(pr props) *Node {
	switch b := p.peek(); {
	case b == '[':
		return p.flowList()
	case b == '{':
		return p.flowMap()
	case b == '*':
		return p.alias(pr)
	case pr.any() && (b == ',' || b == ']' || b == '}'):
		return p.node(Null, pr.pos)
	case p.colon(false):
		return p.node(Null, p.pos())
	}
	t := p.text(true)
	if !t.quoted {
		t.value = p.joinLines(t.value, true, func() bool {
			return !isFlow(p.peek()) && !p.colon(false)
		})
	}
	return p.scalar(t)
}
