package cli

import (
	"errors"
	"fmt"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
)

// pauseAdvice says how a paused run is gone on with.
func (p *report) pauseAdvice() string {
	switch {
	case p.kept == lost:
		return "what is kept in memory: ends with this command, so that it cannot be resumed; run it without --store memory:"
	case len(p.sum.asks) > 0:
		return `put the answer in the place of JSON; a text needs its quotes: '"yes"'`
	}
	return ""
}

// advice says what can be done about the error.
func (p *report) advice(f *graphfile.File) string {
	switch p.kind() {
	case graph.KindRecursionLimit:
		return p.limitAdvice(f)
	case graph.KindInvalidUpdate:
		return "give the field a reducer (append, sum, merge, …), or let one node of a step write it"
	case graph.KindTimeout:
		return "give the node a longer timeout, or retry"
	case graph.KindLimit:
		return "the message names the bound; give the graph less to do at once"
	case graph.KindStore:
		return p.storeAdvice()
	case graph.KindCancelled:
		return p.stopAdvice()
	}
	if errors.Is(p.sum.err, graph.ErrTakenOver) {
		return p.stopAdvice()
	}
	if p.panicked != nil && !p.debug {
		return "this is a bug of the node; --debug shows where"
	}
	return "mend what the message says; for failures that pass give the node retry"
}

func (p *report) limitAdvice(f *graphfile.File) string {
	text := "raise recursion_limit in " + fileName(f) + ", or give the loop a way out: graphrun graph shows it"
	if p.kept == safe {
		text += "; a resume may make as many steps again"
	}
	return text
}

func (p *report) storeAdvice() string {
	switch {
	case errors.Is(p.sum.err, graph.ErrBusy):
		return "--busy enqueue waits until the other run has ended, --busy interrupt ends it"
	case errors.Is(p.sum.err, graph.ErrChanged):
		return "--allow-changes goes on all the same; new input (graphrun run) does too, and drops what was due"
	case p.kept == safe:
		return "the thread is as it was last saved: mend what the message says, then resume"
	}
	return "mend what the message says"
}

// stopAdvice says what is left of a run that was stopped.
func (p *report) stopAdvice() string {
	switch p.kept {
	case lost:
		return "run it again; what is kept in memory: ends with this command"
	case others:
		return "the thread is with the run that took it over; what this one had saved is kept"
	case untouched:
		return "run it again; nothing of this run is kept"
	}
	if errors.Is(p.sum.err, graph.ErrDrained) {
		return "all that was begun is finished and saved"
	}
	return "steps and tasks that were finished are saved; those at work run again when it is resumed"
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
