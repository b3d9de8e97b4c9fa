package expression

import (
	"regexp"
	"regexp/syntax"

	"github.com/expr-lang/expr/ast"
)

// pattern is a regular expression with what it costs to match a byte.
type pattern struct {
	expression *regexp.Regexp
	size       int
}

// matches is text matches pattern. A pattern that is written out is checked
// when the expression is compiled.
func (c *compiler) matches(n *ast.BinaryNode, left, right part) part {
	accepted := texts | 1<<Null
	if !accepted.accepts(left.kind) || !accepted.accepts(right.kind) {
		return c.mismatch(n, left.kind, right.kind, "")
	}
	written, ok := n.Right.(*ast.StringNode)
	if !ok {
		return part{kind: Type{Kind: Bool}, run: apply(n, left, right, matchAny)}
	}
	p, err := newPattern(written.Value)
	if err != nil {
		return c.fail(n.Right, "", "%v", err)
	}
	return part{kind: Type{Kind: Bool}, run: apply(n, left, right, func(f *frame, l, _ any) (any, error) {
		return p.match(f, l)
	})}
}

// matchAny matches a text with a pattern known at run time only.
func matchAny(f *frame, l, r any) (any, error) {
	if l == nil || r == nil {
		return false, nil
	}
	text, ok := r.(string)
	if !ok {
		return nil, faultf("matches needs a pattern that is a string, not %s", kindName(r))
	}
	p, err := newPattern(text)
	if err != nil {
		return nil, err
	}
	if err := f.budget.spend(100*len(text) + 20*p.size); err != nil {
		return nil, err
	}
	return p.match(f, l)
}

func newPattern(text string) (*pattern, error) {
	if len(text) > maxPattern {
		return nil, limitf("the pattern has %d bytes, at most %d are allowed", len(text), maxPattern)
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, faultf("the pattern is not a regular expression: %v", err)
	}
	size := patternSize(tree)
	if size > maxPatternSize {
		return nil, limitf("the pattern repeats so much that it becomes larger than %d", maxPatternSize)
	}
	expression, err := regexp.Compile(text)
	if err != nil {
		return nil, faultf("the pattern is not a regular expression: %v", err)
	}
	return &pattern{expression: expression, size: size}, nil
}

// patternSize is how large a pattern is with its repetitions written out.
func patternSize(tree *syntax.Regexp) int {
	size := 1 + len(tree.Rune)
	for _, sub := range tree.Sub {
		size += patternSize(sub)
	}
	if tree.Op == syntax.OpRepeat {
		size *= max(1, tree.Min, tree.Max)
	}
	return min(size, 1<<30)
}

// match pays for the worst case, in which every part of the pattern is tried
// at every byte.
func (p *pattern) match(f *frame, value any) (any, error) {
	if value == nil {
		return false, nil
	}
	text, ok := value.(string)
	if !ok {
		return nil, faultf("matches needs a string, not %s", kindName(value))
	}
	if err := f.budget.spend(1 + len(text)*p.size); err != nil {
		return nil, err
	}
	return p.expression.MatchString(text), nil
}
