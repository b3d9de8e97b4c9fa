package expression

import (
	"fmt"

	"github.com/expr-lang/expr/ast"
)

// function is a builtin without a body: what it takes, what it gives, and how.
type function struct {
	params   []kinds
	optional int  // how many of the last parameters may be left out
	rest     bool // the last parameter may be given any number of times
	result   func(args []Type) Type
	one      func(f *frame, x any) (any, error)
	run      func(f *frame, args []any) (any, error)
}

// gives is a result of the same type whatever the arguments are.
func gives(t Type) func([]Type) Type {
	return func([]Type) Type { return t }
}

// like is a result of the first argument's type.
func like(args []Type) Type {
	return Type{Kind: args[0].Kind, Elem: args[0].Elem, Shape: args[0].Shape}
}

// element is the result of a function that gives an element or null.
func element(args []Type) Type {
	t := args[0].Element()
	t.Nullable = true
	return t
}

// unary is a function of one argument.
func unary(takes kinds, result Type, run func(f *frame, x any) (any, error)) *function {
	return &function{params: []kinds{takes}, result: gives(result), one: run}
}

// lookup finds a builtin function, or nil.
func lookup(name string) *function {
	for _, find := range []func(string) *function{
		generalFunction, numberFunction, textFunction, listFunction, mapFunction, bitFunction, codecFunction,
	} {
		if fn := find(name); fn != nil {
			return fn
		}
	}
	return nil
}

func isFunction(name string) bool {
	return isPredicate(name) || lookup(name) != nil
}

// functionNames lists all builtins, for hints.
func functionNames() []string {
	return []string{
		"abs", "all", "any", "bitand", "bitnand", "bitnot", "bitor", "bitshl", "bitshr", "bitushr", "bitxor",
		"ceil", "concat", "count", "filter", "find", "findIndex", "findLast", "findLastIndex", "first",
		"flatten", "float", "floor", "fromBase64", "fromJSON", "fromPairs", "get", "groupBy", "hasPrefix",
		"hasSuffix", "indexOf", "int", "join", "keys", "last", "lastIndexOf", "len", "lower", "map", "max",
		"mean", "median", "min", "none", "one", "reduce", "repeat", "replace", "reverse", "round", "sort",
		"sortBy", "split", "splitAfter", "string", "sum", "take", "toBase64", "toJSON", "toPairs", "trim",
		"trimPrefix", "trimSuffix", "type", "uniq", "upper", "values",
	}
}

// unknownCall tells why a call is none of a builtin.
func (c *compiler) unknownCall(n *ast.CallNode) part {
	for _, argument := range n.Arguments {
		c.compile(argument)
	}
	name, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return c.fail(n, "functions are called as name(value)", "values have no methods")
	}
	if _, isName := c.scope.Lookup(name.Value); isName {
		return c.fail(n, "", "%q is a value and cannot be called", name.Value)
	}
	return c.fail(n, didYouMean(name.Value, functionNames()), "unknown function %s", quoted(name.Value))
}

// builtin compiles a call of a builtin.
func (c *compiler) builtin(n *ast.BuiltinNode) part {
	switch n.Name {
	case "now", "date", "duration", "timezone":
		return c.fail(n, "put times into the state as text or numbers",
			"there is no %s(): expressions know no clock and no times", n.Name)
	}
	if isPredicate(n.Name) && len(n.Arguments) > 1 {
		return c.predicate(n)
	}
	fn := lookup(n.Name)
	if fn == nil {
		return c.fail(n, didYouMean(n.Name, functionNames()), "unknown function %q", n.Name)
	}
	return c.call(n, fn)
}

func (c *compiler) call(n *ast.BuiltinNode, fn *function) part {
	args := make([]part, len(n.Arguments))
	types := make([]Type, len(args))
	for i, node := range n.Arguments {
		args[i] = c.compile(node)
		types[i] = args[i].kind
	}
	if !c.arity(n, fn) {
		return part{}
	}
	for i, node := range n.Arguments {
		if takes := fn.param(i); !takes.accepts(types[i]) {
			return c.fail(node, "", "%s needs %s, not %s", n.Name, takes, types[i])
		}
	}
	kind := fn.result(types)
	if fn.one != nil {
		return part{kind: kind, run: callOne(n, fn, args[0])}
	}
	return part{kind: kind, run: callMany(n, fn, args)}
}

// arity checks the number of arguments.
func (c *compiler) arity(n *ast.BuiltinNode, fn *function) bool {
	given, most := len(n.Arguments), len(fn.params)
	least := most - fn.optional
	if given >= least && (given <= most || fn.rest) {
		return true
	}
	takes := fmt.Sprint(least)
	switch {
	case fn.rest:
		takes = fmt.Sprintf("at least %d", least)
	case least < most:
		takes = fmt.Sprintf("%d to %d", least, most)
	}
	noun := "arguments"
	if takes == "1" {
		noun = "argument"
	}
	c.fail(n, "", "%s takes %s %s, not %d", n.Name, takes, noun, given)
	return false
}

// param is what the argument with the number may be.
func (fn *function) param(i int) kinds {
	return fn.params[min(i, len(fn.params)-1)]
}

func callOne(n *ast.BuiltinNode, fn *function, arg part) code {
	name, takes, offset, node := n.Name, fn.params[0], n.Location().From, n.Arguments[0]
	return func(f *frame) (any, error) {
		value, err := arg.run(f)
		if err != nil {
			return nil, err
		}
		if kind, ok := kindOf(value); !ok || !takes.has(kind) {
			return nil, at(offset, wrongArgument(name, takes, node, value))
		}
		value, err = fn.one(f, value)
		if err != nil {
			return nil, at(offset, err)
		}
		return value, nil
	}
}

func callMany(n *ast.BuiltinNode, fn *function, args []part) code {
	name, offset := n.Name, n.Location().From
	return func(f *frame) (any, error) {
		values := make([]any, len(args))
		for i, arg := range args {
			value, err := arg.run(f)
			if err != nil {
				return nil, err
			}
			if kind, ok := kindOf(value); !ok || !fn.param(i).has(kind) {
				return nil, at(offset, wrongArgument(name, fn.param(i), n.Arguments[i], value))
			}
			values[i] = value
		}
		value, err := fn.run(f, values)
		if err != nil {
			return nil, at(offset, err)
		}
		return value, nil
	}
}

func wrongArgument(name string, takes kinds, node ast.Node, value any) error {
	problem := &fault{message: fmt.Sprintf("%s needs %s, but %s is %s", name, takes, describe(node, "the argument"), kindName(value))}
	if value == nil {
		problem.hint = "give a value with ??, as in (name ?? \"\")"
	}
	return problem
}
