package expression

import (
	"maps"
	"slices"
	"unicode"
)

// Scope is the names an expression may use, with their types. It is immutable
// and may be used by many goroutines; the zero Scope has no names.
type Scope struct {
	types map[string]Type
	more  *binding // names that were added, the last one first
}

// binding is a name added to a scope.
type binding struct {
	name string
	kind Type
	next *binding
}

// NewScope makes a scope of names and types. The map is copied; nil is no
// names.
func NewScope(types map[string]Type) Scope {
	return Scope{types: maps.Clone(types)}
}

// With gives a scope that has one name more, or the name with another type:
// `it` inside each, the keys of a send's input, what `into` bound.
func (s Scope) With(name string, t Type) Scope {
	return Scope{types: s.types, more: &binding{name, t, s.more}}
}

// Lookup gives the type of a name, and whether the scope has it.
func (s Scope) Lookup(name string) (Type, bool) {
	for b := s.more; b != nil; b = b.next {
		if b.name == name {
			return b.kind, true
		}
	}
	t, ok := s.types[name]
	return t, ok
}

// Names lists the names, sorted. The caller may keep and change the list.
func (s Scope) Names() []string {
	names := slices.Collect(maps.Keys(s.types))
	for b := s.more; b != nil; b = b.next {
		names = append(names, b.name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Direct says whether a name can be written in an expression as it is. Any
// other name is reached as $env["name"].
func Direct(name string) bool {
	if isReserved(name) {
		return false
	}
	for i, r := range name {
		if !isLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return name != ""
}

func isLetter(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r)
}

// isReserved says whether the language reads the word as something else than
// a name.
func isReserved(word string) bool {
	switch word {
	case "true", "false", "nil", "not", "in", "and", "or", "matches",
		"contains", "startsWith", "endsWith", "let", "if", "else", "$env":
		return true
	}
	return false
}
