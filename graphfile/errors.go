package graphfile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile/internal/expression"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/state"
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
var ErrExpression = errors.New("expression failed")

// FailError is what a node fails with that has the key fail.
type FailError struct {
	Text    string
	Attempt int // of the task, from 1
}

// Error is the text of the file.
func (e *FailError) Error() string { return e.Text }

// evalError is an expression that failed while a node ran.
type evalError struct {
	place string // of the text in the file, and its key
	err   error
}

func (e *evalError) Error() string { return e.place + ": " + plain(e.err) }

// Unwrap makes the error ErrExpression, and graph.ErrLimit where a bound of
// expressions was hit.
func (e *evalError) Unwrap() []error {
	if errors.Is(e.err, expression.ErrLimit) {
		return []error{ErrExpression, graph.ErrLimit, e.err}
	}
	return []error{ErrExpression, e.err}
}

// plain is the text of an error of another package without the names of
// packages, for a message that has told the place already.
func plain(err error) string {
	var e *expression.Error
	if errors.As(err, &e) {
		text := e.Message
		if e.Path != "" {
			text = e.Path + ": " + text
		}
		if e.Hint != "" {
			text += "; " + e.Hint
		}
		return text
	}
	text := err.Error()
	for _, noise := range []error{state.ErrSchema, state.ErrValue, state.ErrUnknownField} {
		text = strings.ReplaceAll(text, noise.Error()+": ", "")
	}
	return strings.ReplaceAll(text, "state: ", "")
}

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

// retryable says which errors of a node are worth another attempt: those of
// the key fail, timeouts and errors of Go code, but no expressions, which
// would fail again.
func retryable(err error) bool { return graph.Retryable(err) && !errors.Is(err, ErrExpression) }
