package sqlite

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
)

// value is a JSON value, with numbers as they are written.
type value struct{ v any }

func parseValue(data []byte) (value, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var out value
	if err := dec.Decode(&out.v); err != nil {
		return out, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return out, errors.New("there is more behind the value")
	}
	return out, nil
}

// equal reports whether two values are the same: arrays element by element,
// objects member by member, numbers by their exact value.
func equal(a, b any) bool {
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		return ok && equalArrays(a, b)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && equalObjects(a, b)
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || plainNumber(string(a)) == plainNumber(string(b)))
	}
	switch b.(type) {
	case []any, map[string]any:
		return false
	}
	return a == b
}

func equalArrays(a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

func equalObjects(a, b map[string]any) bool {
	if len(a) != len(b) {
		return false
	}
	for name, v := range a {
		w, ok := b[name]
		if !ok || !equal(v, w) {
			return false
		}
	}
	return true
}

// number is a decimal number in the one form that it has: digits without
// zeros at either end, and the place of the point behind them.
type number struct {
	negative bool
	digits   string
	exponent int64
	huge     string // an exponent that is none of this world, as it is written
}

// plainNumber brings a JSON number to its one form. Zero has no digits.
func plainNumber(s string) number {
	var n number
	s, n.negative = strings.CutPrefix(s, "-")
	mantissa, exponent, _ := strings.Cut(strings.ToLower(s), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	n.digits = strings.TrimLeft(whole+fraction, "0")
	if n.digits == "" {
		return number{}
	}
	n.exponent = -int64(len(fraction))
	if exponent != "" {
		e, err := strconv.ParseInt(exponent, 10, 32)
		if err != nil {
			n.huge = exponent
		}
		n.exponent += e
	}
	short := strings.TrimRight(n.digits, "0")
	n.exponent += int64(len(n.digits) - len(short))
	n.digits = short
	return n
}
