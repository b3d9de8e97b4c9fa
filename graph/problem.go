package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is something wrong with a graph, found by Compile.
type Problem struct {
	Place   Place
	Message string
	Hint    string // what to do; may be empty
	Warning bool   // the graph can run
}

// String returns place, message and hint on one line.
func (p Problem) String() string {
	var b strings.Builder
	if at := p.Place.String(); at != "" {
		b.WriteString(at + ": ")
	}
	b.WriteString(p.Message)
	if p.Hint != "" {
		b.WriteString("; " + p.Hint)
	}
	return b.String()
}

// CompileError holds all problems of a graph that are not warnings, in the
// order of their places. It is ErrInvalidGraph.
type CompileError struct{ Problems []Problem }

// Error lists all problems, one a line.
func (e *CompileError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return "graph: " + strings.Join(lines, "\n")
}

// Unwrap returns ErrInvalidGraph.
func (e *CompileError) Unwrap() error { return ErrInvalidGraph }

// report collects problems.
type report struct{ problems []Problem }

func (r *report) refuse(at Place, hint, format string, args ...any) {
	r.problems = append(r.problems, Problem{Place: at, Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (r *report) warn(at Place, hint, format string, args ...any) {
	r.problems = append(r.problems, Problem{Place: at, Message: fmt.Sprintf(format, args...), Hint: hint, Warning: true})
}

// split returns errors and warnings, each in the order of their places.
func (r *report) split() (errs, warnings []Problem) {
	slices.SortStableFunc(r.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Place.File, b.Place.File), cmp.Compare(a.Place.Line, b.Place.Line), cmp.Compare(a.Place.Col, b.Place.Col))
	})
	for _, p := range r.problems {
		if p.Warning {
			warnings = append(warnings, p)
		} else {
			errs = append(errs, p)
		}
	}
	return errs, warnings
}
