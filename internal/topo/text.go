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
