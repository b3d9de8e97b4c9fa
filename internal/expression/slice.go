package expression

import (
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
)

// slice is list[from:to] and text[from:to].
func (c *compiler) slice(n *ast.SliceNode) part {
	base := c.compile(n.Node)
	if !(lists | texts).accepts(base.kind) {
		return c.fail(n, "", "%s has no part [from:to], a list or a string has", base.kind)
	}
	from, to := c.bound(n.From), c.bound(n.To)
	offset := n.Location().From
	kind := base.kind
	kind.Nullable = false
	return part{kind: kind, run: func(f *frame) (any, error) {
		value, err := base.run(f)
		if err != nil {
			return nil, err
		}
		if value == nil {
			return nil, at(offset, faultf("%s is null and has no part [from:to]", describe(n.Node, "the value")))
		}
		low, err := from(f, 0)
		if err != nil {
			return nil, err
		}
		high, err := to(f, maxMemory*maxMemory)
		if err != nil {
			return nil, err
		}
		value, err = cut(f, value, low, high)
		return value, at(offset, err)
	}}
}

// bound is one end of a slice, or another where none is written.
type bound func(f *frame, otherwise int64) (int64, error)

func (c *compiler) bound(node ast.Node) bound {
	if node == nil {
		return func(_ *frame, otherwise int64) (int64, error) { return otherwise, nil }
	}
	p := c.compile(node)
	if !ints.accepts(p.kind) {
		c.fail(node, "", "the ends of [from:to] are ints, not %s", p.kind)
	}
	offset := node.Location().From
	return func(f *frame, _ int64) (int64, error) {
		value, err := p.run(f)
		if err != nil {
			return 0, err
		}
		n, ok := value.(int64)
		if !ok {
			return 0, at(offset, faultf("the ends of [from:to] are ints, not %s", kindName(value)))
		}
		return n, nil
	}
}

// cut gives a part of a list or, counted in characters, of a string. Ends
// outside are moved to the ends of the value.
func cut(f *frame, value any, from, to int64) (any, error) {
	switch v := value.(type) {
	case []any:
		low, high := ends(from, to, len(v))
		return v[low:high:high], nil
	case string:
		// The characters are counted, and then looked up twice.
		if err := f.budget.read(4 * len(v)); err != nil {
			return nil, err
		}
		low, high := ends(from, to, utf8.RuneCountInString(v))
		start := byteOffset(v, low)
		return v[start : start+byteOffset(v[start:], high-low)], nil
	}
	return nil, faultf("%s has no part [from:to], a list or a string has", kindName(value))
}

func ends(from, to int64, n int) (low, high int) {
	high = clamp(to, n)
	return min(clamp(from, n), high), high
}

func clamp(index int64, n int) int {
	if index < 0 {
		index += int64(n)
	}
	return int(max(0, min(index, int64(n))))
}

// byteOffset is where the character with the number begins.
func byteOffset(text string, characters int) int {
	for i := range text {
		if characters == 0 {
			return i
		}
		characters--
	}
	return len(text)
}
