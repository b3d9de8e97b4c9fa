package cli

import (
	"strings"
	"unicode"
)

// hidden reports whether a character cannot be seen or would move the cursor.
// The one that joins emoji is none of them.
func hidden(r rune) bool {
	const joiner = 0x200d
	return unicode.IsControl(r) || r == 0xfffe || r == 0xffff ||
		r != joiner && unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

// columns returns how many columns of a terminal a text takes.
func columns(text string) int {
	n := 0
	for _, r := range text {
		n += cells(r)
	}
	return n
}

func cells(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana),
		r >= 0x3000 && r <= 0x303e, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6,
		r >= 0x1f300 && r <= 0x1f64f, r >= 0x1f680 && r <= 0x1f6ff, r >= 0x1f900 && r <= 0x1faff:
		return 2
	}
	return 1
}

// clip shortens a text to a number of columns; 0 or less: not at all.
func clip(text string, most int) string {
	if most <= 0 || columns(text) <= most {
		return text
	}
	used := 0
	for i, r := range text {
		if used += cells(r); used > most-1 {
			return text[:i] + "…"
		}
	}
	return text
}

// pad fills a text with spaces to a number of columns.
func pad(text string, to int) string {
	return text + strings.Repeat(" ", max(to-columns(text), 0))
}
