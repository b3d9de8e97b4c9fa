package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/graphrun/graphrun/graphfile"
)

// load reads a graph file. The error is an exit: with ExitInvalid for a file
// with errors, with its diagnostics as error, else with ExitUsage.
func (a *app) load(ctx context.Context, name string) (*graphfile.File, error) {
	return a.loadWith(ctx, name, nil)
}

// loadWith is load with options, for a file that is to be run if they say so. One
// that cannot be run as things stand is an exit with ExitUsage.
func (a *app) loadWith(ctx context.Context, name string, opt *graphfile.Options) (*graphfile.File, error) {
	f, err := a.parse(ctx, name, opt)
	var problems graphfile.Diagnostics
	var unready *graphfile.NotReady
	var end *exit
	switch {
	case err == nil:
		return f, nil
	case errors.As(err, &unready):
		a.tellProblems(unready.Problems)
		return nil, usage("%s cannot be run as things stand: %s", name, counted(len(unready.Problems), "problem"))
	case errors.As(err, &problems):
		return nil, &exit{ExitInvalid, problems}
	case errors.As(err, &end):
		return nil, end
	}
	return nil, usage("%s cannot be read: %w", name, reason(err))
}

// reason is why a file cannot be read, without its name.
func reason(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

func (a *app) parse(ctx context.Context, name string, opt *graphfile.Options) (*graphfile.File, error) {
	if name != "-" {
		return graphfile.Load(name, opt)
	}
	data, err := a.readStdin(ctx)
	if err != nil {
		return nil, err
	}
	return graphfile.Parse("<stdin>", data, opt)
}

// readStdin reads standard input to its end, or until the user stops it.
func (a *app) readStdin(ctx context.Context) ([]byte, error) {
	a.stdinUsed = true
	type content struct {
		data []byte
		err  error
	}
	read := make(chan content, 1)
	go func() {
		data, err := io.ReadAll(a.Stdin)
		read <- content{data, err}
	}()
	select {
	case c := <-read:
		if c.err != nil {
			return nil, usage("read standard input: %w", c.err)
		}
		return c.data, nil
	case <-ctx.Done():
		return nil, stoppedOr(ctx, nil)
	}
}

// tellProblems writes the diagnostics of a file to standard error.
func (a *app) tellProblems(ds graphfile.Diagnostics) {
	for _, d := range ds.Sorted() {
		fmt.Fprintln(a.Stderr, d.String())
	}
}
