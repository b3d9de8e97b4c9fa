package graph_test

import (
	"fmt"
	"slices"
)

// refEnd is how an operation came out.
type refEnd struct {
	outcome, kind string
	next, dropped []string
	asks          []*refQuestion
	out           *refAct // the command to the parent graph
	input         bool    // it was the input that failed
}

// refOp is one operation at work.
type refOp struct {
	exit          bool     // rows of a run are kept only where it ends
	before, after []string // where the run pauses
	drainBy       string   // the run of a node that asks the run to end
	drained       bool
	ran           []string // what nodes did
	told          []string // the tasks that have finished
	asked         bool     // a task of the thread's own step has asked
	mixed         bool     // subgraphs run beside other tasks: which step of theirs a drain meets is open
	runs          []string // of nodes, by their notes
	floating      *string  // the answer to the question that is asked first; nil: none
	unclear       bool     // which question that is depends on what comes first
	aside         []bool   // by run: whether the step was mixed
}

func (x *refOp) note(format string, args ...any) {
	x.ran = append(x.ran, fmt.Sprintf(format, args...))
}

// run runs a graph on a log: on a new input, or from where the log stands.
func (x *refOp) run(s *sesSpec, log *refLog, path string, in []refWrite, fresh bool) *refEnd {
	n, end := len(log.rows), &refEnd{}
	before, after := s.before, s.after
	if path == "" {
		before, after = x.before, x.after
	}
	if fresh {
		end = x.enter(s, log, in)
		x.stop(log, end, before, nil)
	} else if len(log.head().tasks) == 0 {
		end.outcome = "done"
	}
	for used := 1; end.outcome == ""; used++ {
		ran := dueNames(log.head().tasks)
		if x.step(s, log, path, end); end.outcome != "" {
			break
		}
		if len(log.head().tasks) > 0 && used >= s.Limit {
			end.outcome, end.kind, end.next = "limit", "recursion_limit", dueNames(log.head().tasks)
			break
		}
		x.stop(log, end, before, common(after, ran))
	}
	if x.exit {
		log.collapse(n)
	}
	return end
}

// common returns the names that are in both lists.
func common(a, b []string) (out []string) {
	for _, name := range a {
		if slices.Contains(b, name) {
			out = append(out, name)
		}
	}
	return out
}

// stop ends a run between two steps if there is a reason to.
func (x *refOp) stop(log *refLog, end *refEnd, before, paused []string) {
	if end.outcome != "" {
		return
	}
	next := dueNames(log.head().tasks)
	switch {
	case len(next) == 0:
		end.outcome = "done"
	case x.drained:
		end.outcome, end.kind, end.next = "cancelled", "cancelled", next
	case len(paused) > 0 || len(common(before, next)) > 0:
		end.outcome, end.next = "interrupted", next
	}
}

// begin makes an interpreter that stands where a row does.
func (r *refRow) begin(s *sesSpec) *refRun {
	c := r.clone()
	m := &refRun{graph: &s.refGraph, state: c.state, arrived: c.arrived, parked: c.parked, changes: slices.Clone(c.changes)}
	for len(m.arrived) < len(s.Joins) {
		m.arrived = append(m.arrived, map[string]bool{})
	}
	if m.parked == nil {
		m.parked = map[string]bool{}
	}
	return m
}

// forget lets the full waits of deferred nodes that were due begin anew: the
// tasks are dropped.
func (r *refRun) forget(dropped []*refDue) {
	for j, join := range r.graph.Joins {
		for _, t := range dropped {
			if t.Node == join.To && !t.Sent && r.graph.Nodes[t.Node].Defer && len(r.arrived[j]) == len(join.Sources) {
				clear(r.arrived[j])
			}
		}
	}
}

// follow adds the row of a step that was committed.
func (l *refLog) follow(m *refRun, from *refRow, source string, tasks []refTask, results []refResult) {
	next := m.plan(tasks, results)
	row := &refRow{source: source, state: m.state, arrived: m.arrived, parked: m.parked, changes: m.changes}
	if row.parent = from.id; row.parent > 0 {
		row.step = from.step + 1
	}
	if len(next) == 0 {
		row.arrived, row.parked = nil, nil
	}
	for _, t := range next {
		row.tasks = append(row.tasks, &refDue{refTask: t})
	}
	l.add(row)
}

// enter applies an input.
func (x *refOp) enter(s *sesSpec, log *refLog, in []refWrite) *refEnd {
	from, tasks := &refRow{}, []refTask{{Node: "START"}}
	if len(log.rows) > 0 {
		from = log.head()
	}
	results := []refResult{{act: refAct{Writes: in}}}
	m := from.begin(s)
	m.forget(from.tasks)
	if s.Nodes["START"].Ways && !twice(in) {
		results[0].routes = s.Choose("START", m.state.after(in))
	}
	if !m.commit(results) {
		return &refEnd{outcome: "failed", kind: "invalid_update", input: true, next: dueNames(from.left())}
	}
	end := &refEnd{dropped: dueNames(from.tasks)}
	log.follow(m, from, "input", tasks, results)
	return end
}
