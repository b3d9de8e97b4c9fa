package state

import (
	"errors"
	"fmt"
)

// ErrConflict is behind every error that tells of two writers of one field in
// one step where only one is allowed.
var ErrConflict = errors.New("state: conflicting writes")

// ErrUnknownField is behind every error about a name that no field has.
var ErrUnknownField = errors.New("unknown field")

// ErrSchema is behind the errors of NewSchema, which tells all problems of a
// schema at once.
var ErrSchema = errors.New("state: invalid schema")

// ErrValue is behind errors about a value that a field cannot hold or keep.
var ErrValue = errors.New("unfit value")

// ConflictError tells which writers of a step met in which field. First and
// Second are the positions of the tasks in the step; they are equal when one
// task wrote the field twice.
type ConflictError struct {
	Field         string
	First, Second int
}

// Error names the field and the positions of both tasks.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("state: conflicting writes to %q by tasks %d and %d", e.Field, e.First, e.Second)
}

// Unwrap returns ErrConflict.
func (e *ConflictError) Unwrap() error { return ErrConflict }
