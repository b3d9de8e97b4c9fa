package state

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"unicode/utf8"
)

// accepted checks a value that is about to be written to a field, and puts
// the numbers in `any` into the form in which they come back from storage.
// Fields whose types already prove their values pay nothing; the values of
// records were checked when the write was made, and Encoders prove themselves.
func accepted[V any](col *column, v V) (V, error) {
	if !col.loose || col.rule != nil {
		return v, nil
	}
	return prepared(col, v)
}

// prepared is accepted for a value that must be looked at.
func prepared[V any](col *column, v V) (V, error) {
	v, err := fit(col, v, nil)
	if err != nil {
		err = fmt.Errorf("field %q: %w", col.name, err)
	}
	return v, err
}

// checked reports whether values of the field are looked at when they are written.
func (col *column) checked() bool { return (col.loose || col.own) && col.rule == nil }

// prove lets the Encoder that a change carries prove itself.
func prove[V any](col *column, sl *slot, c *Change) error {
	if err := sl.write(carried[V](c)); err != nil {
		return fmt.Errorf("field %q: %w", col.name, err)
	}
	return nil
}

// acceptedItems is accepted for the elements of a list; it does not change es.
func acceptedItems[E any](col *column, sl *slot, es []E) ([]E, error) {
	if col.own {
		if err := writeItems(sl, es); err != nil {
			return nil, fmt.Errorf("field %q: %w", col.name, err)
		}
		return es, nil
	}
	if !col.checked() {
		return es, nil
	}
	out := make([]E, len(es))
	for i, e := range es {
		at := trail{index: i, list: true}
		v, err := fit(col, e, &at)
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", col.name, err)
		}
		out[i] = v
	}
	return out, nil
}

// acceptedEntry is accepted for one value of a map.
func acceptedEntry[K comparable, V any](col *column, key K, v V) (V, error) {
	if !col.checked() {
		return v, nil
	}
	at := trail{key: fmt.Sprint(key)}
	v, err := fit(col, v, &at)
	if err != nil {
		err = fmt.Errorf("field %q: %w", col.name, err)
	}
	return v, err
}

// acceptedEntries is accepted for the entries of a map; it does not change m.
// Of several unfit values it tells the one with the first key.
func acceptedEntries[K comparable, V any](col *column, m map[K]V) (map[K]V, error) {
	if !col.checked() {
		return m, nil
	}
	out := make(map[K]V, len(m))
	var first error
	for k, v := range m {
		fits, err := acceptedEntry(col, k, v)
		if err != nil && (first == nil || err.Error() < first.Error()) {
			first = err
		}
		out[k] = fits
	}
	if first != nil {
		return nil, first
	}
	return out, nil
}

// fit looks at the declared type: in `any`, lists and maps of `any`, numbers
// are put right; into other types it only looks, or asks them.
func fit[V any](col *column, v V, at *trail) (V, error) {
	var err error
	switch p := any(&v).(type) {
	case *any:
		*p, err = normal(*p, at)
	case *[]any:
		*p, err = normalList(*p, at)
	case *map[string]any:
		*p, err = normalMap(*p, at)
	default:
		if col.own {
			err = at.of(sound(any(&v).(Encoder)))
		} else {
			err = inspect(reflect.ValueOf(&v).Elem(), at)
		}
	}
	return v, err
}

// normal returns v in the form that `any` values keep: nil, bool, int64,
// float64, string, []any, map[string]any. Lists and maps are copies.
func normal(v any, at *trail) (any, error) {
	switch x := v.(type) {
	case nil, bool, int64:
		return v, nil
	case string:
		return v, textFits(x, at)
	case float64:
		return v, floatFits(x, at)
	case float32:
		return float64(x), floatFits(float64(x), at)
	case json.Number:
		n, err := number(x)
		if err != nil {
			return nil, at.unfit("%s is no number that fits 64 bits", x)
		}
		return n, nil
	case []any:
		return normalList(x, at)
	case map[string]any:
		return normalMap(x, at)
	}
	return normalInt(v, at)
}

func normalInt(v any, at *trail) (any, error) {
	switch x := v.(type) {
	case int:
		return int64(x), nil
	case int8:
		return int64(x), nil
	case int16:
		return int64(x), nil
	case int32:
		return int64(x), nil
	case uint8:
		return int64(x), nil
	case uint16:
		return int64(x), nil
	case uint32:
		return int64(x), nil
	case uint:
		return normalInt(uint64(x), at)
	case uint64:
		if x > math.MaxInt64 {
			return nil, at.unfit("whole number %d does not fit 64 bits with a sign", x)
		}
		return int64(x), nil
	}
	return nil, at.unfit("a %T in `any` does not come back as it was; use nil, bool, int64, float64, string, []any or map[string]any", v)
}

func textFits(s string, at *trail) error {
	if !utf8.ValidString(s) {
		return at.unfit("text is not valid UTF-8")
	}
	return nil
}

func floatFits(f float64, at *trail) error {
	if !finite(f) {
		return at.unfit("%v is not a number JSON can hold", f)
	}
	return nil
}

func normalList(l []any, at *trail) ([]any, error) {
	if at.tooDeep() {
		return nil, at.unfit("nested deeper than %d levels", maxDepth)
	}
	out := make([]any, len(l))
	for i, e := range l {
		below := at.item(i)
		v, err := normal(e, &below)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// normalMap tells of several unfit values the one with the first key.
func normalMap(m map[string]any, at *trail) (map[string]any, error) {
	if at.tooDeep() {
		return nil, at.unfit("nested deeper than %d levels", maxDepth)
	}
	out := make(map[string]any, len(m))
	var first string
	var problem error
	for k, e := range m {
		below := at.member(k)
		v, err := normal(e, &below)
		if err == nil {
			err = textFits(k, &below)
		}
		if err != nil && (problem == nil || k < first) {
			first, problem = k, err
		}
		out[k] = v
	}
	return out, problem
}
