package cli

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/graphrun/graphrun/graph"
)

// stage is how far a job is.
type stage int

const (
	waiting stage = iota
	running
	finished
	failed
	cancelled
)

// job is a task as progress shows it.
type job struct {
	label string // the step: "2", or "2.1" in a subgraph
	path  string // the node behind its subgraphs: "billing/check"
	node  string
	depth int // in subgraphs
	stage stage
	began time.Time
	took  time.Duration
	tries int    // attempts that failed while another one followed
	note  string // what it wrote, or why it failed
	inner []*job // the tasks of its subgraph
}

// ledger follows the tasks of the step at hand of a run, subgraphs included.
type ledger struct {
	now  func() time.Time
	jobs map[string]*job // by the task's id
	top  []*job          // the root's tasks of the step at hand
	kept []string        // fields that are not shown of what tasks write
}

func newLedger(now func() time.Time) *ledger {
	return &ledger{now: now, jobs: map[string]*job{}}
}

// clear forgets the step.
func (l *ledger) clear() {
	clear(l.jobs)
	l.top = nil
}

// take notes an event and returns the job that it tells of, nil if none.
func (l *ledger) take(e graph.Event) *job {
	h := graph.HeadOf(e)
	switch e := e.(type) {
	case *graph.StepStarted:
		for _, t := range e.Tasks {
			l.job(&h, t)
		}
	case *graph.TaskStarted:
		j := l.job(&h, e.TaskRef)
		j.stage, j.began = running, l.now()
		return j
	case *graph.TaskRetried:
		j := l.job(&h, e.TaskRef)
		j.tries, j.note = e.Attempt, cause(e.Err)
		return j
	case *graph.TaskFinished:
		return l.end(l.job(&h, e.TaskRef), finished, l.noteOf(e))
	case *graph.TaskFailed:
		j := l.job(&h, e.TaskRef)
		if e.Cancelled {
			return l.end(j, cancelled, "cancelled")
		}
		return l.end(j, failed, cause(e.Err))
	}
	return nil
}

func (l *ledger) end(j *job, s stage, note string) *job {
	if !j.began.IsZero() {
		j.took = l.now().Sub(j.began)
	}
	j.stage, j.note = s, note
	return j
}

// job returns the job of a task, which it enters if it is new.
func (l *ledger) job(h *graph.Head, t graph.TaskRef) *job {
	if j := l.jobs[t.Task]; j != nil {
		return j
	}
	j := &job{label: stepLabel(h), path: nodePath(h.NS, t.Node), node: t.Node, depth: len(h.NS)}
	l.jobs[t.Task] = j
	if parent := l.jobs[parentID(t.Task)]; parent != nil {
		parent.inner = append(parent.inner, j)
	} else {
		l.top = append(l.top, j)
	}
	return j
}

// parentID is the id of the task that runs the subgraph of a task.
func parentID(task string) string { return task[:max(strings.LastIndexByte(task, '/'), 0)] }

// nodePath is a node's name behind those of its subgraphs.
func nodePath(ns []string, node string) string {
	return strings.Join(append(slices.Clone(ns), node), "/")
}

// stepLabel is the number of the step behind those of the steps that its
// subgraphs were started in.
func stepLabel(h *graph.Head) string {
	var parts []string
	for i := 0; i < len(h.Pos); i += 3 {
		parts = append(parts, strconv.Itoa(int(h.Pos[i])))
	}
	return strings.Join(parts, ".")
}

// noteOf is what a task wrote, as JSON; nothing if it wrote nothing.
func (l *ledger) noteOf(e *graph.TaskFinished) string {
	data, err := e.Update.MarshalJSON()
	if len(l.kept) > 0 && err == nil {
		data, err = without(data, l.kept)
	}
	switch {
	case err != nil:
		return err.Error()
	case e.Leaves:
		return "leaves for the parent graph"
	case string(data) == "{}":
		return ""
	}
	return escapeHidden(string(data))
}

// cause is the text of an error without the place, which is shown beside it.
func cause(err error) string {
	var placed *graph.Error
	for errors.As(err, &placed) {
		err = placed.Err
	}
	return oneLine(err.Error())
}
