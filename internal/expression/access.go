package expression

import (
	"errors"
	"fmt"

	"github.com/expr-lang/expr/ast"
)

// errSkipped ends the rest of a chain a?.b.c whose ?. found null.
var errSkipped = errors.New("the chain ended at null")

// chain is a?.b.c: null where the value in front of a ?. is.
func (c *compiler) chain(n *ast.ChainNode) part {
	p := c.compile(n.Node)
	kind := p.kind
	kind.Nullable = true
	return part{kind: kind, run: func(f *frame) (any, error) {
		value, err := p.run(f)
		if err == errSkipped {
			return nil, nil
		}
		return value, err
	}}
}

// member is map.key, map["key"] and list[0].
func (c *compiler) member(n *ast.MemberNode) part {
	if base, ok := n.Node.(*ast.IdentifierNode); ok && base.Value == "$env" {
		return c.named(n)
	}
	base, property := c.compile(n.Node), c.compile(n.Property)
	if !c.canFetch(n, base.kind, property.kind) {
		return part{}
	}
	kind := base.kind.Element()
	if base.kind.Kind == Map {
		kind = c.key(n, base.kind)
	}
	offset := n.Location().From
	return part{kind: kind, run: func(f *frame) (any, error) {
		from, err := base.run(f)
		if err != nil {
			return nil, err
		}
		if from == nil && n.Optional {
			return nil, errSkipped
		}
		key, err := property.run(f)
		if err != nil {
			return nil, err
		}
		if from == nil {
			return nil, at(offset, fetchFromNull(n, key))
		}
		value, err := fetch(from, key)
		return value, at(offset, err)
	}}
}

// named is $env["my-field"].
func (c *compiler) named(n *ast.MemberNode) part {
	property, ok := n.Property.(*ast.StringNode)
	if !ok {
		return c.fail(n, "", `$env takes a name in quotes, as in $env["name"]`)
	}
	if kind, ok := c.scope.Lookup(property.Value); ok {
		return c.field(n.Property, property.Value, kind)
	}
	return c.fail(n.Property, c.nameHint(property.Value), "unknown name %s", quoted(property.Value))
}

// canFetch checks the types of base[key].
func (c *compiler) canFetch(n *ast.MemberNode, base, key Type) bool {
	wanted := texts | ints
	switch base.Kind {
	case Any:
	case Map:
		wanted = texts
	case List:
		wanted = ints
	case String:
		c.fail(n, "a part of a string is text[0:1]", "a string has no elements")
		return false
	default:
		c.fail(n, "", "%s has no elements", base)
		return false
	}
	if !wanted.accepts(key) {
		what := "a value"
		if base.Kind != Any {
			what = "a " + base.Kind.String()
		}
		hint := ""
		if base.Kind == Map && !lists.has(key.Kind) && key.Kind != Map {
			hint = "the keys of a map are strings: map[string(key)]"
		}
		c.fail(n.Property, hint, "an element of %s is named by %s, not %s", what, wanted, key)
		return false
	}
	return true
}

func fetchFromNull(n *ast.MemberNode, key any) error {
	return &fault{
		message: fmt.Sprintf("%s is null and has no element %s", describe(n.Node, "the value"), preview(key)),
		hint:    "?. instead of . gives null where the value is null",
	}
}

// preview shows a key in a message.
func preview(key any) string {
	if text, ok := key.(string); ok {
		return fmt.Sprintf("%.40q", text)
	}
	if n, ok := key.(int64); ok {
		return fmt.Sprint(n)
	}
	return kindName(key)
}

// fetch gives an element of a map or a list. A key that is missing gives
// null; an index counts from the end where it is negative.
func fetch(from, key any) (any, error) {
	switch base := from.(type) {
	case map[string]any:
		name, ok := key.(string)
		if !ok {
			return nil, faultf("an element of a map is named by a string, not %s", kindName(key))
		}
		return base[name], nil
	case []any:
		index, ok := key.(int64)
		if !ok {
			return nil, faultf("an element of a list is named by an int, not %s", kindName(key))
		}
		i, ok := indexIn(index, len(base))
		if !ok {
			return nil, &fault{
				message: fmt.Sprintf("index %d is outside the list of %d elements", index, len(base)),
				hint:    "get(list, index) gives null there",
			}
		}
		return base[i], nil
	case string:
		return nil, &fault{message: "a string has no elements", hint: "a part of a string is text[0:1]"}
	}
	return nil, faultf("%s has no elements", kindName(from))
}

// indexIn is the place of an index in a list of n elements.
func indexIn(index int64, n int) (int, bool) {
	if index < 0 {
		index += int64(n)
	}
	if index < 0 || index >= int64(n) {
		return 0, false
	}
	return int(index), true
}
