package expression

import (
	"github.com/expr-lang/expr/ast"
)

// array is [a, b].
func (c *compiler) array(n *ast.ArrayNode) part {
	parts := make([]part, len(n.Nodes))
	var elem Type
	for i, node := range n.Nodes {
		parts[i] = c.compile(node)
		if i == 0 {
			elem = parts[i].kind
		} else {
			elem = either(elem, parts[i].kind)
		}
	}
	offset := n.Location().From
	return part{kind: listOf(elem), run: func(f *frame) (any, error) {
		if err := f.budget.list(len(parts)); err != nil {
			return nil, at(offset, err)
		}
		list := make([]any, len(parts))
		for i, p := range parts {
			value, err := p.run(f)
			if err != nil {
				return nil, err
			}
			list[i] = value
		}
		return list, nil
	}}
}

// entry is one key and value of a map being built.
type entry struct {
	key, value part
	offset     int
}

// mapping is {key: value, (expression): value}.
func (c *compiler) mapping(n *ast.MapNode) part {
	entries := make([]entry, 0, len(n.Pairs))
	seen := make(map[string]bool, len(n.Pairs))
	for _, node := range n.Pairs {
		pair, ok := node.(*ast.PairNode)
		if !ok {
			return c.fail(node, "", "%T is not an entry of a map", node)
		}
		key := c.compile(pair.Key)
		if name, ok := pair.Key.(*ast.StringNode); ok {
			if seen[name.Value] {
				c.fail(pair.Key, "", "the key %q stands twice in the map", name.Value)
			}
			seen[name.Value] = true
		}
		if !texts.accepts(key.kind) {
			c.fail(pair.Key, "a value becomes text with string(value)", "the keys of a map are strings, not %s", key.kind)
		}
		entries = append(entries, entry{key: key, value: c.compile(pair.Value), offset: pair.Key.Location().From})
	}
	return part{kind: Type{Kind: Map}, run: func(f *frame) (any, error) { return buildMap(f, entries) }}
}

func buildMap(f *frame, entries []entry) (any, error) {
	built := make(map[string]any, len(entries))
	for _, e := range entries {
		if err := f.budget.take(entrySize); err != nil {
			return nil, at(e.offset, err)
		}
		key, err := e.key.run(f)
		if err != nil {
			return nil, err
		}
		name, ok := key.(string)
		if !ok {
			return nil, at(e.offset, faultf("the keys of a map are strings, not %s", kindName(key)))
		}
		if built[name], err = e.value.run(f); err != nil {
			return nil, err
		}
	}
	return built, nil
}
