package expression

import (
	"maps"
	"slices"

	"github.com/expr-lang/expr/ast"
)

// Shape is what is known of the keys of a map. It must not be changed once a
// Type refers to it.
type Shape struct {
	// Keys are the keys there are, each with the type of its value. A key that
	// may be missing is nullable.
	Keys map[string]Type
	// Open says that there may be others, of which nothing is known.
	Open bool
}

// Record is the type of a map with the shape given.
func Record(s *Shape) Type { return Type{Kind: Map, Shape: s} }

// Records is the type of a list of maps of one shape.
func Records(s *Shape) Type { return Type{Kind: List, Elem: Map, Shape: s} }

// key is the type of map.key. It reports a key that the map cannot have.
func (c *compiler) key(n *ast.MemberNode, base Type) Type {
	name, ok := n.Property.(*ast.StringNode)
	if base.Kind != Map || base.Shape == nil || !ok {
		return Type{}
	}
	if t, ok := base.Shape.Keys[name.Value]; ok {
		return t
	}
	if !base.Shape.Open {
		keys := slices.Sorted(maps.Keys(base.Shape.Keys))
		c.fail(n.Property, didYouMean(name.Value, keys), "%s has no %s", describe(n.Node, "the map"), quoted(name.Value))
	}
	return Type{}
}
