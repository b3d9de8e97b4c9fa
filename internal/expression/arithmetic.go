package expression

import (
	"math"
	"math/bits"

	"github.com/expr-lang/expr/ast"
)

// arithmetic compiles + - * / % ** and ^.
func (c *compiler) arithmetic(n *ast.BinaryNode, left, right part) part {
	l, r := left.kind, right.kind
	kind, ok := arithmeticType(n.Operator, l, r)
	if !ok {
		hint := ""
		if n.Operator == "+" && (l.Kind == String || r.Kind == String) {
			hint = "a value becomes text with string(value)"
		}
		if n.Operator == "+" && (l.Kind == List || r.Kind == List) {
			hint = "lists are joined with concat(a, b)"
		}
		return c.mismatch(n, l, r, hint)
	}
	do := arithmeticOperation(n.Operator)
	if do == nil {
		return c.fail(n, "", "unknown operator %q", n.Operator)
	}
	operator := n.Operator
	leftName, rightName := describe(n.Left, "the left side"), describe(n.Right, "the right side")
	return part{kind: kind, run: apply(n, left, right, func(f *frame, l, r any) (any, error) {
		switch {
		case l == nil:
			return nil, nullOperand(operator, leftName)
		case r == nil:
			return nil, nullOperand(operator, rightName)
		}
		return do(f, l, r)
	})}
}

// arithmeticType is the type of the result; ok is false where the operator
// cannot take values of the types.
func arithmeticType(operator string, l, r Type) (kind Type, ok bool) {
	takes := numbers
	switch operator {
	case "%":
		takes = ints
	case "+":
		takes = numbers | texts
	}
	if !takes.accepts(l) || !takes.accepts(r) || !canEqual(l, r) {
		return Type{}, false
	}
	switch {
	case operator == "%":
		return Type{Kind: Int}, true
	case operator == "/" || operator == "**" || operator == "^":
		return Type{Kind: Float}, true
	case l.Kind == Int && r.Kind == Int:
		return Type{Kind: Int}, true
	case l.Kind == String || r.Kind == String:
		return Type{Kind: String}, true
	case l.Kind == Float || r.Kind == Float:
		return Type{Kind: Float}, true
	}
	return Type{}, true
}

func arithmeticOperation(operator string) operation {
	switch operator {
	case "+":
		return add
	case "-":
		return subtract
	case "*":
		return multiply
	case "/":
		return divide
	case "%":
		return modulo
	case "**", "^":
		return power
	}
	return nil
}

func add(f *frame, l, r any) (any, error) {
	if a, ok := l.(int64); ok {
		if b, ok := r.(int64); ok {
			return sum(a, b)
		}
	}
	if a, ok := l.(string); ok {
		if b, ok := r.(string); ok {
			if err := f.budget.take(len(a) + len(b)); err != nil {
				return nil, err
			}
			return a + b, nil
		}
	}
	a, b, err := floats("+", l, r)
	if err != nil {
		return nil, err
	}
	return finite(a + b)
}

func sum(a, b int64) (any, error) {
	total := a + b
	if (total > a) != (b > 0) {
		return nil, overflow("+", a, b)
	}
	return total, nil
}

func subtract(_ *frame, l, r any) (any, error) {
	a, ok := l.(int64)
	b, both := r.(int64)
	if !ok || !both {
		x, y, err := floats("-", l, r)
		if err != nil {
			return nil, err
		}
		return finite(x - y)
	}
	rest := a - b
	if (rest < a) != (b > 0) {
		return nil, overflow("-", a, b)
	}
	return rest, nil
}

func multiply(_ *frame, l, r any) (any, error) {
	a, ok := l.(int64)
	b, both := r.(int64)
	if !ok || !both {
		x, y, err := floats("*", l, r)
		if err != nil {
			return nil, err
		}
		return finite(x * y)
	}
	high, low := bits.Mul64(magnitude(a), magnitude(b))
	negative := (a < 0) != (b < 0)
	if high != 0 || low > math.MaxInt64+1 || low == math.MaxInt64+1 && !negative {
		return nil, overflow("*", a, b)
	}
	return a * b, nil
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

func divide(_ *frame, l, r any) (any, error) {
	a, b, err := floats("/", l, r)
	if err != nil {
		return nil, err
	}
	if b == 0 {
		return nil, faultf("division by zero")
	}
	return finite(a / b)
}

func modulo(_ *frame, l, r any) (any, error) {
	a, ok := l.(int64)
	b, both := r.(int64)
	switch {
	case !ok || !both:
		return nil, faultf("%% needs two ints, not %s and %s", kindName(l), kindName(r))
	case b == 0:
		return nil, faultf("division by zero")
	}
	return a % b, nil
}

func power(_ *frame, l, r any) (any, error) {
	a, b, err := floats("**", l, r)
	if err != nil {
		return nil, err
	}
	return finite(math.Pow(a, b))
}
