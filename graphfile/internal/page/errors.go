package page

import (
	"errors"
	"strings"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/internal/expression"
	"github.com/graphrun/graphrun/state"
)

// ErrExpression is behind the errors of runs whose expression failed, or gave
// what its place does not take.
var ErrExpression = errors.New("expression failed")

// EvalError is an expression that failed while a graph ran.
type EvalError struct {
	Place string // of the text in the file, and its key
	Err   error
}

// Error tells the place and the cause.
func (e *EvalError) Error() string { return e.Place + ": " + Plain(e.Err) }

// Unwrap makes the error ErrExpression, and graph.ErrLimit where a bound of
// expressions was hit.
func (e *EvalError) Unwrap() []error {
	if errors.Is(e.Err, expression.ErrLimit) {
		return []error{ErrExpression, graph.ErrLimit, e.Err}
	}
	return []error{ErrExpression, e.Err}
}

// Plain is the text of an error of another package without the names of
// packages, for a message that has told the place already.
func Plain(err error) string {
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
