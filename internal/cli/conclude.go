package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
)

// conclude says on standard error how a run ended.
func (r *runner) conclude(s *summary, f *graphfile.File, d time.Duration) {
	k := r.inkFor(r.Terminal.Stderr)
	if s.status == graph.OutcomeDone {
		if !r.quiet && r.output.value == "text" {
			fmt.Fprintln(r.Stderr, k.green("done"), "in", counted(s.step, "step"), k.dim("("+took(d)+")"))
		}
		return
	}
	rep := &report{sum: s, debug: r.debug}
	errors.As(s.err, &rep.placed)
	errors.As(s.err, &rep.panicked)
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s\n", k.red("graphrun:"), headline(s.status), rep.message())
	for _, row := range rep.rows(f) {
		if row[1] != "" {
			fmt.Fprintf(&b, "  %s %s\n", k.dim(pad(row[0], 5)), row[1])
		}
	}
	b.WriteString(rep.stack())
	fmt.Fprint(r.Stderr, b.String())
}

func headline(o graph.Outcome) string {
	switch o {
	case graph.OutcomeCancelled:
		return "the run was stopped"
	case graph.OutcomeLimit:
		return "the run hit a limit"
	case graph.OutcomeInterrupted:
		return "the run is paused"
	}
	return "the run failed"
}

// report tells of a run that did not come to its end.
type report struct {
	sum      *summary
	placed   *graph.Error
	panicked *graph.PanicError
	debug    bool
}

func (p *report) message() string {
	if p.sum.err == nil {
		return "no error was told"
	}
	return cause(p.sum.err)
}

func (p *report) kind() graph.Kind {
	if p.placed == nil {
		return graph.KindNode
	}
	return p.placed.Kind()
}

// rows are what is known of the error, each behind a word.
func (p *report) rows(f *graphfile.File) [][2]string {
	return [][2]string{
		{"at", p.where()}, {"kind", string(p.kind())}, {"left", p.left()}, {"help", p.advice(f)},
	}
}

// where names step, node, task and attempt, as far as they are known.
func (p *report) where() string {
	if p.placed == nil {
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

// left names the nodes of the tasks that are left to do.
func (p *report) left() string {
	counts := map[string]int{}
	var names []string
	for _, n := range p.sum.next {
		if counts[n]++; counts[n] == 1 {
			names = append(names, n)
		}
	}
	for i, n := range names {
		if counts[n] > 1 {
			names[i] = fmt.Sprintf("%s (%d times)", n, counts[n])
		}
	}
	return strings.Join(names, ", ")
}

// stack is where a node panicked, if it is asked for.
func (p *report) stack() string {
	if p.panicked == nil || !p.debug {
		return ""
	}
	return "\n" + strings.TrimRight(string(p.panicked.Stack), "\n") + "\n"
}

// advice says what can be done.
func (p *report) advice(f *graphfile.File) string {
	switch p.kind() {
	case graph.KindRecursionLimit:
		return "raise recursion_limit in " + fileName(f) + ", or give the loop a way out: graphrun graph shows it"
	case graph.KindInvalidUpdate:
		return "give the field a reducer (append, sum, merge, …), or let one node of a step write it"
	case graph.KindTimeout:
		return "give the node a longer timeout, or retry"
	case graph.KindLimit:
		return "the message names the bound; give the graph less to do at once"
	case graph.KindStore:
		return "this version keeps no threads, so that a run cannot wait for an answer"
	case graph.KindCancelled:
		return "run it again; nothing of this run is kept"
	}
	if p.panicked != nil && !p.debug {
		return "this is a bug of the node; --debug shows where"
	}
	return "mend what the message says; for failures that pass give the node retry"
}

func fileName(f *graphfile.File) string {
	if name := f.Name(); name != "" {
		return fmt.Sprintf("graph %q", name)
	}
	return "the graph file"
}

// counted is a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
