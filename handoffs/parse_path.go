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
// The first steps are kept in the path itself, for few paths have more.
type jsonPath struct {
	depth int
	near  [6]jsonStep
	far   []jsonStep
}

// jsonStep is a key, or a place in a list if that is not negative.
type jsonStep struct {
	key   string
	index int
}

func (p *jsonPath) push(key string) { p.add(jsonStep{key, -1}) }

func (p *jsonPath) pushIndex(i int) { p.add(jsonStep{"", i}) }

func (p *jsonPath) add(s jsonStep) {
	if p.depth < len(p.near) {
		p.near[p.depth] = s
	} else {
		p.far = append(p.far[:p.depth-len(p.near)], s)
	}
	p.depth++
}

func (p *jsonPath) pop() { p.depth-- }

func (p *jsonPath) step(i int) jsonStep {
	if i < len(p.near) {
		return p.near[i]
	}
	return p.far[i-len(p.near)]
}

// text returns the whole way.
func (p *jsonPath) text() string {
	var text []byte
	for i := range p.depth {
		switch s := p.step(i); {
		case s.index >= 0:
			text = append(strconv.AppendInt(append(text, '['), int64(s.index), 10), ']')
		case i > 0:
			text = append(append(text, '.'), s.key...)
		default:
			text = append(text, s.key...)
		}
	}
	return string(text)
}

// String returns the way in a length that can be read.
func (p *jsonPath) String() string { return shortPath(p.text()) }

func shortPath(text string) string {
	if len(text) > 120 {
		return strings.ToValidUTF8(text[:60], "?") + "…" + strings.ToValidUTF8(text[len(text)-50:], "?")
	}
	return strings.ToValidUTF8(text, "?")
}

// jsonProblems collects what is wrong with JSON.
type jsonProblems struct {
	problems []string
	full     bool // there is no use in looking for more
}

func (p *jsonProblems) problem(at *jsonPath, text string) {
	if at.depth > 0 {
		text = at.String() + ": " + text
	}
	p.add(text)
}

func (p *jsonProblems) add(text string) {
	switch {
	case p.full:
		return
	case len(p.problems) == mostJSONProblems:
		text, p.full = "and more", true
	}
	p.problems = append(p.problems, text)
}

func (p *jsonProblems) notUTF8(at *jsonPath) { p.problem(at, "the text is not valid UTF-8") }

// tooDeep notes a list or map that is nested too deep, and reports whether it
// must not be looked into.
func (p *jsonProblems) tooDeep(at *jsonPath) bool {
	if p.full || at.depth < mostJSONDepth {
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
