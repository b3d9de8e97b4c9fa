package state

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// appendJSON writes v as encoding/json would, but for floats: they keep a
// fraction ("3.0"), so that those in `any` come back as floats. It looks at the
// declared type first, which costs plain values no allocation.
func appendJSON[V any](dst []byte, v V) ([]byte, error) {
	switch p := any(&v).(type) {
	case *int:
		return strconv.AppendInt(dst, int64(*p), 10), nil
	case *int64:
		return strconv.AppendInt(dst, *p, 10), nil
	case *bool:
		return strconv.AppendBool(dst, *p), nil
	case *string:
		return appendString(dst, *p)
	case *float64:
		return appendFloat(dst, *p)
	case *Message:
		return p.append(dst)
	case *any:
		return appendAny(dst, *p)
	case *[]any:
		return appendList(dst, *p)
	case *map[string]any:
		return appendSorted(dst, *p)
	}
	if reflect.TypeFor[V]().Kind() == reflect.Interface {
		return appendAny(dst, v)
	}
	return appendOther(dst, v)
}

// appendOther gives encoding/json a pointer, so that it finds methods with
// pointer receivers too, and refuses what would not be read back. Encoders need
// neither.
func appendOther[V any](dst []byte, v V) ([]byte, error) {
	if own, ok := any(&v).(Encoder); ok {
		return appendOwn(dst, own)
	}
	start := len(dst)
	dst, err := appendMarshalled(dst, &v)
	if err != nil {
		return dst, err
	}
	if _, err := scan(dst[start:], maxDepth); err != nil {
		return dst, err
	}
	if bytes.Contains(dst[start:], replaced) && !validTexts(reflect.ValueOf(&v), 0) {
		return dst, fmt.Errorf("%w: text is not valid UTF-8", ErrValue)
	}
	return dst, nil
}

func appendMarshalled(dst []byte, v any) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return dst, fmt.Errorf("%w: %w", ErrValue, err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// appendAny writes the values that `any` fields hold, with sorted keys.
func appendAny(dst []byte, v any) ([]byte, error) {
	switch x := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case string:
		return appendString(dst, x)
	case int64:
		return strconv.AppendInt(dst, x, 10), nil
	case int:
		return strconv.AppendInt(dst, int64(x), 10), nil
	case float64:
		return appendFloat(dst, x)
	case float32:
		return appendFloat(dst, float64(x)) // as it comes back
	case bool:
		return strconv.AppendBool(dst, x), nil
	case []any:
		return appendList(dst, x)
	case map[string]any:
		return appendSorted(dst, x)
	case Message:
		return x.append(dst)
	}
	return appendOther(dst, v)
}

func appendSorted(dst []byte, m map[string]any) ([]byte, error) {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	dst = append(dst, '{')
	var err error
	for i, k := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendString(dst, k); err != nil {
			return dst, err
		}
		dst = append(dst, ':')
		if dst, err = appendAny(dst, m[k]); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// appendList writes elements one by one; nil is an empty list.
func appendList[E any](dst []byte, es []E) ([]byte, error) {
	dst = append(dst, '[')
	var err error
	for i := range es {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendJSON(dst, es[i]); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

// appendString writes plain ASCII straight and leaves the rest to
// encoding/json. Text that is not UTF-8 would not come back, and is refused.
func appendString(dst []byte, s string) ([]byte, error) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			if !utf8.ValidString(s) {
				return dst, fmt.Errorf("%w: text is not valid UTF-8", ErrValue)
			}
			return appendMarshalled(dst, s)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"'), nil
}

func appendFloat(dst []byte, f float64) ([]byte, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return dst, fmt.Errorf("%w: %v is not a number JSON can hold", ErrValue, f)
	}
	start := len(dst)
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
		if n := len(dst); n >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
			dst = append(dst[:n-2], dst[n-1]) // e-07 is e-7
		}
	} else {
		dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	if !bytes.ContainsAny(dst[start:], ".e") {
		dst = append(dst, ".0"...)
	}
	return dst, nil
}

// parseJSON reads exactly one JSON value into v, strictly: unknown struct
// fields, keys that come twice and rest text are errors, null is one where V
// has no room for it, and numbers in `any` keep their kind.
func parseJSON[V any](data []byte, v *V) error {
	if quick(data, v) {
		return nil
	}
	found, err := scan(data, maxDepth)
	if err != nil {
		return err
	}
	if found.null && !holdsNull(reflect.TypeFor[V]()) {
		return wrongJSON("a value", data)
	}
	return unmarshal(data, v)
}

// parsePart reads a list or an object whose parts are of type E.
func parsePart[E, V any](data []byte, v *V) (outline, error) {
	found, err := scan(data, maxDepth+1)
	if err != nil {
		return found, err
	}
	if found.nulls && !holdsNull(reflect.TypeFor[E]()) {
		return found, fmt.Errorf("%w: null is no %v", ErrValue, reflect.TypeFor[E]())
	}
	return found, unmarshal(data, v)
}

func unmarshal[V any](data []byte, v *V) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("%w: %w", ErrValue, err)
	}
	return settleNumbers(v)
}

// ParseAny reads one JSON value as `any` fields hold it: whole numbers as
// int64, other numbers as float64. A whole number beyond 64 bits, a key that
// comes twice and a nesting of more than 1000 levels are errors.
func ParseAny(data []byte) (any, error) {
	var v any
	if err := parseJSON(data, &v); err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	return v, nil
}

// ParseInto reads one JSON value into v as a field of its type is read: also
// deep inside, `any` holds whole numbers as int64 and other numbers as float64.
// Keys that the type does not know are errors, and so is what ParseAny refuses.
// Behind an error v may hold a part of the value.
func ParseInto[V any](data []byte, v *V) error {
	if err := parseJSON(data, v); err != nil {
		return fmt.Errorf("state: %w", err)
	}
	return nil
}

// AppendAny writes a value of nil, bool, numbers, string, []any and
// map[string]any as JSON, with sorted keys, so that ParseAny gives it back,
// integers as int64. Values of other types are errors that are ErrValue.
func AppendAny(dst []byte, v any) ([]byte, error) {
	v, err := normal(v, nil)
	if err != nil {
		return dst, fmt.Errorf("state: %w", err)
	}
	return appendAny(dst, v)
}

func wrongJSON(want string, data []byte) error {
	got := string(bytes.ToValidUTF8(data, []byte("?")))
	if len(got) > 40 {
		got = strings.ToValidUTF8(got[:40], "") + "…"
	}
	if got == "" {
		got = "nothing"
	}
	return fmt.Errorf("%w: want %s, got %s", ErrValue, want, got)
}

func floatBits(f float64) uint64 { return math.Float64bits(f) }

func floatFrom(w uint64) float64 { return math.Float64frombits(w) }
