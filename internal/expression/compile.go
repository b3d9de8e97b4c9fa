package expression

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
)

// part is a compiled node: how it is evaluated, and what type it has.
type part struct {
	run  code
	kind Type
}

// compiler checks an expression and builds its code in one walk.
type compiler struct {
	scope    Scope
	problems Errors
	locals   []local
	slots    int
	loops    []loopScope
	shared   map[ast.Node]*sharing
	nodes    int
	variable bool
}

// local is a name made by let.
type local struct {
	name string
	kind Type
	slot int
}

// loopScope is what the body of a predicate may point at.
type loopScope struct {
	elem   Type
	reduce bool
}

// sharing is the slot of a node that stands twice in the tree, which the
// parser makes of a < b < c.
type sharing struct {
	slot int
	kind Type
	done bool
}

// compile makes a program of a text; its errors count offsets in that text.
func compile(text string, scope Scope) (*program, Errors) {
	node, problem := parse(text, scope)
	if problem != nil {
		return nil, Errors{problem}
	}
	c := &compiler{scope: scope, shared: map[ast.Node]*sharing{}}
	root := c.compile(node)
	if len(c.problems) > 0 {
		return nil, c.problems
	}
	return &program{root: root.run, locals: c.slots, kind: root.kind, constant: !c.variable}, nil
}

// fail notes a problem. The part it gives takes any place, so that one
// mistake is told once.
func (c *compiler) fail(node ast.Node, hint, format string, args ...any) part {
	if len(c.problems) < maxProblems {
		c.problems = append(c.problems, &Error{
			Offset:  node.Location().From,
			Message: fmt.Sprintf(format, args...),
			Hint:    hint,
		})
	}
	return part{}
}

// compile compiles a node, or reads it from its slot where it was evaluated
// already.
func (c *compiler) compile(node ast.Node) part {
	s := c.shared[node]
	if s == nil {
		return c.node(node)
	}
	slot := s.slot
	if s.done {
		return part{kind: s.kind, run: func(f *frame) (any, error) { return f.locals[slot], nil }}
	}
	p := c.node(node)
	s.kind, s.done = p.kind, true
	return part{kind: p.kind, run: func(f *frame) (any, error) {
		value, err := p.run(f)
		f.locals[slot] = value
		return value, err
	}}
}

func (c *compiler) node(node ast.Node) part {
	c.nodes++
	switch n := node.(type) {
	case *ast.IdentifierNode:
		return c.identifier(n)
	case *ast.UnaryNode:
		return c.unary(n)
	case *ast.BinaryNode:
		return c.binary(n)
	case *ast.ChainNode:
		return c.chain(n)
	case *ast.MemberNode:
		return c.member(n)
	case *ast.SliceNode:
		return c.slice(n)
	case *ast.CallNode:
		return c.unknownCall(n)
	case *ast.BuiltinNode:
		return c.builtin(n)
	case *ast.PointerNode:
		return c.pointer(n)
	case *ast.VariableDeclaratorNode:
		return c.let(n)
	case *ast.SequenceNode:
		return c.sequence(n)
	case *ast.ConditionalNode:
		return c.conditional(n)
	case *ast.ArrayNode:
		return c.array(n)
	case *ast.MapNode:
		return c.mapping(n)
	}
	return c.literal(node)
}

func (c *compiler) literal(node ast.Node) part {
	switch n := node.(type) {
	case *ast.NilNode:
		return constant(nil, Type{Kind: Null})
	case *ast.IntegerNode:
		return constant(int64(n.Value), Type{Kind: Int})
	case *ast.FloatNode:
		return constant(n.Value, Type{Kind: Float})
	case *ast.BoolNode:
		return constant(n.Value, Type{Kind: Bool})
	case *ast.StringNode:
		if !utf8.ValidString(n.Value) {
			return c.fail(node, "", "the string is not valid UTF-8")
		}
		return constant(n.Value, Type{Kind: String})
	case *ast.BytesNode:
		return c.fail(node, "write it without the b", "there are no byte strings")
	}
	return c.fail(node, "", "%T is not supported here", node)
}

func constant(value any, kind Type) part {
	return part{kind: kind, run: func(*frame) (any, error) { return value, nil }}
}

// identifier is a name made by let, or of the scope, or null.
func (c *compiler) identifier(n *ast.IdentifierNode) part {
	for i := len(c.locals) - 1; i >= 0; i-- {
		if l := c.locals[i]; l.name == n.Value {
			return part{kind: l.kind, run: func(f *frame) (any, error) { return f.locals[l.slot], nil }}
		}
	}
	if kind, ok := c.scope.Lookup(n.Value); ok && n.Value != "$env" {
		return c.field(n, n.Value, kind)
	}
	switch {
	case n.Value == "null":
		return constant(nil, Type{Kind: Null})
	case n.Value == "$env":
		return c.fail(n, `write $env["name"]`, "$env is not a value by itself")
	}
	return c.fail(n, c.nameHint(n.Value), "unknown name %s", quoted(n.Value))
}

// field reads a name of the scope.
func (c *compiler) field(node ast.Node, name string, kind Type) part {
	c.variable = true
	offset := node.Location().From
	return part{kind: kind, run: func(f *frame) (any, error) {
		value, _ := f.env.Lookup(name)
		if _, ok := kindOf(value); !ok {
			return nil, at(offset, faultf("%q holds a %T, which expressions do not know", name, value))
		}
		return value, nil
	}}
}

// nameHint says what may have been meant by an unknown name.
func (c *compiler) nameHint(name string) string {
	if len(c.problems) >= maxProblems {
		return ""
	}
	names := c.scope.Names()
	for _, l := range c.locals {
		names = append(names, l.name)
	}
	if hint := didYouMean(name, names); hint != "" {
		return hint
	}
	if isFunction(name) {
		return "the function is called as " + name + "(…)"
	}
	if len(names) == 0 {
		return "no names are known here"
	}
	return ""
}

// newSlot makes room for one value in the frame.
func (c *compiler) newSlot() int {
	c.slots++
	return c.slots - 1
}

// quoted puts a name into quotes and shortens it where it is very long.
func quoted(name string) string {
	if runes := []rune(name); len(runes) > maxShown {
		name = string(runes[:maxShown]) + "…"
	}
	return strconv.Quote(name)
}

// describe names the operand in an error: the name or path as written, or
// its side.
func describe(node ast.Node, otherwise string) string {
	if path := pathOf(node); path != "" {
		return quoted(path)
	}
	return otherwise
}

// pathOf is the name or path a node reads, or nothing for other nodes.
func pathOf(node ast.Node) string {
	switch n := node.(type) {
	case *ast.IdentifierNode:
		return n.Value
	case *ast.PointerNode:
		return "#" + n.Name
	case *ast.ChainNode:
		return pathOf(n.Node)
	case *ast.MemberNode:
		base := pathOf(n.Node)
		if base == "" {
			return ""
		}
		switch property := n.Property.(type) {
		case *ast.StringNode:
			return base + "." + property.Value
		case *ast.IntegerNode:
			return base + "[" + strconv.Itoa(property.Value) + "]"
		}
	}
	return ""
}
