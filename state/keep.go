package state

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

func typeOf[V any]() reflect.Type { return reflect.TypeFor[V]() }

// mapped is what persistent maps offer for looking at their types.
type mapped interface{ mapType() reflect.Type }

// persistent returns the map type that stands for a Dict's; false if t is no
// Dict.
func persistent(t reflect.Type) (reflect.Type, bool) {
	if t.Kind() != reflect.Struct || !t.Implements(typeOf[mapped]()) {
		return nil, false
	}
	return reflect.Zero(t).Interface().(mapped).mapType(), true
}

// holdsAny reports whether values of t may hold `any` somewhere, whose
// contents only a look at the value can judge.
func holdsAny(t reflect.Type, seen []reflect.Type) bool {
	if m, ok := persistent(t); ok {
		return holdsAny(m, seen)
	}
	if slices.Contains(seen, t) || codesItself(t) {
		return false
	}
	switch seen = append(seen, t); t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return holdsAny(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if holdsAny(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}

// codesItself reports whether t has its own JSON or text form, both ways.
func codesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(typeOf[json.Marshaler]()) && p.Implements(typeOf[json.Unmarshaler]()) || codesText(t)
}

func codesText(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(typeOf[encoding.TextMarshaler]()) && p.Implements(typeOf[encoding.TextUnmarshaler]())
}

// losses tells what JSON would lose of values of type t, one text each,
// with the path inside the type.
func losses(t reflect.Type, path string, seen []reflect.Type) []string {
	if slices.Contains(seen, t) {
		return nil
	}
	seen = append(seen, t)
	if m, ok := persistent(t); ok {
		return losses(m, path, seen)
	}
	if lost := promoted(t, path); lost != nil {
		return lost
	}
	if codesItself(t) {
		return nil
	}
	if p := reflect.PointerTo(t); p.Implements(typeOf[json.Marshaler]()) || p.Implements(typeOf[encoding.TextMarshaler]()) {
		return []string{fmt.Sprintf("%s: a %v writes a JSON form of its own but cannot read it; give it UnmarshalJSON", path, t)}
	}
	switch t.Kind() {
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer, reflect.Uintptr:
		return []string{fmt.Sprintf("%s: JSON cannot keep a %v", path, t)}
	case reflect.Interface:
		if t.NumMethod() > 0 {
			return []string{fmt.Sprintf("%s: a %v cannot be read back from JSON", path, t)}
		}
	case reflect.Pointer:
		return losses(t.Elem(), path, seen)
	case reflect.Slice, reflect.Array:
		return losses(t.Elem(), path+"[]", seen)
	case reflect.Map:
		return append(mapLosses(t, path), losses(t.Elem(), path+"[]", seen)...)
	case reflect.Struct:
		return structLosses(t, path, seen)
	}
	return nil
}

func mapLosses(t reflect.Type, path string) (out []string) {
	k, e := t.Key(), t.Elem()
	whole := k.Kind() >= reflect.Int && k.Kind() <= reflect.Uint64
	if k.Kind() != reflect.String && !whole && !codesText(k) {
		out = append(out, fmt.Sprintf("%s: JSON cannot keep map keys of type %v", path, k))
	}
	if k.Kind() != reflect.String && k.Implements(typeOf[encoding.TextMarshaler]()) && !codesText(k) {
		out = append(out, fmt.Sprintf("%s: map keys of type %v write a text of their own but cannot read it", path, k))
	}
	marshals := func(t reflect.Type) bool {
		return t.Implements(typeOf[json.Marshaler]()) || t.Implements(typeOf[encoding.TextMarshaler]())
	}
	if !marshals(e) && marshals(reflect.PointerTo(e)) {
		out = append(out, fmt.Sprintf("%s: the JSON form of %v is not used in a map, for its method needs a pointer", path, e))
	}
	return out
}

// structLosses looks at a struct as encoding/json does: the fields of embedded
// structs without a name of their own count as its own.
func structLosses(t reflect.Type, path string, seen []reflect.Type) []string {
	var out []string
	fieldLosses(t, path, seen, map[string]string{}, &out)
	return out
}

func fieldLosses(t reflect.Type, path string, seen []reflect.Type, names map[string]string, out *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		at := path + "." + f.Name
		tag := f.Tag.Get("json")
		name, _, _ := strings.Cut(tag, ",")
		switch {
		case f.Name == "_":
			continue
		case f.Anonymous && f.Type.Kind() == reflect.Pointer:
			*out = append(*out, at+": embedded pointers cannot be read back")
			continue
		case !f.IsExported() && (!f.Anonymous || f.Type.Kind() != reflect.Struct):
			*out = append(*out, at+": an unexported field would be lost")
			continue
		case tag == "-":
			*out = append(*out, at+`: its tag json:"-" would lose it`)
			continue
		case f.Anonymous && f.Type.Kind() == reflect.Struct && name == "":
			if !slices.Contains(seen, f.Type) {
				fieldLosses(f.Type, at, append(seen, f.Type), names, out)
			}
			continue
		case !f.IsExported():
			*out = append(*out, at+": an unexported field would be lost")
			continue
		}
		if name == "" {
			name = f.Name
		}
		if other, twice := names[name]; twice {
			*out = append(*out, fmt.Sprintf("%s: has the JSON name %q of %s", at, name, other))
		}
		names[name] = at
		*out = append(*out, losses(f.Type, at, seen)...)
	}
}

// promoted finds embedded parts whose own JSON form would stand for the whole
// struct and hide its other fields.
func promoted(t reflect.Type, path string) []string {
	if t.Kind() != reflect.Struct || t.NumField() < 2 {
		return nil
	}
	var out []string
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous && marshals(f.Type) {
			out = append(out, fmt.Sprintf("%s: the JSON form of the embedded %v would hide the other fields; give the field a name", path, f.Type))
		}
	}
	return out
}

func marshals(t reflect.Type) bool {
	if t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface {
		t = reflect.PointerTo(t)
	}
	return t.Implements(typeOf[Encoder]()) || t.Implements(typeOf[json.Marshaler]()) || t.Implements(typeOf[json.Unmarshaler]()) ||
		t.Implements(typeOf[encoding.TextMarshaler]()) || t.Implements(typeOf[encoding.TextUnmarshaler]())
}
