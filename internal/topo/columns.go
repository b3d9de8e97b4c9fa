package topo

import "unicode"

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

// RuneColumns returns how many columns of a terminal a character takes: two if it is
// wide, none if it is shown with the one before it or not at all.
func RuneColumns(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case isWide(r):
		return 2
	}
	return 1
}

// Columns returns how many columns of a terminal a text of one line takes.
func Columns(s string) int {
	n := 0
	for _, r := range s {
		n += RuneColumns(r)
	}
	return n
}
