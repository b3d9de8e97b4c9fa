package state

import (
	"fmt"
	"reflect"
)

// place is where a field's value of type V lives in a state S: behind an
// accessor for a struct, in a cell for a Record.
type place[S, V any] struct {
	ref  func(*S) *V
	cell int
}

func (p *place[S, V]) load(s *S) V {
	if p.ref != nil {
		return *p.ref(s)
	}
	v, _ := any(s).(*Record).cells[p.cell].(V)
	return v
}

func (p *place[S, V]) store(s *S, v V) {
	if p.ref != nil {
		*p.ref(s) = v
		return
	}
	any(s).(*Record).cells[p.cell] = v
}

// set reports whether the field holds a value: a record's cell may not.
func (p *place[S, V]) set(s *S) bool {
	return p.ref != nil || any(s).(*Record).cells[p.cell] != nil
}

// clipped returns v with no room behind its end, if it is a slice.
func clipped[V any](v V) V {
	switch p := any(&v).(type) {
	case *[]string:
		*p = (*p)[:len(*p):len(*p)]
	case *[]any:
		*p = (*p)[:len(*p):len(*p)]
	case *any:
		if l, ok := (*p).([]any); ok && len(l) != cap(l) {
			*p = l[:len(l):len(l)]
		}
	default:
		return clippedSlice(v)
	}
	return v
}

func clippedSlice[V any](v V) V {
	if rv := reflect.ValueOf(&v).Elem(); rv.Kind() == reflect.Slice {
		rv.SetCap(rv.Len())
	}
	return v
}

// clips reports whether clipped may change values of type t.
func clips(t reflect.Type) bool {
	return t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Interface)
}

// spot identifies a field inside its struct: two handles with one spot are
// handles of one field.
type spot struct {
	offset uintptr
	typ    reflect.Type
	owner  reflect.Type
}

// locate finds the spot of a struct field by calling its accessor on a zero
// state. Accessors that follow pointers fail here, not in a run.
func locate[S, V any](ref func(*S) *V) (at spot, err error) {
	var zero S
	at.owner, at.typ = reflect.TypeFor[S](), reflect.TypeFor[V]()
	if ref == nil {
		return at, fmt.Errorf("the accessor is nil")
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the accessor fails on a zero %v (%v): fields behind embedded pointers cannot have handles", at.owner, r)
		}
	}()
	p := ref(&zero)
	if p == nil {
		return at, fmt.Errorf("the accessor returns nil for a zero %v: fields behind pointers cannot have handles", at.owner)
	}
	start, field := reflect.ValueOf(&zero).Pointer(), reflect.ValueOf(p).Pointer()
	switch {
	case at.typ.Size() == 0:
		return at, fmt.Errorf("type %v holds nothing: remove the field", at.typ)
	case field < start || field+at.typ.Size() > start+at.owner.Size():
		return at, fmt.Errorf("the accessor does not return a field of the %v it is given", at.owner)
	}
	at.offset = field - start
	return at, nil
}
