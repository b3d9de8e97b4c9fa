package source

import "fmt"

// parser reads one document. After the first failure its cursor stands at the
// end of the text, so that every loop ends.
type parser struct {
	cursor
	rep     *Report
	lim     Limits
	depth   int // lists and maps around the cursor
	peak    int // the largest depth since the innermost open anchor
	nodes   int // values read, those behind aliases counted each time
	anchors map[string]*anchor
	failed  bool
}

// fail reports the problem at which reading stops. Later ones are dropped.
func (p *parser) fail(at Pos, format string, args ...any) *Diagnostic {
	p.off = len(p.src)
	if p.failed {
		return &Diagnostic{}
	}
	p.failed = true
	return p.rep.add(at, Error, fmt.Sprintf(format, args...))
}

func (p *parser) node(kind Kind, at Pos) *Node {
	p.grow(1, at)
	return &Node{Kind: kind, Pos: at}
}

func (p *parser) grow(n int, at Pos) {
	p.nodes += n
	if p.nodes > p.lim.Nodes {
		p.fail(at, "the file holds more than %d values, where an alias counts as all it stands for", p.lim.Nodes)
	}
}

// enter begins a list or map; leave ends it.
func (p *parser) enter(at Pos) bool {
	p.depth++
	p.peak = max(p.peak, p.depth)
	if p.depth > p.lim.Depth {
		p.fail(at, "lists and maps stand more than %d deep inside one another", p.lim.Depth)
	}
	return !p.failed
}

func (p *parser) leave() { p.depth-- }

// document reads the whole text.
func (p *parser) document() *Node {
	p.directives()
	if p.marker() && p.peek() == '-' {
		p.skipMarker()
	}
	at := p.pos()
	p.gap()
	if p.eof() || p.marker() {
		p.fail(Pos{}, "the file holds no value")
		return nil
	}
	root := p.block(slot{indent: -1, at: at})
	p.end()
	return root
}

func (p *parser) skipMarker() {
	for range 3 {
		p.advance()
	}
}

// directives passes %YAML lines and stops behind the gap that follows them.
func (p *parser) directives() {
	seen := false
	for p.gap(); p.peek() == '%' && p.col == 1; p.gap() {
		at, from := p.pos(), p.off
		for !isBreak(p.peek()) {
			p.advance()
		}
		seen = true
		if !version(p.src[from:p.off]) {
			p.fail(at, "the only directive that is read is %%YAML 1.2")
		}
	}
	if seen && !p.failed && !p.marker() {
		p.fail(p.pos(), `a directive must be followed by a line "---"`)
	}
}

// version tells whether a line is "%YAML 1.x", perhaps with a comment.
func version(line string) bool {
	c := start(line)
	word := func() string {
		c.blanks()
		from := c.off
		for !isSpace(c.peek()) && !c.comment() {
			c.advance()
		}
		return line[from:c.off]
	}
	name, number := word(), word()
	c.blanks()
	ok := len(number) == 3 && number[:2] == "1." && number[2] >= '0' && number[2] <= '9'
	return name == "%YAML" && ok && c.lineDone()
}

// end makes sure that nothing follows the document.
func (p *parser) end() {
	p.gap()
	ended := false
	for p.marker() && p.peek() == '.' {
		ended = true
		p.skipMarker()
		p.blanks()
		if !p.lineDone() {
			p.fail(p.pos(), `unexpected text behind "..."`)
		}
		p.gap()
	}
	switch {
	case p.eof():
	case p.marker() || ended:
		d := p.fail(p.pos(), "a second document starts here, but a file may hold only one")
		d.Hint = `remove this line, or put what follows into a file of its own`
	default:
		p.unexpected()
	}
}

// unexpected fails with the text at the cursor, which nothing can hold.
func (p *parser) unexpected() {
	at, from := p.pos(), p.cursor
	for !isSpace(from.peek()) {
		from.advance()
	}
	word := excerpt(p.src[p.off:from.off])
	if p.fresh {
		p.fail(at, "%s does not belong to what stands above it", word)
		return
	}
	d := p.fail(at, "%s stands behind a value that is complete", word)
	d.Hint = "if it belongs to a text, put the whole text in quotes"
}
