package handoffs

import (
	"math"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/graphrun/graphrun/state"
)

// jsonWriter writes JSON objects key by key. Its texts and times are those of
// encoding/json without HTML escapes, and empty values are left out as by
// omitempty; floats keep a fraction, so that they come back as floats. What JSON
// cannot keep is noted with its path and not written.
type jsonWriter struct {
	buf  []byte
	path jsonPath
	jsonProblems
}

// open begins an object that is the value of a key, or of nothing if there is
// no key.
func (w *jsonWriter) open(key string) {
	if key != "" {
		w.key(key)
		w.path.push(key)
	}
	w.buf = append(w.buf, '{')
}

// close ends what open began with the same key.
func (w *jsonWriter) close(key string) {
	w.buf = append(w.buf, '}')
	if key != "" {
		w.path.pop()
	}
}

// key writes a key, which must be plain ASCII, and the comma before it.
func (w *jsonWriter) key(key string) {
	if w.buf[len(w.buf)-1] != '{' {
		w.buf = append(w.buf, ',')
	}
	w.buf = append(w.buf, '"')
	w.buf = append(w.buf, key...)
	w.buf = append(w.buf, '"', ':')
}

// list writes n elements under a key; none at all are left out.
func (w *jsonWriter) list(key string, n int, element func(i int)) {
	if n == 0 {
		return
	}
	w.key(key)
	w.path.push(key)
	w.buf = append(w.buf, '[')
	for i := range n {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		w.path.pushIndex(i)
		element(i)
		w.path.pop()
	}
	w.buf = append(w.buf, ']')
	w.path.pop()
}

// text writes a text that is not empty.
func (w *jsonWriter) text(key, text string) {
	if text != "" {
		w.must(key, text)
	}
}

// must writes a text, also an empty one.
func (w *jsonWriter) must(key, text string) {
	var valid bool
	w.key(key)
	if w.buf, valid = appendJSONText(w.buf, text); !valid {
		w.path.push(key)
		w.notUTF8(&w.path)
		w.path.pop()
	}
}

// texts writes a list of texts that is not empty.
func writeTexts[T ~string](w *jsonWriter, key string, list []T) {
	w.list(key, len(list), func(i int) {
		var valid bool
		if w.buf, valid = appendJSONText(w.buf, string(list[i])); !valid {
			w.notUTF8(&w.path)
		}
	})
}

// whole writes a number that is not 0.
func (w *jsonWriter) whole(key string, n int64) {
	if n != 0 {
		w.key(key)
		w.buf = strconv.AppendInt(w.buf, n, 10)
	}
}

// flag writes true; false is left out.
func (w *jsonWriter) flag(key string, v bool) {
	if v {
		w.key(key)
		w.buf = append(w.buf, "true"...)
	}
}

// time writes a time that is not zero.
func (w *jsonWriter) time(key string, t time.Time) {
	if t.IsZero() {
		return
	}
	w.key(key)
	out, err := t.AppendText(append(w.buf, '"'))
	if err != nil {
		w.path.push(key)
		w.problem(&w.path, err.Error())
		w.path.pop()
		return
	}
	w.buf = append(out, '"')
}

// value writes a value as package state keeps any; nil is left out.
func (w *jsonWriter) value(key string, v any) {
	if v == nil {
		return
	}
	w.key(key)
	w.path.push(key)
	w.any(v)
	w.path.pop()
}

// values writes a map of such values that is not empty.
func (w *jsonWriter) values(key string, m map[string]any) {
	if len(m) == 0 {
		return
	}
	w.key(key)
	w.path.push(key)
	w.object(m)
	w.path.pop()
}

func (w *jsonWriter) any(v any) {
	switch x := v.(type) {
	case nil:
		w.buf = append(w.buf, "null"...)
	case string:
		var valid bool
		if w.buf, valid = appendJSONText(w.buf, x); !valid {
			w.notUTF8(&w.path)
		}
	case bool:
		w.buf = strconv.AppendBool(w.buf, x)
	case int:
		w.buf = strconv.AppendInt(w.buf, int64(x), 10)
	case int64:
		w.buf = strconv.AppendInt(w.buf, x, 10)
	case float64:
		w.float(x)
	case []any:
		w.elements(x)
	case map[string]any:
		w.object(x)
	default:
		out, err := state.AppendAny(w.buf, v)
		if err != nil {
			w.problem(&w.path, err.Error())
			return
		}
		w.buf = out
	}
}

func (w *jsonWriter) float(f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		w.problem(&w.path, strconv.FormatFloat(f, 'g', -1, 64)+" is not a number that JSON can hold")
		return
	}
	w.buf = appendJSONFloat(w.buf, f)
}

func (w *jsonWriter) elements(list []any) {
	if w.tooDeep(&w.path) {
		return
	}
	w.buf = append(w.buf, '[')
	for i, v := range list {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		w.path.pushIndex(i)
		w.any(v)
		w.path.pop()
	}
	w.buf = append(w.buf, ']')
}

// object writes a map with sorted keys.
func (w *jsonWriter) object(m map[string]any) {
	if w.tooDeep(&w.path) {
		return
	}
	keys := make([]string, 0, 16)
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	w.buf = append(w.buf, '{')
	for i, k := range keys {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		w.path.push(k)
		var valid bool
		if w.buf, valid = appendJSONText(w.buf, k); !valid {
			w.notUTF8(&w.path)
		}
		w.buf = append(w.buf, ':')
		w.any(m[k])
		w.path.pop()
	}
	w.buf = append(w.buf, '}')
}

// appendJSONFloat writes a finite number with a fraction or an exponent.
func appendJSONFloat(dst []byte, f float64) []byte {
	start := len(dst)
	form := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		form = 'e'
	}
	dst = strconv.AppendFloat(dst, f, form, -1, 64)
	for _, c := range dst[start:] {
		if c == '.' || c == 'e' {
			return dst
		}
	}
	return append(dst, '.', '0')
}

// appendJSONText writes a text as encoding/json would without HTML escapes. It
// reports whether the text is valid UTF-8; what is not becomes U+FFFD.
func appendJSONText(dst []byte, s string) (out []byte, valid bool) {
	dst = append(dst, '"')
	i := plainJSONUntil(s, 0)
	if i == len(s) {
		return append(append(dst, s...), '"'), true
	}
	valid = true
	start := 0
	for i < len(s) {
		c := s[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		size := 1
		r := rune(c)
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
			if r != '\u2028' && r != '\u2029' && (r != utf8.RuneError || size > 1) {
				i += size
				continue
			}
			valid = valid && r != utf8.RuneError
		}
		dst = append(dst, s[start:i]...)
		dst = appendJSONEscape(dst, r)
		i += size
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"'), valid
}

func appendJSONEscape(dst []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	switch r {
	case '"', '\\':
		return append(dst, '\\', byte(r))
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}
