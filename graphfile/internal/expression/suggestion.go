package expression

import (
	"strconv"
	"strings"
)

// maxGuessed is the longest word, in bytes, that is compared with others.
const maxGuessed = 64

// didYouMean is a hint that names the nearest of the names, or nothing where
// none is near.
func didYouMean(word string, names []string) string {
	best, least := "", 1+len(word)/3
	if least > 3 {
		least = 3
	}
	for _, name := range names {
		if d := distance(word, name); d <= least && (best == "" || d < least) {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return "did you mean " + strconv.Quote(best) + "?"
}

// distance counts the letters to insert, drop, change or swap to make b of a.
// A difference of case alone counts as one.
func distance(a, b string) int {
	if strings.EqualFold(a, b) {
		return 1
	}
	if len(a) > maxGuessed || len(b) > maxGuessed {
		return maxGuessed
	}
	s, t := []rune(a), []rune(b)
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := range s {
		row[0] = i + 1
		for j := range t {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}
