package graph

import (
	"context"
	"encoding/json"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/internal/journal"
)

// survey looks at what is due in a log, and in the logs of the subgraphs that
// its tasks have begun.
type survey struct {
	ctx    context.Context
	keep   *keeping
	thread string
}

// dueTask is what a log knows of a task that is due.
type dueTask struct {
	node   string // as the graph calls it now
	path   string // the namespace of the run that it starts
	child  *program
	result json.RawMessage // saved; nil if the task is not done
	fault  *journal.Fault  // of its last failure
	open   []located       // unanswered questions, those further in included
	asked  bool            // it has asked, or something in the run it began has
	waits  bool            // nothing but an answer can take it further
}

// of returns the tasks that are due in a log of the program.
func (v *survey) of(p *program, path string, log *logState) ([]dueTask, error) {
	if log.Stand == nil {
		return nil, nil
	}
	out := make([]dueTask, len(log.Meta.Due.Tasks))
	for i, due := range log.Meta.Due.Tasks {
		d := &out[i]
		d.node, d.path = v.keep.evolution.current(due.Node), checkpoint.Child(path, log.Last.Seq, i)
		if id, ok := p.plan.ID(d.node); ok {
			d.child = p.nodes[id].child
		}
		if f, ok := log.Tasks.Faults[i]; ok {
			d.fault = &f
		}
		d.asked = len(log.Tasks.Asks[i]) > 0
		if d.result = log.Tasks.Results[i]; d.result != nil || log.Last.Seq != log.Head {
			continue // it is done, or long left: nothing is open
		}
		asks, answered := log.Tasks.Open(i)
		for _, a := range asks {
			d.open = append(d.open, located{a, path, log.Head})
		}
		d.waits = len(asks) > 0 && !answered
		if err := v.below(d, answered); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// below adds the questions of the run that the task has begun. The task waits
// if all in there that is left waits.
func (v *survey) below(d *dueTask, answered bool) error {
	if d.child == nil || len(d.open) > 0 || answered {
		return nil
	}
	log, err := loadLog(v.ctx, v.keep.store, checkpoint.Log{Thread: v.thread, NS: d.path}, 0)
	if err != nil {
		return err
	}
	inner, err := v.of(d.child, d.path, &log)
	if err != nil {
		return err
	}
	left, waiting := 0, 0
	for i := range inner {
		d.asked = d.asked || inner[i].asked
		if inner[i].result != nil {
			continue
		}
		left++
		if inner[i].waits {
			waiting++
		}
		d.open = append(d.open, inner[i].open...)
	}
	d.waits = left > 0 && left == waiting
	return nil
}

// open returns the unanswered questions of a log and all below it.
func (v *survey) open(p *program, path string, log *logState) ([]located, error) {
	due, err := v.of(p, path, log)
	var open []located
	for i := range due {
		open = append(open, due[i].open...)
	}
	return open, err
}
