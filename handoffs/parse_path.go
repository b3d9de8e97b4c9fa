package handoffs

import (
	"fmt"
	"strconv"
	"strings"
)

// The bounds of what is read and written.
const (
	mostCommandBytes = 1 << 20
	mostJSONDepth    = 100 // lists and maps in one another
	mostJSONProblems = 20  // that are told at once
)

// jsonPath is the way to a value: "payload.items[2].name".
type jsonPath struct {
	text []byte
	ends []int // the length before each push
}

func newJSONPath() jsonPath { return jsonPath{make([]byte, 0, 64), make([]int, 0, 8)} }

func (p *jsonPath) push(key string) {
	p.ends = append(p.ends, len(p.text))
	if len(p.text) > 0 {
		p.text = append(p.text, '.')
	}
	p.text = append(p.text, key...)
}

func (p *jsonPath) pushIndex(i int) {
	p.ends = append(p.ends, len(p.text))
	p.text = append(p.text, '[')
	p.text = strconv.AppendInt(p.text, int64(i), 10)
	p.text = append(p.text, ']')
}

func (p *jsonPath) pop() {
	last := len(p.ends) - 1
	p.text, p.ends = p.text[:p.ends[last]], p.ends[:last]
}

// String returns the way in a length that can be read.
func (p *jsonPath) String() string {
	if len(p.text) > 120 {
		return strings.ToValidUTF8(string(p.text[:60]), "?") + "…" + strings.ToValidUTF8(string(p.text[len(p.text)-50:]), "?")
	}
	return strings.ToValidUTF8(string(p.text), "?")
}

// jsonProblems collects what is wrong with JSON that is read or written.
type jsonProblems struct {
	problems []string
	full     bool // there is no use in looking for more
}

func (p *jsonProblems) problem(at *jsonPath, text string) {
	switch {
	case p.full:
		return
	case len(p.problems) == mostJSONProblems:
		p.problems, p.full = append(p.problems, "and more"), true
		return
	case len(at.text) > 0:
		text = at.String() + ": " + text
	}
	p.problems = append(p.problems, text)
}

func (p *jsonProblems) notUTF8(at *jsonPath) { p.problem(at, "the text is not valid UTF-8") }

// tooDeep notes a list or map that is nested too deep, and reports whether it
// must not be looked into.
func (p *jsonProblems) tooDeep(at *jsonPath) bool {
	if p.full || len(at.ends) < mostJSONDepth {
		return p.full
	}
	p.problem(at, fmt.Sprintf("nested deeper than %d levels", mostJSONDepth))
	p.full = true
	return true
}

// CommandError is a command that cannot be read or written. It is CodeSyntax.
type CommandError struct {
	Problems []string // each with the path of its key; at most 20, then "and more"
}

// Error tells all problems.
func (e *CommandError) Error() string {
	return "handoffs: the command is not valid: " + strings.Join(e.Problems, "; ")
}

// Unwrap returns CodeSyntax.
func (e *CommandError) Unwrap() error { return CodeSyntax }
