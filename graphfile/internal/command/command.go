// Package command runs programs as tools of models: JSON in, text out, bounded in
// time and output.
package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
	"unicode/utf8"
)

// Command is a program with its arguments. It does not change and may be run by
// any number of goroutines at once.
type Command struct {
	Path string   // absolute
	Args []string // behind the program's name
	Dir  string   // where it runs
	Env  []string // all that it gets, as NAME=value
	Most int      // bytes that it may write
}

// mostErrors is how much of what a program writes to standard error is told.
const mostErrors = 4 << 10

// patience is how long the streams of a program may stay open once it has ended.
const patience = time.Second

// errTooMuch ends a program that writes too much.
var errTooMuch = errors.New("too much output")

// Run runs the program with the arguments on its standard input, and returns what
// it writes. At the end of ctx it is killed, with the programs that it started.
func (c *Command) Run(ctx context.Context, args json.RawMessage) (string, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	out := &bounded{most: c.Most, full: func() { stop(errTooMuch) }}
	said := &bounded{most: mostErrors}
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = c.Dir, c.Env, patience
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(args), out, said
	group(cmd)
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) { // what it started still holds its output
		_ = end(cmd) // there may be nothing left
		err = nil
	}
	switch {
	case errors.Is(context.Cause(ctx), errTooMuch):
		return "", fmt.Errorf("it wrote more than %d bytes and was killed", c.Most)
	case ctx.Err() != nil:
		return "", fmt.Errorf("it was killed: %w", context.Cause(ctx))
	case err != nil:
		return "", failed(err, said.text())
	}
	return out.text(), nil
}

// failed is the error of a program that did not end well.
func failed(err error, said string) error {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return fmt.Errorf("it cannot be run: %w", err)
	}
	return fmt.Errorf("it ended with %s: %s", exit.ProcessState, cmp.Or(said, "nothing was written to standard error"))
}

// bounded keeps the beginning of what is written. It is for one writer.
type bounded struct {
	buf  bytes.Buffer
	most int
	full func() // called when there is more; nil: that is dropped
}

// Write keeps what there is room for.
func (b *bounded) Write(p []byte) (int, error) {
	room := max(b.most-b.buf.Len(), 0)
	b.buf.Write(p[:min(len(p), room)])
	if len(p) > room && b.full != nil {
		b.full()
		return 0, errTooMuch
	}
	return len(p), nil
}

// text is what was written, as text, without the line break at its end.
func (b *bounded) text() string {
	text := strings.TrimRight(b.buf.String(), "\r\n")
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	return text
}
