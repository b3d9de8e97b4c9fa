package state

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"
)

// accepted checks a value that is about to be written to a field, and puts
// the numbers in `any` into the form in which they come back from storage.
// Fields whose types already prove their values pay nothing.
func accepted[V any](col *column, v V) (V, error) {
	if !col.loose && col.rule == nil {
		return v, nil
	}
	fit, err := normal(any(v), "")
	if err == nil && col.rule != nil {
		fit, err = col.rule.whole(fit)
	}
	return back[V](col, fit, err)
}

// acceptedItem is accepted for one element of a list or map.
func acceptedItem[E any](col *column, e E) (E, error) {
	if !col.loose && col.rule == nil {
		return e, nil
	}
	fit, err := normal(any(e), "")
	if err == nil && col.rule != nil {
		fit, err = col.rule.item(fit)
	}
	return back[E](col, fit, err)
}

// acceptedItems is accepted for the elements of a list; it copies what it
// would have to change.
func acceptedItems[E any](col *column, es []E) ([]E, error) {
	if !col.loose && col.rule == nil {
		return es, nil
	}
	out := slices.Clone(es)
	for i := range out {
		e, err := acceptedItem(col, out[i])
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		out[i] = e
	}
	return out, nil
}

// acceptedEntries is accepted for the entries of a map, which it copies.
func acceptedEntries[K comparable, V any](col *column, m map[K]V) (map[K]V, error) {
	if !col.loose && col.rule == nil {
		return m, nil
	}
	out := make(map[K]V, len(m))
	for k, v := range m {
		fit, err := acceptedItem(col, v)
		if err != nil {
			return nil, fmt.Errorf("key %v: %w", k, err)
		}
		out[k] = fit
	}
	return out, nil
}

func back[V any](col *column, fit any, err error) (v V, _ error) {
	if err != nil {
		return v, fmt.Errorf("field %q: %w", col.name, err)
	}
	if fit != nil {
		v = fit.(V)
	}
	return v, nil
}

// normal returns v in the form that `any` values keep: nil, bool, int64,
// float64, string, []any, map[string]any. Values of other types are only
// looked into: what they hold in `any` must already have that form.
func normal(v any, path string) (any, error) {
	switch x := v.(type) {
	case nil, bool, int64:
		return v, nil
	case string:
		if !utf8.ValidString(x) {
			return nil, unfit(path, "text is not valid UTF-8")
		}
		return v, nil
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, unfit(path, "%v is not a number JSON can hold", x)
		}
		return v, nil
	case int:
		return int64(x), nil
	case []any:
		return normalList(x, path)
	case map[string]any:
		return normalMap(x, path)
	}
	return normalOther(v, path)
}

func normalList(l []any, path string) (any, error) {
	out := l
	for i, e := range l {
		fit, err := normal(e, path+"["+strconv.Itoa(i)+"]")
		if err != nil {
			return nil, err
		}
		if _, isInt := e.(int); isInt || deep(e) {
			if &out[0] == &l[0] {
				out = slices.Clone(l)
			}
			out[i] = fit
		}
	}
	return out, nil
}

func normalMap(m map[string]any, path string) (any, error) {
	out := make(map[string]any, len(m))
	for k, e := range m {
		fit, err := normal(e, path+"."+k)
		if err != nil {
			return nil, err
		}
		out[k] = fit
	}
	return out, nil
}

func deep(v any) bool {
	switch v.(type) {
	case []any, map[string]any:
		return true
	}
	return false
}

// normalOther judges a value of a type that is not JSON's own. The field's
// declared type, if it is not `any`, was judged by the schema already; what
// remains is what it holds in `any`.
func normalOther(v any, path string) (any, error) {
	rv := reflect.ValueOf(v)
	if codesItself(rv.Type()) {
		return v, nil
	}
	switch rv.Kind() {
	case reflect.Struct:
		for i := range rv.NumField() {
			f := rv.Type().Field(i)
			if err := inner(rv.Field(i), path+"."+f.Name); err != nil {
				return nil, err
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range rv.Len() {
			if err := inner(rv.Index(i), path+"["+strconv.Itoa(i)+"]"); err != nil {
				return nil, err
			}
		}
	case reflect.Map:
		for _, k := range rv.MapKeys() {
			if err := inner(rv.MapIndex(k), fmt.Sprintf("%s.%v", path, k)); err != nil {
				return nil, err
			}
		}
	case reflect.Pointer:
		if !rv.IsNil() {
			return v, inner(rv.Elem(), path)
		}
	}
	return v, nil
}

// inner judges a part of a typed value: an `any` part must hold what comes
// back as it was.
func inner(v reflect.Value, path string) error {
	if v.Kind() != reflect.Interface {
		if !holdsAny(v.Type(), nil) {
			return nil
		}
		_, err := normalOther(v.Interface(), path)
		return err
	}
	if v.IsNil() {
		return nil
	}
	return plain(v.Interface(), path)
}

// plain refuses what an `any` part would not give back as it was.
func plain(v any, path string) error {
	switch x := v.(type) {
	case int:
		return unfit(path, "int %d comes back as int64: write int64(%d)", x, x)
	case float64:
		if x == math.Trunc(x) && math.Abs(x) < 1e21 {
			return unfit(path, "float %v comes back as a whole number: write int64(%v)", x, x)
		}
		_, err := normal(v, path)
		return err
	case []any:
		for i, e := range x {
			if err := plain(e, path+"["+strconv.Itoa(i)+"]"); err != nil {
				return err
			}
		}
		return nil
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			if err := plain(x[k], path+"."+k); err != nil {
				return err
			}
		}
		return nil
	case nil, bool, int64, string:
		_, err := normal(v, path)
		return err
	}
	return unfit(path, "a %T in `any` does not come back as it was; use nil, bool, int64, float64, string, []any or map[string]any", v)
}

func unfit(path, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if path != "" {
		text = "at " + path + ": " + text
	}
	return fmt.Errorf("%w: %s", ErrValue, text)
}
