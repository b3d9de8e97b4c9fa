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

// holdsAny reports whether values of t may hold `any` somewhere, whose
// contents only a look at the value can judge.
func holdsAny(t reflect.Type, seen []reflect.Type) bool {
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
	return p.Implements(typeOf[json.Marshaler]()) && p.Implements(typeOf[json.Unmarshaler]()) ||
		p.Implements(typeOf[encoding.TextMarshaler]()) && p.Implements(typeOf[encoding.TextUnmarshaler]())
}

// losses tells what JSON would lose of values of type t, one text each,
// with the path inside the type.
func losses(t reflect.Type, path string, seen []reflect.Type) []string {
	if slices.Contains(seen, t) {
		return nil
	}
	seen = append(seen, t)
	if lost := promoted(t, path); lost != nil || codesItself(t) {
		return lost
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
		return append(keyLosses(t.Key(), path), losses(t.Elem(), path+"[]", seen)...)
	case reflect.Struct:
		return structLosses(t, path, seen)
	}
	return nil
}

func keyLosses(k reflect.Type, path string) []string {
	switch {
	case k.Kind() == reflect.String, codesItself(k):
		return nil
	case k.Kind() >= reflect.Int && k.Kind() <= reflect.Uint64:
		return nil
	}
	return []string{fmt.Sprintf("%s: JSON cannot keep map keys of type %v", path, k)}
}

func structLosses(t reflect.Type, path string, seen []reflect.Type) []string {
	var out []string
	names := map[string]string{}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Name == "_" {
			continue
		}
		at := path + "." + f.Name
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && f.Type.Kind() == reflect.Pointer:
			out = append(out, at+": embedded pointers cannot be read back")
			continue
		case !f.IsExported() && !f.Anonymous:
			out = append(out, at+": an unexported field would be lost")
			continue
		case tag == "-":
			out = append(out, at+`: its tag json:"-" would lose it`)
			continue
		}
		if tag == "" {
			tag = f.Name
		}
		if other, twice := names[strings.ToLower(tag)]; twice && !f.Anonymous {
			out = append(out, fmt.Sprintf("%s: has the JSON name of %s", at, other))
		}
		names[strings.ToLower(tag)] = at
		out = append(out, losses(f.Type, at, seen)...)
	}
	return out
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
			out = append(out, fmt.Sprintf("%s: the JSON form of the embedded %v would hide the other fields; name the field", path, f.Type))
		}
	}
	return out
}

func marshals(t reflect.Type) bool {
	if t.Kind() != reflect.Pointer {
		t = reflect.PointerTo(t)
	}
	return t.Implements(typeOf[json.Marshaler]()) || t.Implements(typeOf[json.Unmarshaler]()) ||
		t.Implements(typeOf[encoding.TextMarshaler]()) || t.Implements(typeOf[encoding.TextUnmarshaler]())
}
