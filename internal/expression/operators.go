package expression

import (
	"fmt"

	"github.com/expr-lang/expr/ast"
)

// operation is what a binary operator does with two values.
type operation func(f *frame, left, right any) (any, error)

// unary is !, not, + and -.
func (c *compiler) unary(n *ast.UnaryNode) part {
	if n.Operator == "!" || n.Operator == "not" {
		holds := c.test(n.Node, n.Operator)
		return part{kind: Type{Kind: Bool}, run: func(f *frame) (any, error) {
			value, err := holds(f)
			return !value, err
		}}
	}
	p := c.compile(n.Node)
	if !numbers.accepts(p.kind) {
		return c.fail(n, "", "%s needs a number, not %s", n.Operator, p.kind)
	}
	minus, offset := n.Operator == "-", n.Location().From
	return part{kind: Type{Kind: p.kind.Kind}, run: func(f *frame) (any, error) {
		value, err := p.run(f)
		if err != nil {
			return nil, err
		}
		if value == nil {
			return nil, at(offset, nullOperand(n.Operator, describe(n.Node, "the value")))
		}
		value, err = signed(value, minus)
		return value, at(offset, err)
	}}
}

func nullOperand(operator, name string) error {
	return &fault{
		message: name + " is null, " + operator + " needs a value",
		hint:    "give it one with ??, as in (name ?? 0)",
	}
}

// binary compiles an operator with two sides.
func (c *compiler) binary(n *ast.BinaryNode) part {
	switch n.Operator {
	case "&&", "and":
		return c.logical(n, false)
	case "||", "or":
		return c.logical(n, true)
	case "??":
		return c.coalesce(n)
	}
	if p, ok := c.dashed(n); ok {
		return p
	}
	left, right := c.compile(n.Left), c.compile(n.Right)
	switch n.Operator {
	case "==", "!=":
		return c.equality(n, left, right)
	case "<", "<=", ">", ">=":
		return c.ordering(n, left, right)
	case "in":
		return c.membership(n, left, right)
	case "contains", "startsWith", "endsWith":
		return c.textTest(n, left, right)
	case "matches":
		return c.matches(n, left, right)
	case "..":
		return c.interval(n, left, right)
	}
	return c.arithmetic(n, left, right)
}

// dashed finds a name like my-field, which reads as a difference.
func (c *compiler) dashed(n *ast.BinaryNode) (part, bool) {
	name, first := dashedName(n)
	if name == "" {
		return part{}, false
	}
	_, isName := c.scope.Lookup(name)
	if _, known := c.scope.Lookup(first.Value); known || !isName {
		return part{}, false
	}
	return c.fail(first, fmt.Sprintf("the name %q is written $env[%q]", name, name), "unknown name %q", first.Value), true
}

// dashedName is a-b-c as one name, and its first identifier.
func dashedName(node ast.Node) (string, *ast.IdentifierNode) {
	switch n := node.(type) {
	case *ast.IdentifierNode:
		return n.Value, n
	case *ast.BinaryNode:
		right, ok := n.Right.(*ast.IdentifierNode)
		if n.Operator != "-" || !ok {
			break
		}
		left, first := dashedName(n.Left)
		if left != "" && len(left) < maxShown {
			return left + "-" + right.Value, first
		}
	}
	return "", nil
}

// apply evaluates both sides and then the operation.
func apply(n *ast.BinaryNode, left, right part, do operation) code {
	offset := n.Location().From
	return func(f *frame) (any, error) {
		l, err := left.run(f)
		if err != nil {
			return nil, err
		}
		r, err := right.run(f)
		if err != nil {
			return nil, err
		}
		value, err := do(f, l, r)
		if err != nil {
			return nil, at(offset, err)
		}
		return value, nil
	}
}

// mismatch is the problem of an operator whose sides do not go together.
func (c *compiler) mismatch(n *ast.BinaryNode, left, right Type, hint string) part {
	return c.fail(n, hint, "%s does not take %s and %s", n.Operator, left, right)
}

