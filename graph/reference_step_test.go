package graph_test

import (
	"fmt"
	"slices"
	"strings"
)

// refTry is how a run of a task came out: "done", "failed", "limit", "waits"
// or "stopped".
type refTry struct {
	how, kind string
	result    refResult
}

// step runs the tasks of the step that is due, and commits it if it can.
func (x *refOp) step(s *sesSpec, log *refLog, path string, end *refEnd) {
	row := log.head()
	tries, floating, ran := make([]refTry, len(row.tasks)), x.floating, 0
	if path == "" {
		x.mixed = len(row.tasks) > 1 && slices.ContainsFunc(row.tasks, func(t *refDue) bool { return s.inner[t.Node] != nil })
	}
	for i, t := range row.tasks {
		switch {
		case t.done != nil:
			tries[i] = refTry{how: "done", result: *t.done}
		case t.waits():
			tries[i] = refTry{how: "waits"}
		default:
			ran++
			tries[i] = x.do(s, row, t, path)
			if r := tries[i].result; tries[i].how == "done" && r.act.Parent == nil {
				t.done = &r
				x.told = append(x.told, fmt.Sprintf("%s/%s@%d", path, t.Node, row.step+1))
			}
		}
	}
	if path == "" {
		row.asked, x.asked = row.asked || x.asked, false
	}
	x.unclear = x.unclear || ran > 1 && floating != x.floating
	if x.judge(row, tries, end); end.outcome != "" {
		return
	}
	m, tasks := row.begin(s), []refTask{}
	m.steps = make([]refStep, 1)
	var results []refResult
	for i, t := range row.tasks {
		tasks, results = append(tasks, t.refTask), append(results, tries[i].result)
	}
	if !m.commit(results) {
		for _, t := range row.tasks {
			t.done = nil
		}
		end.outcome, end.kind, end.next = "failed", "invalid_update", dueNames(row.tasks)
		return
	}
	log.follow(m, row, "loop", tasks, results)
}

// judge looks for what keeps a step from being committed.
func (x *refOp) judge(row *refRow, tries []refTry, end *refEnd) {
	find := func(hows ...string) int {
		return slices.IndexFunc(tries, func(t refTry) bool { return slices.Contains(hows, t.how) })
	}
	switch i := find("failed", "limit"); {
	case i >= 0:
		end.outcome, end.kind = tries[i].how, tries[i].kind
	case find("stopped") >= 0:
		end.outcome, end.kind = "cancelled", "cancelled"
	case find("waits") >= 0:
		end.outcome, end.asks = "interrupted", row.open()
	default:
		x.leave(tries, end)
		return
	}
	end.next = dueNames(row.left())
}

// leave ends the run if tasks leave for the parent graph.
func (x *refOp) leave(tries []refTry, end *refEnd) {
	for _, t := range tries {
		if p := t.result.act.Parent; p != nil {
			if end.out == nil {
				end.outcome, end.out = "left", &refAct{}
			}
			end.out.Writes = append(end.out.Writes, p.Writes...)
			end.out.Gotos = append(end.out.Gotos, p.Gotos...)
			end.out.Sends = append(end.out.Sends, p.Sends...)
		}
	}
}

// do runs a task: its node with its retries, or its subgraph, then its routers.
func (x *refOp) do(s *sesSpec, row *refRow, t *refDue, path string) (try refTry) {
	n, view := s.Nodes[t.Node], row.state.after(t.Over)
	if n.Child != nil {
		try = x.mount(s, t, view, path)
	} else {
		for range s.trait[t.Node].attempts() {
			if try = x.attempt(s, row, t, view, path); try.how != "failed" {
				break
			}
		}
	}
	if try.how != "done" || !n.Ways || try.result.act.Parent != nil {
		return try
	}
	if twice(try.result.act.Writes) {
		return refTry{how: "failed", kind: "invalid_update"}
	}
	try.result.routes = s.Choose(t.Node, row.state.after(try.result.act.Writes))
	return try
}

// attempt runs a node once.
func (x *refOp) attempt(s *sesSpec, row *refRow, t *refDue, view refState, path string) refTry {
	tr, place := s.trait[t.Node], fmt.Sprintf("%s/%s@%d", path, t.Node, row.step+1)
	t.runs++
	x.note("%s runs on %s %s", place, view, view.Item)
	x.runs, x.aside = append(x.runs, x.ran[len(x.ran)-1]), append(x.aside, x.mixed)
	x.drained = x.drained || x.drainBy == x.ran[len(x.ran)-1]
	if tr.once && t.once == "" {
		t.once = fmt.Sprint(t.Node, " once ", t.runs)
		x.note("%s once", place)
	}
	if !tr.late && t.runs <= tr.fails {
		return refTry{how: "failed", kind: "node_error"}
	}
	given, open := x.ask(t, tr, path)
	if len(open) > 0 {
		t.asks = open
		return refTry{how: "waits"}
	}
	if tr.late && t.runs <= tr.fails {
		return refTry{how: "failed", kind: "node_error"}
	}
	a := s.conclude(t.Node, view, given, t.once)
	if a.Fail != "" {
		return refTry{how: "failed", kind: "node_error"}
	}
	return refTry{how: "done", result: refResult{act: a}}
}

// ask asks the questions of a node. Without an answer the node ends, unless
// it asks its questions together.
func (x *refOp) ask(t *refDue, tr *sesTrait, path string) (given []string, open []*refQuestion) {
	for i := range tr.asks {
		x.asked = true
		q := &refQuestion{Path: path, Node: t.Node, Place: fmt.Sprint(i + 1), Value: sesQuestion(t.Node, i)}
		if tr.keyed {
			q.Key = sesKey(i)
		}
		for _, asked := range t.asks {
			if asked.Place == q.Place {
				q = asked
			}
		}
		a, ok := t.answers[q.Place]
		if !ok && x.floating != nil {
			a, ok, x.floating = *x.floating, true, nil
			if t.answers == nil {
				t.answers = map[string]string{}
			}
			t.answers[q.Place] = a
		}
		switch {
		case !ok:
			open = append(open, q)
			if !tr.together {
				return given, open
			}
		case a == "no" && !tr.together:
			return append(given, a), nil
		default:
			given = append(given, a)
		}
	}
	return given, open
}

// mount runs a subgraph, or goes on with its run.
func (x *refOp) mount(s *sesSpec, t *refDue, view refState, path string) refTry {
	n, inner := s.Nodes[t.Node], s.inner[t.Node]
	if t.child == nil {
		t.child = &refLog{}
	}
	log := t.child
	if x.exit {
		log = log.clone()
	}
	end := x.run(inner, log, strings.TrimPrefix(path+"/"+t.Node, "/"), inputOf(n, view), len(log.rows) == 0)
	if end.outcome != "done" && end.outcome != "left" {
		t.child = log
	}
	switch end.outcome {
	case "done":
		return refTry{how: "done", result: refResult{act: refAct{Writes: handBack(log.head().changes, n.Shared)}}}
	case "left":
		return refTry{how: "done", result: refResult{act: *end.out}}
	case "interrupted":
		return refTry{how: "waits"}
	case "cancelled":
		return refTry{how: "stopped"}
	}
	return refTry{how: end.outcome, kind: end.kind}
}
