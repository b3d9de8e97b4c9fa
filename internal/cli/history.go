package cli

import (
	"bytes"
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
)

const historyHelp = `List the checkpoints of a thread, newest first, in the order they were made:
those of branches that were left by a fork as well.

NEXT holds all tasks of the step that followed. With --output jsonl each
checkpoint is a line of the form that graphrun state writes, with json all are
one list.

`

// historian is the command history.
type historian struct {
	onThread
	limit  int
	before string
}

func (a *app) historyCommand() *cobra.Command {
	h := &historian{onThread: onThread{app: a}}
	cmd := &cobra.Command{
		Use: "history FILE", Short: "List the checkpoints of a thread", Long: historyHelp + exitHelp, Args: oneFile,
		Example: "  graphrun history support.yaml --thread ada --limit 10\n  graphrun history support.yaml --thread ada --before 12 --output jsonl",
		RunE:    func(cmd *cobra.Command, args []string) error { return h.list(cmd, args[0]) },
	}
	h.declare(cmd)
	cmd.Flags().IntVar(&h.limit, "limit", 0, "at most so many (default: all)")
	cmd.Flags().StringVar(&h.before, "before", "", "only checkpoints made before this one")
	completeNothing(cmd, "limit")
	completeNothing(cmd, "before")
	return cmd
}

func (h *historian) list(cmd *cobra.Command, file string) error {
	if err := h.check(cmd); err != nil {
		return err
	}
	if err := checkLimit(cmd, h.limit); err != nil {
		return err
	}
	if cmd.Flags().Changed("before") && h.before == "" {
		return usage("--before: the checkpoint has no name")
	}
	ctx := cmd.Context()
	return h.with(ctx, file, reading, func(g *records, _ *graphfile.File) error { return h.write(ctx, g) })
}

// checkLimit refuses a number of rows that makes no sense.
func checkLimit(cmd *cobra.Command, limit int) error {
	if cmd.Flags().Changed("limit") && limit < 1 {
		return usage("--limit %d: it must be at least 1", limit)
	}
	return nil
}

// write writes the checkpoints as they are read.
func (h *historian) write(ctx context.Context, g *records) error {
	out := h.listing("CHECKPOINT", "FROM", "STEP", "SOURCE", "SAVED", "NEXT")
	for s, err := range g.History(ctx, h.thread, &graph.HistoryConfig{Before: h.before, Limit: h.limit}) {
		if err != nil {
			return err
		}
		row := []string{s.Checkpoint, s.Parent, strconv.Itoa(s.Step), s.Source, age(h.Now(), s.At), tally(s.Next)}
		if err := out.add(s, row...); err != nil {
			return err
		}
	}
	return out.end()
}

// listing writes things one after the other: as the rows of a table, as lines
// of JSON or as a JSON list.
type listing struct {
	app   *app
	form  string
	table table
	count int
	line  bytes.Buffer
}

// listing begins a list of things with the given columns.
func (o *onThread) listing(columns ...string) *listing {
	return newListing(o.app, o.output.value, columns)
}

func newListing(a *app, form string, columns []string) *listing {
	return &listing{app: a, form: form, table: table{ink: a.inkFor(a.Terminal.Stdout), rows: [][]string{columns}}}
}

// add adds a thing, of which row is what people see.
func (l *listing) add(thing any, row ...string) error {
	l.count++
	switch l.form {
	case "text":
		l.table.rows = append(l.table.rows, row)
		return nil
	case "jsonl":
		return l.app.writeJSON(thing)
	}
	begin := ",\n "
	if l.count == 1 {
		begin = "["
	}
	return l.writeItem(begin, thing)
}

func (l *listing) writeItem(begin string, thing any) error {
	text, err := jsonOf(thing)
	if err != nil {
		return &exit{ExitFailed, err}
	}
	_, err = l.app.Stdout.Write(append([]byte(begin), text...))
	return unwritten(err)
}

// end writes what is left.
func (l *listing) end() error {
	text := ""
	switch {
	case l.form == "text" && l.count > 0:
		text = l.table.String()
	case l.form == "json" && l.count == 0:
		text = "[]\n"
	case l.form == "json":
		text = "]\n"
	}
	_, err := l.app.Stdout.Write([]byte(text))
	return unwritten(err)
}