// canEqual says whether values of two types can be equal.
func canEqual(a, b Type) bool {
	return a.Kind == b.Kind || a.Kind == Any || b.Kind == Any ||
		a.Kind == Null || b.Kind == Null || a.isNumber() && b.isNumber()
}

func (c *compiler) equality(n *ast.BinaryNode, left, right part) part {
	if !canEqual(left.kind, right.kind) {
		return c.fail(n, "", "%s compares %s with %s, which are never equal", n.Operator, left.kind, right.kind)
	}
	wanted := n.Operator == "=="
	return part{kind: Type{Kind: Bool}, run: apply(n, left, right, func(f *frame, l, r any) (any, error) {
		same, err := equal(&f.budget, l, r)
		return same == wanted, err
	})}
}

func (c *compiler) ordering(n *ast.BinaryNode, left, right part) part {
	ordered := numbers | texts
	l, r := left.kind, right.kind
	if !ordered.accepts(l) || !ordered.accepts(r) || !canEqual(l, r) {
		return c.mismatch(n, l, r, "")
	}
	operator := n.Operator
	return part{kind: Type{Kind: Bool}, run: apply(n, left, right, func(f *frame, l, r any) (any, error) {
		if l == nil || r == nil {
			return false, nil
		}
		order, err := compare(&f.budget, l, r)
		if err != nil {
			return nil, err
		}
		return holds(operator, order), nil
	})}
}

// holds says whether an order, below, at or above 0, is the operator's.
func holds(operator string, order int) bool {
	switch operator {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

func (c *compiler) membership(n *ast.BinaryNode, left, right part) part {
	l, r := left.kind, right.kind
	switch {
	case r.Kind == String:
		return c.mismatch(n, l, r, "a text in a text is found with contains")
	case !(lists | mapsOnly | 1<<Null).accepts(r):
		return c.mismatch(n, l, r, "the right side is a list or a map")
	case r.Kind == Map && !(texts | 1<<Null).accepts(l):
		return c.mismatch(n, l, r, "the keys of a map are strings")
	case r.Kind == List && !canEqual(l, r.Element()):
		return c.fail(n, "", "in looks for %s in a %s, which it is never in", l, r)
	}
	return part{kind: Type{Kind: Bool}, run: apply(n, left, right, contained)}
}

func (c *compiler) textTest(n *ast.BinaryNode, left, right part) part {
	accepted := texts | 1<<Null
	if !accepted.accepts(left.kind) || !accepted.accepts(right.kind) {
		hint := ""
		if left.kind.Kind == List {
			hint = "an element of a list is found with in: value in list"
		}
		return c.mismatch(n, left.kind, right.kind, hint)
	}
	find := textOperation(n.Operator)
	return part{kind: Type{Kind: Bool}, run: apply(n, left, right, find)}
}

func (c *compiler) interval(n *ast.BinaryNode, left, right part) part {
	if !ints.accepts(left.kind) || !ints.accepts(right.kind) {
		return c.mismatch(n, left.kind, right.kind, "a range goes from an int to an int")
	}
	run := apply(n, left, right, func(f *frame, l, r any) (any, error) {
		from, ok := l.(int64)
		to, both := r.(int64)
		if !ok || !both {
			return nil, faultf(".. needs two ints, not %s and %s", kindName(l), kindName(r))
		}
		return sequenceOf(f, from, to)
	})
	return part{kind: Type{Kind: List, Elem: Int}, run: run}
}

// sequenceOf lists the ints between two, both included.
func sequenceOf(f *frame, from, to int64) (any, error) {
	if to < from {
		return []any{}, nil
	}
	size := uint64(to) - uint64(from)
	if size >= maxMemory {
		return nil, limitf("the range %d..%d has more elements than fit in %d MiB", from, to, maxMemory>>20)
	}
	n := int(size) + 1
	if err := f.budget.list(n); err != nil {
		return nil, err
	}
	list := make([]any, n)
	for i := range list {
		list[i] = from + int64(i)
	}
	return list, nil
}
