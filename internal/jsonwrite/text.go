package jsonwrite

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// AppendFloat writes a finite number with a fraction or an exponent.
func AppendFloat(dst []byte, f float64) []byte {
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

// AppendText writes a text as encoding/json would without HTML escapes. It
// reports whether the text is valid UTF-8; what is not becomes U+FFFD.
func AppendText(dst []byte, s string) (out []byte, valid bool) {
	dst = append(dst, '"')
	i := PlainUntil(s, 0)
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
		dst = appendEscape(dst, r)
		i += size
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"'), valid
}

func appendEscape(dst []byte, r rune) []byte {
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

// PlainUntil returns the place of the first byte from i on that is a
// quote, a backslash, a control character or not ASCII; the length if there is
// none. It looks at eight bytes at once.
func PlainUntil[T string | []byte](data T, i int) int {
	const low, high = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(data); i += 8 {
		b := data[i : i+8]
		x := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		quote, slash := x^(low*'"'), x^(low*'\\')
		if (x|(x-low*' ')|(quote-low)|(slash-low))&high != 0 {
			break
		}
	}
	for ; i < len(data); i++ {
		if c := data[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return i
		}
	}
	return len(data)
}
