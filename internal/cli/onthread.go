package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/state"
)

// records is a graph of a file.
type records = graph.Graph[state.Record]

// snapshot is where a thread of a file's graph stands.
type snapshot = graph.Snapshot[state.Record]

// onThread is what the commands have in common that do something with a thread
// of a graph file, other than running it.
type onThread struct {
	*app
	flags
	threadFlag
	hidden []string // fields of the file that people do not see
}

// declare adds the flags to a command.
func (o *onThread) declare(cmd *cobra.Command) {
	o.flags.add(cmd)
	o.threadFlag.add(cmd, "id of the thread")
}

// check refuses flags that cannot be.
func (o *onThread) check(cmd *cobra.Command) error {
	if err := o.flags.check(cmd); err != nil {
		return err
	}
	return o.threadFlag.check(cmd, true)
}

// with loads the file, opens the store and does something with the graph on it.
func (o *onThread) with(ctx context.Context, file string, how access, do func(*records, *graphfile.File) error) error {
	f, err := o.load(ctx, file)
	if err != nil {
		return o.refused(file, err)
	}
	o.hidden = plumbing(f)
	k, err := o.open(ctx, &o.flags, how)
	if err != nil {
		return o.denied(ctx, err, o.thread, k)
	}
	err = o.denied(ctx, do(f.Graph().On(k.store, k.items), f), o.thread, k)
	return o.closed(k, err)
}

// closed closes a store; an error of that counts if there is no other.
func (a *app) closed(k *kept, err error) error {
	if bad := k.close(); bad != nil && err == nil {
		return &exit{ExitFailed, fmt.Errorf("%w: closing it: %w", graph.ErrStore, bad)}
	}
	return err
}

// denied says how a command ends that failed with a thread. The store is nil
// if it could not be opened.
func (a *app) denied(ctx context.Context, err error, thread string, k *kept) error {
	var end *exit
	var gone *missing
	switch {
	case err == nil:
		return nil
	case errors.As(err, &end):
		return end
	case errors.As(err, &gone):
		return usage("there is no thread %q: %w%s", thread, err, elsewhere(gone.place))
	case errors.Is(err, graph.ErrUnknown) && k != nil && a.passing(k.place):
		return usage("%s; what is kept in memory: begins empty with every command, so that no thread can be gone on with", cause(err))
	case errors.Is(err, graph.ErrUnknown) && errors.Is(err, checkpoint.ErrNotFound):
		return usage("there is no such checkpoint: %s; graphrun history lists those of the thread", cause(err))
	case errors.Is(err, graph.ErrUnknown):
		return usage("%s", cause(err))
	case isAny(err, graph.ErrAnswer, graph.ErrNoThread, checkpoint.ErrExists):
		return usage("%s", cause(err))
	case errors.Is(err, graph.ErrBusy):
		return &exit{ExitFailed, fmt.Errorf("%s; --busy enqueue waits until it is free, --busy interrupt ends the other run", cause(err))}
	case errors.Is(err, graph.ErrChanged):
		return &exit{ExitFailed, fmt.Errorf("%s; --allow-changes does it all the same", cause(err))}
	case ctx.Err() != nil:
		return stoppedOr(ctx, nil)
	}
	return &exit{ExitFailed, errors.New(cause(err))}
}

// elsewhere reminds of stores that were named when the thread was made.
func elsewhere(p place) string {
	if p.chosen {
		return ""
	}
	return "; if the thread is kept elsewhere give the --store that it was begun with"
}

// isAny reports whether err is one of several.
func isAny(err error, of ...error) bool {
	for _, e := range of {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// busyWays are what can be done about a thread that is being written to.
func busyWays() *choice { return choose("reject", "enqueue", "interrupt") }

const busyAbout = "if another run is writing to the thread: fail, wait, or end it"

// busyOf is the way that a word stands for.
func busyOf(c *choice) graph.Busy {
	switch c.value {
	case "enqueue":
		return graph.BusyEnqueue
	case "interrupt":
		return graph.BusyInterrupt
	}
	return graph.BusyReject
}
