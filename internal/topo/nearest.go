package topo

import (
	"strings"
	"unicode/utf8"
)

// longestName is the length in characters beyond which names are not compared,
// since the time for a distance grows with the square of the length.
const longestName = 64

// Nearest returns the name in among that somebody who wrote name most likely meant,
// and whether there is one. The distance is counted in characters inserted, left out,
// replaced or swapped with a neighbour, without regard to case or to the difference
// between '-' and '_': at most one in a name of up to four characters, in a longer one
// at most two or a third of its length, none in a name of one character, and never the
// whole name. Of equally near names the first in the order of strings is taken. The
// name itself is passed over.
func Nearest(name string, among []string) (string, bool) {
	want := folded(name)
	if len(want) == 0 || len(want) > longestName {
		return "", false
	}
	best, least := "", allowance(len(want))
	for _, candidate := range among {
		length := utf8.RuneCountInString(candidate)
		if candidate == name || length > longestName || max(length-len(want), len(want)-length) > least {
			continue
		}
		d := distance(want, folded(candidate))
		if d < max(length, len(want)) && (d < least || d == least && (best == "" || candidate < best)) {
			best, least = candidate, d
		}
	}
	return best, best != ""
}

func folded(name string) []rune {
	return []rune(strings.ReplaceAll(strings.ToLower(name), "-", "_"))
}

// allowance is the distance up to which a name of so many characters is near.
func allowance(length int) int {
	switch {
	case length == 1:
		return 0
	case length <= 4:
		return 1
	}
	return max(2, length/3)
}

// distance is the Damerau-Levenshtein distance in its restricted form, in which no
// part is edited twice.
func distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := last[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(replace, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
