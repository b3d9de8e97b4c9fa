package state

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
)

// entered is what persistent maps offer for looking at their values.
type entered interface {
	eachValue(visit func(key string, v reflect.Value) error) error
}

// inspect looks into a typed value for what it holds in `any`, which must
// have the form in which it comes back: the value itself is not changed.
func inspect(v reflect.Value, at *trail) error {
	if v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil
		}
		return plain(v.Interface(), at)
	}
	if !holdsAny(v.Type(), nil) {
		return nil
	}
	if at.tooDeep() {
		return at.unfit("nested deeper than %d levels", maxDepth)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		below := trail{up: at, depth: at.down()}
		return inspect(v.Elem(), &below)
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			below := at.item(i)
			if err := inspect(v.Index(i), &below); err != nil {
				return err
			}
		}
	case reflect.Struct:
		return inspectStruct(v, at)
	case reflect.Map:
		return inspectMap(v, at)
	}
	return nil
}

func inspectStruct(v reflect.Value, at *trail) error {
	if d, ok := asEntered(v); ok {
		return d.eachValue(func(key string, e reflect.Value) error {
			below := at.member(key)
			return inspect(e, &below)
		})
	}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() && !f.Anonymous {
			continue
		}
		below := at.member(f.Name)
		if err := inspect(v.Field(i), &below); err != nil {
			return err
		}
	}
	return nil
}

// inspectMap tells of several unfit values the one with the first key.
func inspectMap(m reflect.Value, at *trail) error {
	var first string
	var problem error
	for it := m.MapRange(); it.Next(); {
		key := fmt.Sprint(it.Key())
		below := at.member(key)
		err := inspect(it.Value(), &below)
		if err != nil && (problem == nil || key < first) {
			first, problem = key, err
		}
	}
	return problem
}

// plain refuses what an `any` inside a typed value would not give back as it
// was. Typed values are written by encoding/json, which drops the fraction of
// whole floats.
func plain(v any, at *trail) error {
	switch x := v.(type) {
	case float64:
		if x == math.Trunc(x) && math.Abs(x) < 1e21 {
			return at.unfit("float %v comes back as a whole number: write int64(%v)", x, x)
		}
		return floatFits(x, at)
	case []any:
		return plainList(x, at)
	case map[string]any:
		return plainMap(x, at)
	case nil, bool, int64, string:
		_, err := normal(v, at)
		return err
	case int:
		return at.unfit("int %d comes back as int64: write int64(%d)", x, x)
	}
	return at.unfit("a %T in `any` does not come back as it was; use nil, bool, int64, float64, string, []any or map[string]any", v)
}

func plainList(l []any, at *trail) error {
	if at.tooDeep() {
		return at.unfit("nested deeper than %d levels", maxDepth)
	}
	if l == nil {
		return at.unfit("a nil list in `any` comes back as null: write []any{} or nil")
	}
	for i, e := range l {
		below := at.item(i)
		if err := plain(e, &below); err != nil {
			return err
		}
	}
	return nil
}

func plainMap(m map[string]any, at *trail) error {
	if at.tooDeep() {
		return at.unfit("nested deeper than %d levels", maxDepth)
	}
	if m == nil {
		return at.unfit("a nil map in `any` comes back as null: write map[string]any{} or nil")
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		below := at.member(k)
		if err := textFits(k, &below); err != nil {
			return err
		}
		if err := plain(m[k], &below); err != nil {
			return err
		}
	}
	return nil
}

func asEntered(v reflect.Value) (entered, bool) {
	if !v.CanInterface() {
		return nil, false
	}
	d, ok := v.Interface().(entered)
	return d, ok
}
