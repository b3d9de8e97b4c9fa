package crash_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
)

// chronicle is all that a thread tells of its past.
type chronicle struct {
	rows   []string // a checkpoint each, oldest first: its values, what was due, step, source, parent
	inner  []string // the runs of subgraphs behind each checkpoint: their values and what is due
	inside bool     // inner was read
	logs   []string // the commits of all logs
	head   string   // the newest checkpoint
	values string   // where the thread stands
	next   []string // what is left there
	open   []string // the questions that are open
	heads  map[string]int64
	done   map[string]bool // tasks behind the newest commits whose results are saved
}

// How much of a thread is read.
const (
	standing = iota // where it stands: head, next, open, heads, done
	past            // the rows and the commits of all logs too
	whole           // and what was due, and the runs of subgraphs, behind each checkpoint
)

// read reads a thread; nil if there is none.
func read[S any](ctx context.Context, g *graph.Graph[S], s checkpoint.Store, thread string, much int) (*chronicle, error) {
	g = g.On(s, nil)
	snap, err := g.State(ctx, thread, "")
	if errors.Is(err, graph.ErrUnknown) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c := &chronicle{head: snap.Checkpoint, next: snap.Next, heads: map[string]int64{}, done: map[string]bool{}}
	if c.heads[""], err = strconv.ParseInt(snap.Checkpoint, 10, 64); err != nil {
		return nil, err
	}
	for _, q := range snap.Interrupts {
		c.open = append(c.open, q.ID)
	}
	if err := c.look(ctx, s, thread, snap.Tasks); err != nil {
		return nil, err
	}
	if much >= past {
		if err := history(ctx, c, g, thread, much == whole); err != nil {
			return nil, err
		}
		if c.values, err = valuesOf(snap); err == nil && c.values != rowValues(c.rows[len(c.rows)-1]) {
			err = fmt.Errorf("State tells %s, History %s", c.values, c.rows[len(c.rows)-1])
		}
	}
	c.inside = much == whole
	if err == nil && much >= past {
		err = c.commits(ctx, s, thread)
	}
	return c, err
}

// look notes how far the tasks that are due have come.
func (c *chronicle) look(ctx context.Context, s checkpoint.Store, thread string, tasks []graph.TaskState) error {
	for _, t := range tasks {
		if t.Done {
			c.done[t.ID] = true
		}
		if t.Child == nil {
			continue
		}
		l, err := s.Load(ctx, checkpoint.Log{Thread: thread, NS: t.Child.NS}, 0)
		if err != nil {
			return err
		}
		c.heads[t.Child.NS] = l.Head
		if err := c.look(ctx, s, thread, t.Child.Tasks); err != nil {
			return err
		}
	}
	return nil
}

// saved reports whether what a task brought, or a task around it, is kept: it
// must not run again.
func (c *chronicle) saved(task string) bool {
	if c == nil {
		return false
	}
	ns := ""
	for part := range strings.SplitSeq(task, "/") {
		head, ok := c.heads[ns]
		if seq := seqOf(part); !ok || seq > head {
			return false
		} else if seq < head {
			return true
		}
		if ns = strings.TrimPrefix(ns+"/"+part, "/"); c.done[ns] {
			return true
		}
	}
	return false
}

// reached reports whether the commit that a task stands behind is kept.
func (c *chronicle) reached(task string) bool {
	if c == nil {
		return false
	}
	if c.saved(task) {
		return true
	}
	at := strings.LastIndex(task, "/")
	head, ok := c.heads[task[:max(at, 0)]]
	return ok && seqOf(task[at+1:]) == head
}

func seqOf(part string) int64 {
	number, _, _ := strings.Cut(part, ".")
	seq, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		panic(err)
	}
	return seq
}

// history reads the checkpoints into c.
func history[S any](ctx context.Context, c *chronicle, g *graph.Graph[S], thread string, inner bool) error {
	for snap, err := range g.History(ctx, thread, nil) {
		if err != nil {
			return err
		}
		snap.Interrupts = nil // open ones are told at the newest only
		row, err := json.Marshal(snap)
		if err != nil {
			return err
		}
		c.rows = append(c.rows, string(row))
		if !inner {
			continue
		}
		at, err := g.State(ctx, thread, snap.Checkpoint)
		if err != nil {
			return err
		}
		if data, err := json.Marshal(at.Tasks); err != nil {
			return err
		} else if strings.Contains(string(data), `"NS":"`) {
			c.inner = append(c.inner, snap.Checkpoint+" "+withoutDone(string(data)))
		}
	}
	slices.Reverse(c.rows)
	return nil
}

// withoutDone leaves out what depends on whether a result was kept by itself
// or only with its step.
func withoutDone(tasks string) string {
	return strings.ReplaceAll(tasks, `"Done":true`, `"Done":false`)
}

// commits reads the commits of all logs.
func (c *chronicle) commits(ctx context.Context, s checkpoint.Store, thread string) error {
	infos, err := s.Logs(ctx, checkpoint.LogQuery{Thread: thread})
	if err != nil {
		return err
	}
	for _, info := range infos {
		list, err := s.List(ctx, checkpoint.Query{Log: info.Log})
		if err != nil {
			return err
		}
		var b strings.Builder
		for _, k := range list {
			fmt.Fprintf(&b, " %d<%d:%d%s", k.Seq, k.Parent, k.Step, k.Source)
		}
		c.logs = append(c.logs, info.NS+b.String())
	}
	return nil
}

func valuesOf[S any](snap *graph.Snapshot[S]) (string, error) {
	data, err := json.Marshal(snap)
	return rowValues(string(data)), err
}

// rowValues cuts the state out of a checkpoint's row.
func rowValues(row string) string {
	var r struct {
		Values json.RawMessage `json:"values"`
	}
	if err := json.Unmarshal([]byte(row), &r); err != nil {
		return err.Error()
	}
	return string(r.Values)
}
