package source

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

// Severity tells whether a problem stops the file from being used.
type Severity uint8

// The severities.
const (
	Error Severity = iota
	Warning
)

// String is "error" or "warning".
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Diagnostic is one problem of a file, with what is needed to show it.
type Diagnostic struct {
	// File is the name of the file, empty if the problem is in none.
	File string
	// Pos is the place; the zero Pos speaks of the file as a whole.
	Pos      Pos
	Severity Severity
	// Message says what is wrong, in lower case and without a full stop.
	Message string
	// Hint says what to do about it, and may be empty.
	Hint string
	// Line is the text of the line that Pos names. It shares memory with the
	// file's text.
	Line string
}

// Summary is the message behind its place, on one line.
func (d Diagnostic) Summary() string { return d.place() + d.Severity.String() + ": " + d.Message }

// Diagnostics are the problems of one or more files, errors and warnings. As an
// error they print one behind the other, sorted.
type Diagnostics []Diagnostic

// Error draws all diagnostics, sorted, each behind a line break.
func (ds Diagnostics) Error() string {
	drawn := make([]string, len(ds))
	for i, d := range ds.Sorted() {
		drawn[i] = d.String()
	}
	return strings.Join(drawn, "\n")
}

// Sorted returns the diagnostics in the order of file, line and column, without
// those that are there twice. Those at one place keep their order.
func (ds Diagnostics) Sorted() Diagnostics {
	out := make(Diagnostics, 0, len(ds))
	seen := make(map[Diagnostic]bool, len(ds))
	for _, d := range ds {
		if !seen[d] {
			seen[d] = true
			out = append(out, d)
		}
	}
	slices.SortStableFunc(out, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	return out
}

// Errors returns those that are errors, sorted.
func (ds Diagnostics) Errors() Diagnostics { return ds.only(Error) }

// Warnings returns those that are warnings, sorted.
func (ds Diagnostics) Warnings() Diagnostics { return ds.only(Warning) }

func (ds Diagnostics) only(s Severity) Diagnostics {
	return slices.DeleteFunc(ds.Sorted(), func(d Diagnostic) bool { return d.Severity != s })
}

// Err returns the errors as an error, or nil if there are none. Warnings are
// left out.
func (ds Diagnostics) Err() error {
	if errs := ds.Errors(); len(errs) > 0 {
		return errs
	}
	return nil
}

// Of returns the diagnostics in an error, which may be wrapped, or nil.
func Of(err error) Diagnostics {
	var ds Diagnostics
	if errors.As(err, &ds) {
		return ds
	}
	return nil
}
