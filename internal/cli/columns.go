package cli

import (
	"strings"
	"unicode"

	"github.com/graphrun/graphrun/internal/topo"
)

// hidden reports whether a character cannot be seen or would move the cursor.
// The one that joins emoji is none of them.
func hidden(r rune) bool {
	const joiner = 0x200d
	return unicode.IsControl(r) || r == 0xfffe || r == 0xffff ||
		r != joiner && unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

// clip shortens a text to a number of columns; 0 or less: not at all.
func clip(text string, most int) string {
	if most <= 0 || topo.Columns(text) <= most {
		return text
	}
	used := 0
	for i, r := range text {
		if used += topo.RuneColumns(r); used > most-1 {
			return text[:i] + "…"
		}
	}
	return text
}

// pad fills a text with spaces to a number of columns.
func pad(text string, to int) string {
	return text + strings.Repeat(" ", max(to-topo.Columns(text), 0))
}
