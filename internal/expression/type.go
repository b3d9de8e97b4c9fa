package expression

import "strings"

// Kind is what sort of value an expression gives.
type Kind uint8

// The kinds. Any is not known before the evaluation; Null is the kind of an
// expression that is nothing but nil.
const (
	Any Kind = iota
	Null
	Bool
	Int
	Float
	String
	List
	Map
)

// String names the kind as graph files do.
func (k Kind) String() string {
	switch k {
	case Any:
		return "any"
	case Null:
		return "null"
	case Bool:
		return "bool"
	case Int:
		return "int"
	case Float:
		return "float"
	case String:
		return "string"
	case List:
		return "list"
	case Map:
		return "map"
	}
	return "unknown"
}

// Type is what is known of a value before the evaluation. The zero Type is
// any value.
type Type struct {
	// Kind is the kind of the value where it is not null.
	Kind Kind
	// Nullable says that the value may be null. Any and Null always may.
	Nullable bool
	// Elem is the kind of a list's elements; Any where they differ, may be
	// null, or are not known. It means nothing for other kinds.
	Elem Kind
	// Shape is what is known of a map's keys, or of those of the maps in a
	// list; nil: nothing.
	Shape *Shape
}

// String names the type: "string", "list of int", "int or null".
func (t Type) String() string {
	name := t.Kind.String()
	if t.Kind == List && t.Elem != Any {
		name += " of " + t.Elem.String()
	}
	if t.Nullable && t.Kind != Any && t.Kind != Null {
		name += " or null"
	}
	return name
}

// MayBeNull says whether a value of the type can be null.
func (t Type) MayBeNull() bool {
	return t.Nullable || t.Kind == Any || t.Kind == Null
}

func (t Type) isNumber() bool { return t.Kind == Int || t.Kind == Float }

// Element is the type of a list's elements: of `it` inside each. It is any
// value for every other type.
func (t Type) Element() Type {
	if t.Kind == List {
		return Type{Kind: t.Elem, Shape: t.Shape}
	}
	return Type{}
}

// listOf is the type of a list whose elements are of the type given.
func listOf(elem Type) Type {
	if elem.MayBeNull() {
		return Type{Kind: List}
	}
	return Type{Kind: List, Elem: elem.Kind, Shape: elem.Shape}
}

// either is the type of a value that is of one type or the other.
func either(a, b Type) Type {
	nullable := a.MayBeNull() || b.MayBeNull()
	switch {
	case a.Kind == Null && b.Kind == Null:
		return Type{Kind: Null}
	case a.Kind == Null:
		return Type{Kind: b.Kind, Elem: b.Elem, Nullable: true, Shape: b.Shape}
	case b.Kind == Null:
		return Type{Kind: a.Kind, Elem: a.Elem, Nullable: true, Shape: a.Shape}
	case a.Kind != b.Kind:
		return Type{}
	case a.Elem != b.Elem:
		return Type{Kind: a.Kind, Nullable: nullable}
	}
	t := Type{Kind: a.Kind, Elem: a.Elem, Nullable: nullable}
	if a.Shape == b.Shape {
		t.Shape = a.Shape
	}
	return t
}

// kinds is a set of kinds.
type kinds uint16

const (
	bools    kinds = 1 << Bool
	ints     kinds = 1 << Int
	numbers  kinds = 1<<Int | 1<<Float
	texts    kinds = 1 << String
	lists    kinds = 1 << List
	mapsOnly kinds = 1 << Map
	anything kinds = 1<<Null | bools | numbers | texts | lists | mapsOnly
)

func (k kinds) has(kind Kind) bool { return k&(1<<kind) != 0 }

// accepts says whether a value of the type can be one of the kinds.
func (k kinds) accepts(t Type) bool {
	return t.Kind == Any || k.has(t.Kind)
}

// String lists the kinds: "a string, list or map".
func (k kinds) String() string {
	if k == anything {
		return "any value"
	}
	if k == numbers {
		return "a number"
	}
	var names []string
	for _, kind := range []Kind{String, List, Map, Int, Float, Bool} {
		if k.has(kind) {
			names = append(names, kind.String())
		}
	}
	article := "a "
	if names[0] == "int" {
		article = "an "
	}
	if len(names) == 1 {
		return article + names[0]
	}
	last := len(names) - 1
	return article + strings.Join(names[:last], ", ") + " or " + names[last]
}

// kindOf is the kind of a value; ok is false for values that are none of an
// expression's.
func kindOf(value any) (kind Kind, ok bool) {
	switch value.(type) {
	case nil:
		return Null, true
	case bool:
		return Bool, true
	case int64:
		return Int, true
	case float64:
		return Float, true
	case string:
		return String, true
	case []any:
		return List, true
	case map[string]any:
		return Map, true
	}
	return Any, false
}

// kindName is the name of a value's kind for messages.
func kindName(value any) string {
	kind, _ := kindOf(value)
	return kind.String()
}
