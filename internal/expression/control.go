package expression

import "github.com/expr-lang/expr/ast"

// test evaluates a node to a truth value. Null counts as false.
type test func(f *frame) (bool, error)

// test compiles a node where a condition is wanted.
func (c *compiler) test(node ast.Node, what string) test {
	p := c.compile(node)
	if !(bools | 1<<Null).accepts(p.kind) {
		c.fail(node, "", "%s needs a bool, not %s", what, p.kind)
	}
	return truth(p.run, node, what)
}

func truth(run code, node ast.Node, what string) test {
	offset := node.Location().From
	return func(f *frame) (bool, error) {
		value, err := run(f)
		if err != nil {
			return false, err
		}
		switch v := value.(type) {
		case bool:
			return v, nil
		case nil:
			return false, nil
		}
		return false, at(offset, faultf("%s needs a bool, but %s is %s", what, describe(node, "the value"), kindName(value)))
	}
}

// logical is && and ||: the right side is not evaluated where the left side
// decides.
func (c *compiler) logical(n *ast.BinaryNode, decides bool) part {
	c.shareComparison(n)
	left, right := c.test(n.Left, n.Operator), c.test(n.Right, n.Operator)
	return part{kind: Type{Kind: Bool}, run: func(f *frame) (any, error) {
		value, err := left(f)
		if err != nil || value == decides {
			return value, err
		}
		return right(f)
	}}
}

// shareComparison gives the middle of a < b < c a slot, since the parser puts
// the same node on both sides of its &&.
func (c *compiler) shareComparison(n *ast.BinaryNode) {
	right, ok := n.Right.(*ast.BinaryNode)
	if !ok {
		return
	}
	left, ok := n.Left.(*ast.BinaryNode)
	if ok && (left.Operator == "&&" || left.Operator == "and") {
		left, ok = left.Right.(*ast.BinaryNode)
	}
	if ok && left.Right == right.Left {
		c.shared[right.Left] = &sharing{slot: c.newSlot()}
	}
}

func (c *compiler) conditional(n *ast.ConditionalNode) part {
	cond := c.test(n.Cond, "the condition of ?:")
	then, otherwise := c.compile(n.Exp1), c.compile(n.Exp2)
	return part{kind: either(then.kind, otherwise.kind), run: func(f *frame) (any, error) {
		holds, err := cond(f)
		if err != nil {
			return nil, err
		}
		if holds {
			return then.run(f)
		}
		return otherwise.run(f)
	}}
}

// coalesce is ??: the right side where the left is null.
func (c *compiler) coalesce(n *ast.BinaryNode) part {
	left, right := c.compile(n.Left), c.compile(n.Right)
	kind := right.kind
	if left.kind.Kind != Null {
		given := left.kind
		given.Nullable = false
		kind = either(given, right.kind)
		kind.Nullable = right.kind.MayBeNull()
	}
	return part{kind: kind, run: func(f *frame) (any, error) {
		value, err := left.run(f)
		if err != nil || value != nil {
			return value, err
		}
		return right.run(f)
	}}
}

// let names a value for the expression behind it.
func (c *compiler) let(n *ast.VariableDeclaratorNode) part {
	if c.isTaken(n.Name) {
		c.fail(n, "choose another name", "%q is a name already", n.Name)
	}
	value := c.compile(n.Value)
	slot := c.newSlot()
	c.locals = append(c.locals, local{name: n.Name, kind: value.kind, slot: slot})
	body := c.compile(n.Expr)
	c.locals = c.locals[:len(c.locals)-1]
	return part{kind: body.kind, run: func(f *frame) (any, error) {
		v, err := value.run(f)
		if err != nil {
			return nil, err
		}
		f.locals[slot] = v
		return body.run(f)
	}}
}

func (c *compiler) isTaken(name string) bool {
	if _, ok := c.scope.Lookup(name); ok || isFunction(name) {
		return true
	}
	for _, l := range c.locals {
		if l.name == name {
			return true
		}
	}
	return name == "null" || name == "$env"
}

// sequence is a; b: each is evaluated, the last is the value.
func (c *compiler) sequence(n *ast.SequenceNode) part {
	parts := make([]part, len(n.Nodes))
	for i, node := range n.Nodes {
		parts[i] = c.compile(node)
	}
	last := parts[len(parts)-1]
	return part{kind: last.kind, run: func(f *frame) (any, error) {
		for _, p := range parts[:len(parts)-1] {
			if _, err := p.run(f); err != nil {
				return nil, err
			}
		}
		return last.run(f)
	}}
}
