package handoffs

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/graphrun/graphrun/state"
)

// mostExplained is how many characters of a value an explanation shows.
const mostExplained = 60

// explainValue is a value as people read it: numbers without needless digits,
// texts in quotes, everything cut where it gets long.
func explainValue(v any) string {
	switch x := v.(type) {
	case nil:
		return "nothing"
	case string:
		return strconv.Quote(explainCut(x))
	case float64:
		if x == math.Trunc(x) && math.Abs(x) < 1e15 {
			return strconv.FormatFloat(x, 'f', -1, 64)
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	case time.Duration:
		return x.String()
	case time.Time:
		return x.UTC().Format(time.RFC3339Nano)
	}
	if n, ok := explainWhole(v); ok {
		return strconv.FormatInt(n, 10)
	}
	data, err := state.AppendAny(nil, v)
	if err != nil {
		return "something"
	}
	return explainCut(string(data))
}

// explainPlain is explainValue for the middle of a sentence: texts stand
// without quotes, and nothing is empty.
func explainPlain(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case string:
		return x
	}
	return explainValue(v)
}

// explainFact is a fact with its value: "quotes = 3".
func explainFact(name string, v any) string {
	if v == nil {
		return name + " is not set"
	}
	return name + " = " + explainValue(v)
}

// explainGroup names a group of rules.
func explainGroup(group string) string {
	if group == "" {
		return "the same group"
	}
	return "group " + group
}

// explainCut cuts a text that is too long.
func explainCut(text string) string {
	if len(text) <= mostExplained {
		return text
	}
	if runes := []rune(text); len(runes) > mostExplained {
		return string(runes[:mostExplained-1]) + "…"
	}
	return text
}

// explainFill fills the names in braces that look knows; others stay as they
// are, and so do values that look like names in braces.
func explainFill(text string, look func(name string) (any, bool)) string {
	if !strings.Contains(text, "{") {
		return text
	}
	var out strings.Builder
	for {
		open := strings.IndexByte(text, '{')
		if open < 0 {
			break
		}
		end := strings.IndexByte(text[open:], '}')
		if end < 0 {
			break
		}
		name := text[open+1 : open+end]
		v, known := any(nil), false
		if isFactName(name) {
			v, known = look(name)
		}
		if !known { // it may hold one that is: "{{target}"
			out.WriteString(text[:open+1])
			text = text[open+1:]
			continue
		}
		out.WriteString(text[:open])
		out.WriteString(explainPlain(v))
		text = text[open+end+1:]
	}
	out.WriteString(text)
	return out.String()
}

// isFactName reports whether a text can name a fact: letters, digits, '_' and
// '.', beginning with a letter.
func isFactName(name string) bool {
	for i, r := range name {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r != '.' && (r < '0' || r > '9')) {
			return false
		}
	}
	return name != ""
}
