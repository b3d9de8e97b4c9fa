package source

import "fmt"

// mostDiagnostics is how many problems one report holds.
const mostDiagnostics = 100

// Report collects the problems of one file. One goroutine may use it at a time.
// Behind the first hundred problems it only counts the errors.
type Report struct {
	file  *File
	found []*Diagnostic
	more  int // errors not kept
}

// Report returns a new, empty report for the file.
func (f *File) Report() *Report { return &Report{file: f} }

// Errorf adds an error at a place. The diagnostic may be given a hint.
func (r *Report) Errorf(at Pos, format string, args ...any) *Diagnostic {
	if r.full() {
		r.more++
		return &Diagnostic{}
	}
	return r.add(at, Error, fmt.Sprintf(format, args...))
}

// Warnf adds a warning at a place. The diagnostic may be given a hint.
func (r *Report) Warnf(at Pos, format string, args ...any) *Diagnostic {
	if r.full() {
		return &Diagnostic{}
	}
	return r.add(at, Warning, fmt.Sprintf(format, args...))
}

func (r *Report) add(at Pos, s Severity, message string) *Diagnostic {
	d := &Diagnostic{File: r.file.Name, Pos: at, Severity: s, Message: message, Line: r.file.Line(at.Line)}
	r.found = append(r.found, d)
	return d
}

// full tells whether further problems are only counted.
func (r *Report) full() bool { return len(r.found) >= mostDiagnostics }

// Diagnostics returns the problems so far, sorted. If there were too many, the
// last one, at the end of the file, says how many errors are not among them.
func (r *Report) Diagnostics() Diagnostics {
	var ds Diagnostics
	for _, d := range r.found {
		ds = append(ds, *d)
	}
	ds = ds.Sorted()
	if r.more > 0 {
		last := r.file.end()
		ds = append(ds, Diagnostic{
			File: r.file.Name, Pos: last, Line: r.file.Line(last.Line),
			Message: fmt.Sprintf("%d more errors are not shown", r.more),
		})
	}
	return ds
}

// Err returns the errors so far as an error, or nil if there are none.
func (r *Report) Err() error { return r.Diagnostics().Err() }

// Failed tells whether there was an error.
func (r *Report) Failed() bool { return r.Err() != nil }

func didYouMean(name string) string { return fmt.Sprintf("did you mean %q?", name) }

// Unknown adds the error that a name is not one of those that are allowed, with
// the nearest of them or, if there are few, all of them as its hint. What says
// what was named: "key", "node".
func (r *Report) Unknown(at Pos, what, name string, allowed []string) *Diagnostic {
	d := r.Errorf(at, "unknown %s %s", what, excerpt(name))
	if !r.full() {
		d.Hint = choice(name, allowed)
	}
	return d
}
