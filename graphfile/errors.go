package graphfile

import (
	"fmt"
	"strings"

	"github.com/graphrun/graphrun/graphfile/internal/page"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/graphfile/internal/task"
)

// Diagnostic is one problem of a graph file, with its place, the line it
// speaks of and what to do about it. String draws all of them.
type Diagnostic = source.Diagnostic

// Diagnostics are the problems of a graph file and the files it includes. The
// errors of Load and Parse that tell of the file's content are Diagnostics.
type Diagnostics = source.Diagnostics

// ErrExpression is behind the errors of nodes and conditional edges whose
// expression failed, or gave what its place does not take. Repeating them
// does not help, and no retry policy of a graph file does.
var ErrExpression = page.ErrExpression

// FailError is what a node, or the turn of an agent, fails with that has the
// key fail.
type FailError = task.FailError

// evalError is an expression that failed while a node ran.
type evalError = page.EvalError

// plain is the text of an error of another package without the names of
// packages, for a message that has told the place already.
func plain(err error) string { return page.Plain(err) }

// plainField is plain for an error about the named field.
func plainField(name string, err error) string {
	return strings.Replace(plain(err), fmt.Sprintf("field %q: ", name), "", 1)
}

// fieldError is an error about a field whose name the place tells already.
func fieldError(field string, err error) error {
	return &textError{plainField(field, err), err}
}

// textError gives an error another text.
type textError struct {
	text string
	err  error
}

func (e *textError) Error() string { return e.text }

func (e *textError) Unwrap() error { return e.err }
