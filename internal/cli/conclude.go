package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
)

// conclude says on standard error how a run ended.
func (r *runner) conclude(ctx context.Context, s *summary, f *graphfile.File, d time.Duration) {
	k := r.inkFor(r.Terminal.Stderr)
	if s.status == graph.OutcomeDone {
		switch {
		case r.quiet || s.idle && r.output.value == "jsonl":
		case s.idle:
			fmt.Fprintf(r.Stderr, "nothing is left to do in thread %s\n", r.thread)
		case r.output.value == "text":
			fmt.Fprintln(r.Stderr, k.green("done"), "in", counted(s.made, "step"), k.dim("("+took(d)+")"))
		}
		return
	}
	rep := &report{sum: s, debug: r.debug, kept: r.keptOf(s), stop: context.Cause(ctx)}
	errors.As(s.err, &rep.placed)
	errors.As(s.err, &rep.panicked)
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", k.red("graphrun:"), rep.headline())
	for _, row := range rep.rows(f) {
		if row[1] != "" {
			fmt.Fprintf(&b, "  %s %s\n", k.dim(pad(row[0], 5)), row[1])
		}
	}
	if command := r.wayOn(rep); command != "" {
		fmt.Fprintf(&b, "resume with:\n  %s\n", k.bold(command))
	}
	b.WriteString(rep.stack())
	fmt.Fprint(r.Stderr, b.String())
}

// keeping is what has become of a thread when its run ended.
type keeping int

const (
	lost      keeping = iota // it was kept in memory
	untouched                // the run did not begin
	others                   // another run has it
	safe                     // it is in the store
)

// keptOf says what has become of the thread.
func (r *runner) keptOf(s *summary) keeping {
	switch {
	case errors.Is(s.err, graph.ErrTakenOver):
		return others
	case isAny(s.err, graph.ErrBusy, graph.ErrChanged):
		return untouched
	case r.passing(r.kept.place):
		return lost
	case s.state == nil:
		return untouched
	}
	return safe
}

// wayOn is the command that goes on with the thread, if one can.
func (r *runner) wayOn(p *report) string {
	if p.kept != safe {
		return ""
	}
	if p.sum.status == graph.OutcomeInterrupted && len(p.sum.asks) > 0 {
		return r.goOn(answerForm(p.sum.asks))
	}
	return r.goOn("")
}

// report tells of a run that did not come to its end.
type report struct {
	sum      *summary
	placed   *graph.Error
	panicked *graph.PanicError
	kept     keeping
	stop     error // why the command ends; nil if it does not
	debug    bool
}

// headline says in a few words how the run ended.
func (p *report) headline() string {
	switch p.sum.status {
	case graph.OutcomeCancelled:
		return "the run was stopped: " + p.message()
	case graph.OutcomeLimit:
		return "the run hit a limit: " + p.message()
	case graph.OutcomeInterrupted:
		return "the run is paused: " + p.pause()
	}
	return "the run failed: " + p.message()
}

// pause says what a paused run waits for.
func (p *report) pause() string {
	switch n := len(p.sum.asks); {
	case n == 1:
		return "it waits for an answer"
	case n > 1:
		return fmt.Sprintf("it waits for %d answers", n)
	case len(p.sum.next) == 0:
		return "nothing is left to do"
	}
	return "before " + tally(p.sum.next)
}

func (p *report) message() string {
	switch {
	case p.sum.err == nil:
		return "no error was told"
	case p.stop != nil && isAny(p.sum.err, graph.ErrDrained, context.Canceled):
		return p.stop.Error()
	}
	return cause(p.sum.err)
}

func (p *report) kind() graph.Kind {
	if p.placed == nil {
		return graph.KindNode
	}
	return p.placed.Kind()
}

// rows are what is known of the end, each behind a word.
func (p *report) rows(f *graphfile.File) [][2]string {
	if p.sum.status == graph.OutcomeInterrupted {
		var rows [][2]string
		for i := range p.sum.asks {
			q := &p.sum.asks[i]
			rows = append(rows, [2]string{"asks", askText(q) + "  (" + q.ID + ")"})
		}
		return append(rows, [2]string{"help", p.pauseAdvice()})
	}
	return [][2]string{
		{"at", p.where()}, {"kind", string(p.kind())}, {"left", tally(p.sum.next)}, {"help", p.advice(f)},
	}
}

// where names step, node, task and attempt, as far as they are known.
func (p *report) where() string {
	if p.placed == nil || p.kept == untouched {
		return ""
	}
	parts := []string{fmt.Sprintf("step %d", p.placed.Step)}
	if p.placed.Node != "" {
		parts = append(parts, "node "+nodePath(p.placed.NS, p.placed.Node))
	} else if len(p.placed.NS) > 0 {
		parts = append(parts, "subgraph "+strings.Join(p.placed.NS, "/"))
	}
	if p.placed.Task != "" {
		parts = append(parts, "task "+p.placed.Task)
	}
	if p.placed.Attempt > 0 {
		parts = append(parts, fmt.Sprintf("attempt %d", p.placed.Attempt))
	}
	return strings.Join(parts, ", ")
}

// stack is where a node panicked, if it is asked for.
func (p *report) stack() string {
	if p.panicked == nil || !p.debug {
		return ""
	}
	return "\n" + strings.TrimRight(string(p.panicked.Stack), "\n") + "\n"
}
