package topo

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// longestName is the length in characters beyond which names are compared for equality
// only, since the time for a distance grows with the square of the length.
const longestName = 256

// Nearest returns the name in among that somebody who wrote name most likely meant,
// and whether there is one. The distance is counted in characters inserted, left out,
// replaced or swapped with a neighbour, without regard to case: at most one in a name
// of up to four characters, in a longer one at most two or a third of its length,
// and never the whole name. Of equally near names the first in the order of strings
// is taken.
func Nearest(name string, among []string) (string, bool) {
	best, distance := "", -1
	for _, candidate := range slices.Sorted(slices.Values(among)) {
		if candidate == name {
			return candidate, true
		}
		if d, ok := near(name, candidate); ok && (distance < 0 || d < distance) {
			best, distance = candidate, d
		}
	}
	return best, distance >= 0
}

// near returns the distance of two names if they are near enough.
func near(a, b string) (int, bool) {
	if strings.EqualFold(a, b) {
		return 0, true
	}
	la, lb := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
	limit := allowance(la)
	if max(la, lb) > longestName || max(la-lb, lb-la) > limit {
		return 0, false
	}
	d := distance([]rune(strings.ToLower(a)), []rune(strings.ToLower(b)))
	return d, d <= limit && d < max(la, lb)
}

// allowance is the distance up to which a name of so many characters is near.
func allowance(length int) int {
	if length <= 4 {
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
