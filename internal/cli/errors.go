package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// exit ends the command with a code. Its error is told to the user; without
// one everything has been told.
type exit struct {
	code int
	err  error
}

// Error returns the text of the error, or names the code.
func (e *exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

// Unwrap returns the error behind the code.
func (e *exit) Unwrap() error { return e.err }

// usage is the end by a mistake in arguments or input.
func usage(format string, args ...any) error {
	return &exit{ExitUsage, fmt.Errorf(format, args...)}
}

// Stopped is the cause of a context's end when the user asked to stop.
type Stopped struct{ Signal os.Signal }

// Error names the signal.
func (s Stopped) Error() string { return "stopped by the user (" + s.Signal.String() + ")" }

// stoppedOr returns the end for a context that is over, else err.
func stoppedOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return &exit{ExitStopped, context.Cause(ctx)}
	}
	return err
}

// unwritten is the end for results that could not be written. If nobody reads
// them there is nobody to tell.
func unwritten(err error) error {
	if err == nil {
		return nil
	}
	if isBrokenPipe(err) {
		return &exit{code: ExitFailed}
	}
	return &exit{ExitFailed, fmt.Errorf("write the output: %w", err)}
}

func isBrokenPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}

// oneLine makes a text fit for one line of a terminal: what would move the
// cursor or end the line becomes a space.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || hidden(r) }), " ")
}
