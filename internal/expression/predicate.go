package expression

import (
	"github.com/expr-lang/expr/ast"
)

// predicate is a builtin that evaluates a body for the elements of a list.
type predicate struct {
	name   string
	list   part
	body   part
	holds  test
	extra  *part // the start of reduce, the order of sortBy
	what   string
	level  int
	cost   int
	offset int
}

// isPredicate says whether the builtin takes a body.
func isPredicate(name string) bool {
	switch name {
	case "all", "any", "none", "one", "filter", "map", "find", "findIndex",
		"findLast", "findLastIndex", "count", "sum", "groupBy", "sortBy", "reduce":
		return true
	}
	return false
}

// predicate compiles the list, the body and what else there is.
func (c *compiler) predicate(n *ast.BuiltinNode) part {
	p := &predicate{
		name: n.Name, level: len(c.loops), offset: n.Location().From,
		what: describe(n.Arguments[0], "the value"),
	}
	p.list = c.compile(n.Arguments[0])
	if !lists.accepts(p.list.kind) {
		c.fail(n.Arguments[0], "", "%s needs a list, not %s", p.name, p.list.kind)
	}
	if len(n.Arguments) > 2 {
		extra := c.compile(n.Arguments[2])
		p.extra = &extra
	}
	if p.level >= maxNesting {
		return c.fail(n, "make the inner list with let, before the predicate",
			"%s stands in a predicate that stands in a predicate: predicates nest at most once", n.Name)
	}
	c.body(p, n.Arguments[1])
	run := p.runner()
	if p.name == "sortBy" && p.extra != nil && !texts.accepts(p.extra.kind) {
		c.fail(n.Arguments[2], `write "asc" or "desc"`, "the order of sortBy is a string, not %s", p.extra.kind)
	}
	return part{kind: p.result(), run: func(f *frame) (any, error) {
		items, err := p.items(f)
		if err != nil {
			return nil, at(p.offset, err)
		}
		value, err := run(f, items)
		if err != nil {
			return nil, at(p.offset, err)
		}
		return value, nil
	}}
}

// body compiles what is evaluated for each element, where # points at it.
func (c *compiler) body(p *predicate, node ast.Node) {
	if wrapped, ok := node.(*ast.PredicateNode); ok {
		node = wrapped.Node
	}
	c.loops = append(c.loops, loopScope{elem: p.list.kind.Element(), reduce: p.name == "reduce"})
	before := c.nodes
	p.body = c.compile(node)
	p.cost = max(1, c.nodes-before)
	c.loops = c.loops[:len(c.loops)-1]
	switch p.name {
	case "sum":
		if !numbers.accepts(p.body.kind) {
			c.fail(node, "", "sum adds numbers, not %s", p.body.kind)
		}
	case "map", "groupBy", "sortBy", "reduce":
	default:
		what := "the condition of " + p.name
		if !(bools | 1<<Null).accepts(p.body.kind) {
			c.fail(node, "", "%s needs a bool, not %s", what, p.body.kind)
		}
		p.holds = truth(p.body.run, node, what)
	}
}

// pointer is #, #index or #acc in a body.
func (c *compiler) pointer(n *ast.PointerNode) part {
	level := len(c.loops) - 1
	if level < 0 {
		return c.fail(n, "", "# is known in a predicate only")
	}
	switch {
	case n.Name == "":
		return part{kind: c.loops[level].elem, run: func(f *frame) (any, error) { return f.loops[level].item, nil }}
	case n.Name == "index":
		return part{kind: Type{Kind: Int}, run: func(f *frame) (any, error) { return int64(f.loops[level].index), nil }}
	case n.Name == "acc" && c.loops[level].reduce:
		return part{run: func(f *frame) (any, error) { return f.loops[level].acc, nil }}
	}
	return c.fail(n, "there are #, #index and, in reduce, #acc", "unknown pointer #%s", n.Name)
}

// result is the type of the predicate's value.
func (p *predicate) result() Type {
	elem := p.list.kind.Element()
	maybe := elem
	maybe.Nullable = true
	switch p.name {
	case "all", "any", "none", "one":
		return Type{Kind: Bool}
	case "count":
		return Type{Kind: Int}
	case "findIndex", "findLastIndex":
		return Type{Kind: Int, Nullable: true}
	case "find", "findLast":
		return maybe
	case "filter", "sortBy":
		return listOf(elem)
	case "map":
		return listOf(p.body.kind)
	case "sum":
		return sumType(p.body.kind)
	case "groupBy":
		return Type{Kind: Map}
	}
	if p.extra != nil {
		return either(p.body.kind, p.extra.kind)
	}
	return either(p.body.kind, elem)
}

// sumType is the type of a sum of values of a type; the sum of nothing is the
// int 0.
func sumType(t Type) Type {
	if t.Kind == Int {
		return Type{Kind: Int}
	}
	return Type{}
}

// items evaluates the list and checks its length before the loop.
func (p *predicate) items(f *frame) ([]any, error) {
	value, err := p.list.run(f)
	if err != nil {
		return nil, err
	}
	items, ok := value.([]any)
	if !ok {
		return nil, faultf("%s needs a list, but %s is %s", p.name, p.what, kindName(value))
	}
	if len(items) > MaxLoop {
		return nil, limitf("%s loops over a list of at most %d elements, %s has %d", p.name, MaxLoop, p.what, len(items))
	}
	return items, nil
}

// point makes # the element with the index and pays for one round.
func (p *predicate) point(f *frame, items []any, i int) error {
	l := &f.loops[p.level]
	l.item, l.index = items[i], i
	return f.budget.spend(p.cost)
}

// value evaluates the body for one element.
func (p *predicate) value(f *frame, items []any, i int) (any, error) {
	if err := p.point(f, items, i); err != nil {
		return nil, err
	}
	return p.body.run(f)
}

// matches evaluates the condition for one element.
func (p *predicate) matches(f *frame, items []any, i int) (bool, error) {
	if err := p.point(f, items, i); err != nil {
		return false, err
	}
	return p.holds(f)
}
