package graph_test

import (
	"cmp"
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
	asked            bool       // its tasks have asked
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
	c.parent, c.step, c.source, c.asked = of.id, of.step+1, "fork", false
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
