package graph_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// The reference of sessions: threads as plain data, whole states in slices,
// and operations on them written down as plainly as possible.

// refQuestion is what a task asks.
type refQuestion struct {
	Path, Node string // the path of subgraph nodes, joined
	Key        string // as the node gave it
	Place      string // tells the questions of one task apart
	Value      string
	ID         string // as the engine calls it, once it was seen
}

// refDue is a task that is due, with what is kept of it.
type refDue struct {
	refTask
	done    *refResult
	runs    int
	once    string
	asks    []*refQuestion    // of its last run that ended with questions
	answers map[string]string // by the place of the question
	child   *refLog           // of the run of its subgraph
}

// refRow is a checkpoint.
type refRow struct {
	id, parent, step int
	source           string
	state            refState
	tasks            []*refDue // of the step behind it
	arrived          []map[string]bool
	parked           map[string]bool
	changes          []refWrite // applied since the input of the run
}

// refLog is a thread, or a run of a subgraph.
type refLog struct {
	rows []*refRow      // oldest first
	made int            // rows ever
	name map[int]string // what the engine calls rows
}

func (l *refLog) head() *refRow { return l.rows[len(l.rows)-1] }

// add appends a row. What was kept behind the head is no more, but for the
// runs of subgraphs.
func (l *refLog) add(row *refRow) {
	if len(l.rows) > 0 {
		for _, t := range l.head().tasks {
			*t = refDue{refTask: t.refTask, child: t.child}
		}
	}
	l.made++
	row.id = l.made
	l.rows = append(l.rows, row)
}

// collapse leaves of the rows behind the first n only the last.
func (l *refLog) collapse(n int) {
	if len(l.rows) <= n+1 {
		return
	}
	last := l.head()
	if last.parent = 0; n > 0 {
		last.parent = l.rows[n-1].id
	}
	l.rows = append(l.rows[:n:n], last)
}

func (l *refLog) clone() *refLog {
	if l == nil {
		return nil
	}
	c := &refLog{made: l.made, name: maps.Clone(l.name)}
	for _, row := range l.rows {
		c.rows = append(c.rows, row.clone())
	}
	return c
}

func (r *refRow) clone() *refRow {
	c := *r
	c.tasks, c.arrived, c.parked = nil, nil, maps.Clone(r.parked)
	for _, t := range r.tasks {
		d := *t
		d.asks, d.answers, d.child = slices.Clone(t.asks), maps.Clone(t.answers), t.child.clone()
		c.tasks = append(c.tasks, &d)
	}
	for _, a := range r.arrived {
		c.arrived = append(c.arrived, maps.Clone(a))
	}
	return &c
}

// fork adds a copy of a row whose tasks have not begun.
func (l *refLog) fork(of *refRow) {
	c := of.clone()
	c.parent, c.step, c.source = of.id, of.step+1, "fork"
	for _, t := range c.tasks {
		*t = refDue{refTask: t.refTask}
	}
	l.add(c)
}

// open returns the questions of a task that have no answer, those of its
// subgraph included.
func (t *refDue) open() (out []*refQuestion) {
	if t.done != nil {
		return nil
	}
	for _, q := range t.asks {
		if _, ok := t.answers[q.Place]; !ok {
			out = append(out, q)
		}
	}
	if t.child != nil && len(t.child.rows) > 0 {
		out = append(out, t.child.head().open()...)
	}
	return out
}

func (r *refRow) open() (out []*refQuestion) {
	for _, t := range r.tasks {
		out = append(out, t.open()...)
	}
	return out
}

// waits reports whether a task can do nothing but wait for answers.
func (t *refDue) waits() bool {
	if t.child == nil || len(t.child.rows) == 0 {
		return len(t.asks) > 0 && !slices.ContainsFunc(t.asks, func(q *refQuestion) bool {
			_, ok := t.answers[q.Place]
			return ok
		})
	}
	left := t.child.head().left()
	return len(left) > 0 && !slices.ContainsFunc(left, func(in *refDue) bool { return !in.waits() })
}

// left returns the tasks behind a row that are not done.
func (r *refRow) left() (out []*refDue) {
	for _, t := range r.tasks {
		if t.done == nil {
			out = append(out, t)
		}
	}
	return out
}

// answer gives an answer to an open question; false if it is none of these.
func (r *refRow) answer(q *refQuestion, with string) bool {
	for _, t := range r.tasks {
		if t.done != nil {
			continue
		}
		if slices.Contains(t.asks, q) {
			if t.answers == nil {
				t.answers = map[string]string{}
			}
			t.answers[q.Place] = with
			return true
		}
		if t.child != nil && len(t.child.rows) > 0 && t.child.head().answer(q, with) {
			return true
		}
	}
	return false
}

func dueNames(tasks []*refDue) (out []string) {
	for _, t := range tasks {
		out = append(out, t.Node)
	}
	return out
}

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
		x.stop(s, log, end, before, nil)
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
		x.stop(s, log, end, before, common(after, ran))
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
func (x *refOp) stop(_ *sesSpec, log *refLog, end *refEnd, before, paused []string) {
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

// update adds the row of a step in which a node did nothing but the writes.
func (l *refLog) update(s *sesSpec, node string, writes []refWrite, keep bool) (end *refEnd, ok bool) {
	from := l.head()
	m, result := from.begin(s), refResult{act: refAct{Writes: writes}}
	var kept []*refDue
	end = &refEnd{}
	acted := false
	for _, t := range from.tasks {
		if t.Node == node && !acted {
			acted = true
			continue
		}
		if keep {
			kept = append(kept, &refDue{refTask: t.refTask, done: t.done})
		} else {
			end.dropped = append(end.dropped, t.Node)
		}
	}
	if s.Nodes[node].Ways && !twice(writes) {
		result.routes = s.Choose(node, m.state.after(writes))
	}
	if !m.commit([]refResult{result}) {
		return nil, false
	}
	if !keep {
		m.forget(from.tasks)
	}
	m.others = len(kept) > 0
	l.follow(m, from, "update", []refTask{{Node: node}}, []refResult{result})
	row := l.head()
	row.arrived, row.parked = m.arrived, m.parked
	row.tasks = merged(kept, row.tasks)
	if len(row.tasks) == 0 {
		row.arrived, row.parked = nil, nil
	}
	end.next = dueNames(row.tasks)
	return end, true
}

// merged puts tasks that are due in order: nodes by name, once each, then
// what was sent, in the order in which it was sent.
func merged(kept, fresh []*refDue) (out []*refDue) {
	for _, t := range slices.Concat(kept, fresh) {
		if t.Sent || !slices.ContainsFunc(out, func(o *refDue) bool { return !o.Sent && o.Node == t.Node }) {
			out = append(out, t)
		}
	}
	slices.SortStableFunc(out, func(a, b *refDue) int {
		switch {
		case a.Sent != b.Sent && a.Sent:
			return 1
		case a.Sent != b.Sent:
			return -1
		case a.Sent:
			return 0
		}
		return cmp.Compare(a.Node, b.Node)
	})
	return out
}
