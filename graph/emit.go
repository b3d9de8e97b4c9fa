package graph

import (
	"context"
	"fmt"
	"strings"
)

// Typed is implemented by values for Emit whose JSON lines have a type of
// their own instead of "custom". It is lower-case letters and underscores, and
// none that the log itself has: none of those that AppendLines and
// AppendDebugLines tell, none that begins with "debug_". A name with the
// program's own prefix will not meet one that a later version adds.
type Typed interface {
	LineType() string
}

// customType is the type of the lines of values that are not Typed.
const customType = "custom"

// Emit adds a Custom event to the run's stream; in a run without a stream it
// does nothing. It may be called by several goroutines of a node at once, and
// waits while the reader of the stream is behind. Once the task's context has
// ended it returns the cause and emits nothing. What is emitted after the task
// has ended is dropped. The value must not be changed afterwards; it must have
// a JSON form if the events are to be written as lines. A Typed value whose
// type cannot be that of a line is an ErrLineType, with or without a stream.
func Emit(ctx context.Context, value any) error {
	t, err := taskOf(ctx)
	if err != nil {
		return err
	}
	kind, err := lineType(value)
	if err != nil {
		return err
	}
	if t.frame.sink == nil || !t.open() {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	e := &Custom{Head: t.head(), TaskRef: t.ref(), Type: kind, Value: value}
	if e.Pos[len(e.Pos)-1] < 0 { // the task ended meanwhile
		return nil
	}
	if !t.frame.sink.offer(ctx.Done(), e) {
		return context.Cause(ctx)
	}
	return nil
}

// lineType returns the type of the line of an emitted value.
func lineType(value any) (string, error) {
	typed, ok := value.(Typed)
	if !ok {
		return customType, nil
	}
	name := typed.LineType()
	switch {
	case ownType(name):
		return "", fmt.Errorf("graph: Emit: %w: %q is a type of the log itself; choose another name", ErrLineType, name)
	case name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") != "":
		return "", fmt.Errorf("graph: Emit: %w: %q; a type is lower-case letters and underscores", ErrLineType, name)
	}
	return name, nil
}
