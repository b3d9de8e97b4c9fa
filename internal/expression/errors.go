package expression

import (
	"errors"
	"fmt"
	"strings"
)

// ErrLimit is wrapped by every error that says an evaluation was stopped
// because it would cost too much: a list too long for a predicate, too many
// steps, too much memory.
var ErrLimit = errors.New("limit exceeded")

// Error is one problem of one expression, found when it was compiled or when
// it was evaluated.
type Error struct {
	// Path leads to the text inside a value given to CompileValue, such as
	// `log[0]` or `facts.size`. It is empty for conditions and templates, and
	// for a value that is itself the text.
	Path string
	// Offset is where the problem is, counted in runes from the start of the
	// text given to the compiler, 0-based.
	Offset int
	// Message says what is wrong, without the offset.
	Message string
	// Hint says what to do about it; it may be empty.
	Hint string

	cause error
}

// Error tells path, message, offset and hint in one line.
func (e *Error) Error() string {
	var text strings.Builder
	text.WriteString("expression: ")
	if e.Path != "" {
		text.WriteString(e.Path)
		text.WriteString(": ")
	}
	fmt.Fprintf(&text, "%s (at offset %d)", e.Message, e.Offset)
	if e.Hint != "" {
		text.WriteString("; ")
		text.WriteString(e.Hint)
	}
	return text.String()
}

// Unwrap returns ErrLimit where a limit was hit, nil otherwise.
func (e *Error) Unwrap() error { return e.cause }

// Errors is all the problems of one text or value, in the order they stand.
type Errors []*Error

// Error tells one problem a line.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, problem := range e {
		lines[i] = problem.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the problems, so that errors.Is and errors.As see each.
func (e Errors) Unwrap() []error {
	list := make([]error, len(e))
	for i, problem := range e {
		list[i] = problem
	}
	return list
}

// Problems lists the problems in an error of this package; it is empty for
// nil and for errors from elsewhere.
func Problems(err error) []*Error {
	var many Errors
	if errors.As(err, &many) {
		return many
	}
	var one *Error
	if errors.As(err, &one) {
		return []*Error{one}
	}
	return nil
}

// err gives nil, the one problem, or all of them.
func (e Errors) err() error {
	switch len(e) {
	case 0:
		return nil
	case 1:
		return e[0]
	}
	return e
}

// fault is an evaluation error that does not know yet where it is.
type fault struct {
	message, hint string
	cause         error
}

func (f *fault) Error() string { return f.message }

func faultf(format string, args ...any) error {
	return &fault{message: fmt.Sprintf(format, args...)}
}

// limitf makes a fault that wraps ErrLimit.
func limitf(format string, args ...any) error {
	return &fault{message: fmt.Sprintf(format, args...), cause: ErrLimit}
}

// at gives an evaluation error its place, if it has none yet.
func at(offset int, err error) error {
	switch e := err.(type) {
	case nil:
		return nil
	case *Error:
		return e
	case *fault:
		return &Error{Offset: offset, Message: e.message, Hint: e.hint, cause: e.cause}
	}
	return &Error{Offset: offset, Message: err.Error()}
}

// shifted moves an error of a part of a text to its place in the whole.
func shifted(err error, by int) error {
	e, ok := err.(*Error)
	if !ok || by == 0 {
		return err
	}
	moved := *e
	moved.Offset += by
	return &moved
}
