package source

import "strings"

// manyAnchors is how many anchors a file may have for an unknown one to be
// compared with all of them.
const manyAnchors = 1000

// props are what may stand in front of a value: an anchor and a tag. Tags are
// reported and dropped.
type props struct {
	anchor string
	tag    bool
	pos    Pos
}

func (pr props) any() bool { return pr.anchor != "" || pr.tag }

// anchor is a value with a name, open until the value is read.
type anchor struct {
	pos    Pos
	node   *Node // nil while it is open
	size   int   // values in it
	height int   // lists and maps inside one another in it
	from   int   // the parser's node count when it was opened
	peak   int   // the parser's peak before it was opened
}

// props reads the anchor and tag in front of a value on its line.
func (p *parser) props() props {
	pr := props{pos: p.pos()}
	for {
		at := p.pos()
		switch p.peek() {
		case '&':
			name := p.name()
			if pr.anchor != "" {
				p.fail(at, "a value can have only one anchor")
			}
			if name == "" {
				p.fail(at, "the name of the anchor is missing behind '&'").Hint = "if it is text, put it in quotes"
			}
			pr.anchor = name
		case '!':
			d := p.rep.Errorf(at, "tags are not read: %s", excerpt("!"+p.name()))
			d.Hint = "write a number plain and a text in quotes; text that starts with '!' needs quotes"
			pr.tag = true
		default:
			return pr
		}
		p.blanks()
	}
}

// name passes one byte and reads the name behind it.
func (p *parser) name() string {
	p.advance()
	from := p.off
	for !isSpace(p.peek()) && !isFlow(p.peek()) {
		p.advance()
	}
	return p.src[from:p.off]
}

// open begins the value of an anchor; close ends it. Without an anchor both do
// nothing.
func (p *parser) open(pr props) *anchor {
	if pr.anchor == "" {
		return nil
	}
	a := &anchor{pos: pr.pos, from: p.nodes, peak: p.peak}
	p.anchors[pr.anchor] = a
	p.peak = p.depth
	return a
}

func (p *parser) close(a *anchor, n *Node) {
	if a == nil {
		return
	}
	a.node, a.size, a.height = n, p.nodes-a.from, p.peak-p.depth
	p.peak = max(p.peak, a.peak)
}

// keyAnchor gives the anchor of a key its text.
func (p *parser) keyAnchor(pr props, t text) {
	if pr.anchor != "" {
		p.anchors[pr.anchor] = &anchor{pos: pr.pos, size: 1, node: &Node{Kind: String, Pos: t.pos, Text: t.value, Quoted: t.quoted}}
	}
}

// alias reads '*' and a name. The value shares its children with the one that
// is named, and counts as large as it is.
func (p *parser) alias(pr props) *Node {
	at, name := p.pos(), p.name()
	if pr.anchor != "" {
		p.fail(pr.pos, "an alias cannot have an anchor")
	}
	a := p.anchors[name]
	switch {
	case name == "":
		p.fail(at, "the name of the anchor is missing behind '*'").Hint = "if it is text, put it in quotes"
	case a == nil:
		p.noAnchor(at, name)
	case a.node == nil:
		p.rep.Errorf(at, "*%s stands inside the value it names, which starts at %s", name, a.pos)
	default:
		return p.unfold(a, at)
	}
	return p.node(Null, at)
}

func (p *parser) noAnchor(at Pos, name string) {
	d := p.rep.Errorf(at, "no value above has the anchor &%s", strings.Trim(excerpt(name), `"`))
	d.Hint = "text that starts with '*' needs quotes"
	if p.rep.full() || len(p.anchors) > manyAnchors {
		return
	}
	names := make([]string, 0, len(p.anchors))
	for known := range p.anchors {
		names = append(names, known)
	}
	if near, ok := Nearest(name, names); ok {
		d.Hint = didYouMean("*" + near)
	}
}

func (p *parser) unfold(a *anchor, at Pos) *Node {
	p.grow(a.size, at)
	p.peak = max(p.peak, p.depth+a.height)
	if p.depth+a.height > p.lim.Depth {
		p.fail(at, "what the alias stands for makes lists and maps stand more than %d deep inside one another", p.lim.Depth)
	}
	n := *a.node
	n.Pos, n.alias = at, true
	return &n
}
