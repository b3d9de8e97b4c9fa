package handoffs

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/graphrun/graphrun/internal/jsonwrite"
)

// escaped reads a text that has escapes, of which the first is at i.
func (r *jsonReader) escaped(start, i int) string {
	out := make([]byte, 0, i-start+64)
	for i < len(r.data) {
		switch c := r.data[i]; {
		case c == '"':
			r.pos = i + 1
			out = append(out, r.data[start:i]...)
			if !utf8.Valid(out) {
				r.notUTF8(&r.path)
			}
			return string(out)
		case c < ' ':
			r.pos = i
			r.broken("a text without control characters")
			return ""
		case c == '\\':
			out = append(out, r.data[start:i]...)
			var size int
			if out, size = r.escape(out, i); size == 0 {
				return ""
			}
			i += size
			start = i
		default:
			i++
		}
		i = jsonwrite.PlainUntil(r.data, i)
	}
	r.pos = i
	r.broken("the end of a text")
	return ""
}

// escape appends what the escape at i means, and returns its size; 0 if it is
// none.
func (r *jsonReader) escape(out []byte, i int) ([]byte, int) {
	if i+1 < len(r.data) {
		switch c := r.data[i+1]; c {
		case '"', '\\', '/':
			return append(out, c), 2
		case 'b':
			return append(out, '\b'), 2
		case 'f':
			return append(out, '\f'), 2
		case 'n':
			return append(out, '\n'), 2
		case 'r':
			return append(out, '\r'), 2
		case 't':
			return append(out, '\t'), 2
		case 'u':
			return r.codePoint(out, i)
		}
	}
	r.pos = i
	r.broken("an escape")
	return out, 0
}

// codePoint appends the character of \uXXXX, or of a pair of surrogates.
func (r *jsonReader) codePoint(out []byte, i int) ([]byte, int) {
	c, ok := r.hex(i)
	if !ok {
		r.pos = i
		r.broken("four hexadecimal digits behind \\u")
		return out, 0
	}
	if !utf16.IsSurrogate(c) {
		return utf8.AppendRune(out, c), 6
	}
	second, ok := r.hex(i + 6)
	if pair := utf16.DecodeRune(c, second); ok && pair != utf8.RuneError {
		return utf8.AppendRune(out, pair), 12
	}
	r.problem(&r.path, "\\u"+strconv.FormatInt(int64(c), 16)+" is half of a surrogate pair")
	return out, 6
}

// hex reads \uXXXX.
func (r *jsonReader) hex(i int) (rune, bool) {
	if i+6 > len(r.data) || r.data[i] != '\\' || r.data[i+1] != 'u' {
		return 0, false
	}
	var n rune
	for _, c := range r.data[i+2 : i+6] {
		switch {
		case c >= '0' && c <= '9':
			n = n<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			n = n<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return n, true
}
