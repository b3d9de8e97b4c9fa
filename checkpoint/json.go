package checkpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// decodeJSON reads one JSON value, with its numbers as they are written.
func decodeJSON(data []byte) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more behind the value")
	}
	return v, nil
}

// equalJSON reports whether two decoded values stand for the same.
func equalJSON(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && decimalOf(string(a)) == decimalOf(string(b))
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equalJSON)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, equalJSON)
	}
	return a == b // null, a truth value or a text, which fit any comparison
}

// decimal is a number, so that equal ones are ==: ±0.digits × 10^exponent,
// where digits begin and end with another digit than 0. Zero is the zero
// value.
type decimal struct {
	negative bool
	digits   string
	exponent int64
	far      string // an exponent that is too large to count with, as written
}

// decimalOf reads a JSON number.
func decimalOf(s string) decimal {
	s, negative := strings.CutPrefix(s, "-")
	mantissa, written := s, "0"
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, written = s[:i], s[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	point := int64(len(whole) - (len(whole) + len(fraction) - len(digits)))
	digits = strings.TrimRight(digits, "0")
	if digits == "" {
		return decimal{}
	}
	exponent, err := strconv.ParseInt(written, 10, 62)
	if err != nil {
		return decimal{negative: negative, digits: digits, exponent: point, far: written}
	}
	return decimal{negative: negative, digits: digits, exponent: exponent + point}
}
