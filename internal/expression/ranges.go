package expression

import (
	"slices"

	"github.com/expr-lang/expr/ast"
)

// Comparison compares a name, or a key of one, with a constant.
type Comparison struct {
	Name  string // "n", "payload.kind", "len(items)"
	Op    string // == != < <= > >=
	Value any    // nil: null
}

// mostRanges is how many alternatives a condition may have.
const mostRanges = 64

// Ranges gives the condition as alternatives of comparisons that must all
// hold, for reasoning about it; nil if it is not made of such comparisons
// alone.
func (c *Condition) Ranges() [][]Comparison {
	node, problem := parse(c.text, c.scope)
	if problem != nil {
		return nil
	}
	return ranges(node)
}

func ranges(node ast.Node) [][]Comparison {
	switch n := node.(type) {
	case *ast.BoolNode:
		if n.Value {
			return [][]Comparison{{}}
		}
		return [][]Comparison{}
	case *ast.UnaryNode:
		if n.Operator == "!" || n.Operator == "not" {
			return opposite(ranges(n.Node))
		}
	case *ast.BinaryNode:
		switch n.Operator {
		case "&&", "and":
			return bothOf(ranges(n.Left), ranges(n.Right))
		case "||", "or":
			return eitherOf(ranges(n.Left), ranges(n.Right))
		}
		return single(comparison(n))
	}
	if name := rangeName(node); name != "" {
		return [][]Comparison{{{name, "==", true}}}
	}
	return nil
}

func single(c Comparison, ok bool) [][]Comparison {
	if !ok {
		return nil
	}
	return [][]Comparison{{c}}
}

func eitherOf(a, b [][]Comparison) [][]Comparison {
	if a == nil || b == nil || len(a)+len(b) > mostRanges {
		return nil
	}
	return slices.Concat([][]Comparison{}, a, b)
}

func bothOf(a, b [][]Comparison) [][]Comparison {
	if a == nil || b == nil || len(a)*len(b) > mostRanges {
		return nil
	}
	out := [][]Comparison{}
	for _, left := range a {
		for _, right := range b {
			out = append(out, slices.Concat(left, right))
		}
	}
	return out
}

// opposite is the negation of one comparison for equality. That of an order is
// none: with null neither it nor its opposite holds.
func opposite(a [][]Comparison) [][]Comparison {
	if len(a) != 1 || len(a[0]) != 1 {
		return nil
	}
	c := a[0][0]
	switch c.Op {
	case "==":
		c.Op = "!="
	case "!=":
		c.Op = "=="
	default:
		return nil
	}
	return [][]Comparison{{c}}
}

// comparison reads a name beside a constant.
func comparison(n *ast.BinaryNode) (Comparison, bool) {
	op := n.Operator
	name, value, ok := rangeName(n.Left), any(nil), false
	if name != "" {
		value, ok = literalOf(n.Right)
	} else if name = rangeName(n.Right); name != "" {
		value, ok = literalOf(n.Left)
		op = mirrored(op)
	}
	switch op {
	case "==", "!=", "<", "<=", ">", ">=":
		return Comparison{name, op, value}, ok
	}
	return Comparison{}, false
}

func mirrored(op string) string {
	switch op {
	case "<":
		return ">"
	case "<=":
		return ">="
	case ">":
		return "<"
	case ">=":
		return "<="
	}
	return op
}

// rangeName is the name or path that a node reads, or the length of one.
func rangeName(node ast.Node) string {
	switch n := node.(type) {
	case *ast.IdentifierNode, *ast.ChainNode:
		if path := pathOf(n); path != "null" {
			return path
		}
	case *ast.MemberNode:
		if key, ok := n.Property.(*ast.StringNode); ok && Direct(key.Value) {
			return pathOf(n)
		}
	case *ast.BuiltinNode:
		if n.Name == "len" && len(n.Arguments) == 1 {
			if inner := rangeName(n.Arguments[0]); inner != "" {
				return "len(" + inner + ")"
			}
		}
	}
	return ""
}

// literalOf is the value of a constant.
func literalOf(node ast.Node) (any, bool) {
	switch n := node.(type) {
	case *ast.NilNode:
		return nil, true
	case *ast.BoolNode:
		return n.Value, true
	case *ast.IntegerNode:
		return int64(n.Value), true
	case *ast.FloatNode:
		return n.Value, true
	case *ast.StringNode:
		return n.Value, true
	case *ast.IdentifierNode:
		return nil, n.Value == "null"
	case *ast.UnaryNode:
		v, ok := literalOf(n.Node)
		switch x := v.(type) {
		case int64:
			return -x, ok && n.Operator == "-"
		case float64:
			return -x, ok && n.Operator == "-"
		}
	}
	return nil, false
}
