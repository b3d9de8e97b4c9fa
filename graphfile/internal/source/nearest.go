package source

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Nearest returns the name that was most likely meant: the one with the fewest
// letters to insert, drop, change or swap with their neighbour, of several the
// first in the order of the alphabet. Capitals and the difference between '-'
// and '_' count for little. It returns false if none is near: a third of the
// letters may differ, at most three, and none in names of one letter.
func Nearest(name string, among []string) (string, bool) {
	const longest = 64
	if name == "" || len(name) > longest {
		return "", false
	}
	want := folded(name)
	best, bestCost := "", allowance(want)+1
	for _, candidate := range among {
		if candidate == name || len(candidate) > longest || abs(utf8.RuneCountInString(candidate)-len(want)) > bestCost {
			continue
		}
		cost := distance(want, folded(candidate))
		if cost < bestCost || cost == bestCost && best != "" && candidate < best {
			best, bestCost = candidate, cost
		}
	}
	return best, best != ""
}

func folded(s string) []rune { return []rune(strings.ReplaceAll(strings.ToLower(s), "-", "_")) }

func allowance(name []rune) int {
	if len(name) == 2 {
		return 1
	}
	return min(len(name)/3, 3)
}

func abs(n int) int { return max(n, -n) }

// distance counts insertions, deletions, changes and swaps of neighbours.
func distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(last[j]+1, row[j-1]+1, change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// choice is the hint for a name that is not among those allowed.
func choice(name string, allowed []string) string {
	const few = 12
	if near, ok := Nearest(name, allowed); ok {
		return didYouMean(near)
	}
	if len(allowed) == 0 || len(allowed) > few {
		return ""
	}
	quoted := make([]string, len(allowed))
	for i, a := range slices.Sorted(slices.Values(allowed)) {
		quoted[i] = excerpt(a)
	}
	if len(quoted) == 1 {
		return "only " + quoted[0] + " is known"
	}
	last := len(quoted) - 1
	return fmt.Sprintf("known are %s and %s", strings.Join(quoted[:last], ", "), quoted[last])
}
