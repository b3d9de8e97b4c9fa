package source

import "strings"

// mapKey is a key of a map that was read.
type mapKey struct {
	text     string
	pos      Pos
	merge    bool // it is << without quotes
	explicit bool // it was written behind a '?'
}

// keys builds the entries of a map.
type keys struct {
	rep  *Report
	node *Node
	seen map[string]Pos
}

func (p *parser) keys(n *Node) *keys {
	return &keys{rep: p.rep, node: n, seen: map[string]Pos{}}
}

// add reports a key that cannot be added, and adds the others.
func (k *keys) add(key mapKey, value *Node) {
	if key.merge {
		d := k.rep.Errorf(key.pos, "merge keys (<<) are not part of YAML 1.2")
		d.Hint = `write the entries out, or "<<" in quotes for a key of that name`
		return
	}
	if first, double := k.seen[key.text]; double {
		k.rep.Errorf(key.pos, "the key %s is given twice, first at %s", excerpt(key.text), first)
		return
	}
	k.seen[key.text] = key.pos
	k.node.Entries = append(k.node.Entries, Entry{Key: key.text, KeyPos: key.pos, Value: value})
}

// mapping reads a block map that starts at begin. The first key may have been
// read already, up to its ':'.
func (p *parser) mapping(s slot, begin cursor, first *mapKey) *Node {
	n := p.node(Map, begin.pos())
	if !begin.fresh && !s.compact {
		d := p.fail(begin.pos(), "a map cannot start here in the middle of a line")
		d.Hint = `put each key on a line of its own; text that holds ": " needs quotes`
		return n
	}
	if begin.fresh && begin.tab {
		p.fail(begin.pos(), "a tab indents this line").Hint = "use spaces"
	}
	if !p.enter(n.Pos) {
		return n
	}
	defer p.leave()
	all, indent := p.keys(n), begin.indent()
	for {
		key := p.key(indent, first)
		first = nil
		value := p.value(indent, key)
		if p.failed {
			return n
		}
		all.add(key, value)
		if !p.sibling(indent) {
			return n
		}
	}
}

// key reads a key of a block map up to its ':', or behind it if it is explicit.
func (p *parser) key(indent int, read *mapKey) mapKey {
	switch {
	case read != nil:
		return *read
	case p.indicator('?'):
		return p.explicitKey(indent)
	case p.indicator(':'):
		p.fail(p.pos(), "the key in front of ':' is missing")
	case p.indicator('-'):
		p.fail(p.pos(), "an entry of a list cannot stand between the keys of a map").Hint =
			"indent it under the key it belongs to"
	case strings.IndexByte("[{*", p.peek()) >= 0:
		p.fail(p.pos(), "a key must be text")
	}
	pr := p.props()
	t := p.text(false)
	p.keyAnchor(pr, t)
	p.blanks()
	if !p.indicator(':') || p.line != t.pos.Line {
		p.noColon(t)
	}
	return mapKey{text: t.value, pos: t.pos, merge: t.merge()}
}

// noColon fails with a line that has no ':' where a key must stand.
func (p *parser) noColon(t text) {
	d := p.fail(t.pos, "expected a key and ':', found %s", excerpt(t.value))
	if before, after, ok := strings.Cut(t.value, ":"); ok && !t.quoted {
		d.Hint = "write a space behind the colon: " + excerpt(before+": "+after)
	}
}

func (p *parser) explicitKey(indent int) mapKey {
	at := p.pos()
	p.advance()
	n := p.block(slot{indent: indent, compact: p.spaced(), at: at})
	return p.keyOf(n, true)
}

// keyOf takes a node that was read as a key.
func (p *parser) keyOf(n *Node, explicit bool) mapKey {
	p.nodes--
	switch {
	case n.alias:
		p.fail(n.Pos, "a key must be written out, it cannot be an alias")
	case n.Kind == List || n.Kind == Map:
		p.fail(n.Pos, "a key must be text, but this is %s", n.Kind)
	case n.Kind == Null && n.Text == "":
		p.fail(n.Pos, "a key is missing here")
	}
	merge := n.Kind == String && !n.Quoted && n.Text == mergeKey
	return mapKey{text: n.Text, pos: n.Pos, merge: merge, explicit: explicit}
}

// value reads the value of a block map's key.
func (p *parser) value(indent int, key mapKey) *Node {
	if key.explicit && (!p.sibling(indent) || !p.indicator(':')) {
		return p.node(Null, key.pos)
	}
	at := p.pos()
	p.advance()
	compact := key.explicit && p.spaced()
	return p.block(slot{indent: indent, list: true, compact: compact, at: at})
}
