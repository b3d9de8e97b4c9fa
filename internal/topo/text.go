package topo

import (
	"strconv"
	"strings"
	"unicode"
)

// plain returns a text in which every character can be seen: those that have no
// picture, line ends among them, are written as Go would quote them, and bytes that
// are not UTF-8 become U+FFFD.
func plain(s string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
	}
	return b.String()
}

// plainLines splits a text at its line ends and makes each line plain.
func plainLines(s string) []string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = plain(line)
	}
	return lines
}

// captions returns the lines of text that are shown for a spot.
func (s spot) captions() []string {
	lines := []string{s.node.Name}
	if s.role != works {
		return lines
	}
	if s.node.Deferred {
		lines = append(lines, "(deferred)")
	}
	if s.node.Note != "" {
		lines = append(lines, s.node.Note)
	}
	return lines
}

// isWide reports whether a character takes two columns of a terminal.
func isWide(r rune) bool {
	if r < 0x1100 || r >= 0x2190 && r < 0x2300 || r >= 0x2400 && r < 0x2600 {
		return false
	}
	for _, span := range [...][2]rune{
		{0x1100, 0x115F}, {0x231A, 0x231B}, {0x23E9, 0x23EC}, {0x2614, 0x2615}, {0x2648, 0x2653}, {0x26A1, 0x26A1},
		{0x2705, 0x2705}, {0x2728, 0x2728}, {0x274C, 0x274C}, {0x2753, 0x2755}, {0x2795, 0x2797}, {0x2B1B, 0x2B1C},
		{0x2E80, 0x303E}, {0x3041, 0x4DBF}, {0x4E00, 0xA4CF}, {0xA960, 0xA97F}, {0xAC00, 0xD7A3}, {0xF900, 0xFAFF},
		{0xFE30, 0xFE6F}, {0xFF00, 0xFF60}, {0xFFE0, 0xFFE6}, {0x16FE0, 0x18CFF}, {0x1B000, 0x1B2FF},
		{0x1F004, 0x1F004}, {0x1F18E, 0x1F19A}, {0x1F200, 0x1F320}, {0x1F32D, 0x1F64F}, {0x1F680, 0x1F6FF},
		{0x1F7E0, 0x1F7EB}, {0x1F900, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD},
	} {
		if r >= span[0] && r <= span[1] {
			return true
		}
	}
	return false
}

// runeColumns returns how many columns of a terminal a printable character takes.
func runeColumns(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case isWide(r):
		return 2
	}
	return 1
}

// columns returns how many columns of a terminal a plain text takes.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += runeColumns(r)
	}
	return n
}
