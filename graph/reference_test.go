package graph_test

import (
	"fmt"
	"maps"
	"slices"
)

// The reference interpreter: what a graph does, written down as plainly as
// possible. It shares nothing with the engine but the type of the state.

type refSend struct {
	To   string
	Over []refWrite
}

// refAct is what a node or a router returns.
type refAct struct {
	Writes []refWrite
	Gotos  []string
	Sends  []refSend
	Fail   string
	Parent *refAct
	Limit  bool // it failed because a subgraph's limit was used up
}

type refNode struct {
	Name   string
	Next   []string
	Ways   bool // conditional edges lead on from it
	Defer  bool
	Child  *refGraph
	Shared bool // the child shares the field "last" too
}

type refJoin struct {
	Sources []string
	To      string
}

type refGraph struct {
	Nodes  map[string]*refNode // START among them
	Joins  []refJoin
	Limit  int
	Act    func(node string, view refState) refAct
	Choose func(node string, view refState) refAct
}

type refTask struct {
	Node string
	Sent bool
	Over []refWrite
}

type refResult struct{ act, routes refAct }

// refStep is a committed step.
type refStep struct {
	Tasks []refTask
	State refState
}

type refRun struct {
	graph   *refGraph
	ns      string
	state   refState
	used    int
	arrived []map[string]bool
	parked  map[string]bool
	steps   []refStep
	log     []string
	changes []refWrite // applied behind the input

	end    string // "done", "failed", "conflict", "limit" or "left"
	fault  int    // the failed task; of a conflict the second writer
	reason string
	next   []refTask // of the step that was not committed, or is not begun
	out    *refAct
	others bool // tasks are due beside those that the step makes due
}

func (g *refGraph) run(ns string, start refState, in []refWrite) *refRun {
	r := &refRun{graph: g, ns: ns, state: start, parked: map[string]bool{}}
	for range g.Joins {
		r.arrived = append(r.arrived, map[string]bool{})
	}
	r.next = []refTask{{Node: "START"}}
	for step := 0; r.end == ""; step++ {
		r.step(step, in)
	}
	r.say("end %s", r.end)
	return r
}

func (r *refRun) say(format string, args ...any) {
	r.log = append(r.log, r.ns+": "+fmt.Sprintf(format, args...))
}

func (r *refRun) step(step int, in []refWrite) {
	tasks := r.next
	if step > 0 {
		r.say("%d begins %v", step, refNames(tasks))
	}
	var results []refResult
	for _, t := range tasks {
		results = append(results, r.do(step, t, in))
	}
	if r.ends(results) || !r.commit(results) {
		return
	}
	r.steps = append(r.steps, refStep{tasks, r.state})
	r.say("%d state %s", step, r.state)
	r.next = r.plan(tasks, results)
	if step > 0 {
		r.used++
	}
	if len(r.next) == 0 {
		r.end = "done"
	} else if r.used >= r.graph.Limit {
		r.end = "limit"
	}
}

func (r *refRun) do(step int, t refTask, in []refWrite) (res refResult) {
	view := r.state.after(t.Over)
	switch child := r.graph.Nodes[t.Node].Child; {
	case t.Node == "START":
		res.act = refAct{Writes: in}
	case child != nil:
		res.act = r.mount(r.graph.Nodes[t.Node], view)
	default:
		res.act = r.graph.Act(t.Node, view)
	}
	if r.graph.Nodes[t.Node].Ways && twice(res.act.Writes) {
		res.act = refAct{Fail: writtenTwice}
	}
	if res.act.Fail != "" {
		return res
	}
	if r.graph.Nodes[t.Node].Ways && res.act.Parent == nil {
		res.routes = r.graph.Choose(t.Node, r.state.after(res.act.Writes))
	}
	if step > 0 && res.act.Parent == nil {
		r.say("%d %s wrote %v", step, t.Node, refFields(res.act.Writes))
	}
	return res
}

// writtenTwice is why a node fails that cannot show its routers its writes.
const writtenTwice = "conflict: last is written twice"

func twice(writes []refWrite) bool {
	n := 0
	for _, w := range writes {
		if w.Field == "last" {
			n++
		}
	}
	return n > 1
}

// mount runs a subgraph on the shared fields and returns what it changed.
func (r *refRun) mount(n *refNode, view refState) refAct {
	sub := n.Child.run(r.ns+"/"+n.Name, refState{}, inputOf(n, view))
	r.log = append(r.log, sub.log...)
	switch sub.end {
	case "left":
		return *sub.out
	case "done":
		return refAct{Writes: handBack(sub.changes, n.Shared)}
	}
	return refAct{Fail: "subgraph: " + sub.end + " " + sub.reason, Limit: sub.end == "limit"}
}

// inputOf makes the input of a subgraph of the state of its parent.
func inputOf(n *refNode, view refState) []refWrite {
	start := []refWrite{{Field: "list", Verb: "replace", L: view.List}, {Field: "count", Verb: "replace", N: view.Count}}
	start = append(start, refWrite{Field: "meta", Verb: "clear"})
	for k, v := range view.Meta {
		start = append(start, refWrite{Field: "meta", Verb: "put", S: k, N: v})
	}
	if n.Shared {
		start = append(start, refWrite{Field: "last", Verb: "set", S: view.Last})
	}
	return start
}

// handBack leaves out what a later write to the same field makes void, and
// the fields that are not shared.
func handBack(changes []refWrite, shared bool) (out []refWrite) {
	for i, w := range changes {
		void := w.Field == "last" && !shared
		for _, later := range changes[i+1:] {
			void = void || later.Field == w.Field && (w.Field == "last" || later.Verb == "replace")
		}
		if !void {
			out = append(out, w)
		}
	}
	return out
}

// ends looks for results that end the run.
func (r *refRun) ends(results []refResult) bool {
	for i, res := range results {
		if res.act.Fail != "" {
			r.end, r.fault, r.reason = "failed", i, res.act.Fail
			if res.act.Limit {
				r.end = "limit"
			}
			return true
		}
	}
	for _, res := range results {
		if p := res.act.Parent; p != nil {
			if r.out == nil {
				r.end, r.out = "left", &refAct{}
			}
			r.out.Writes = append(r.out.Writes, p.Writes...)
			r.out.Gotos = append(r.out.Gotos, p.Gotos...)
			r.out.Sends = append(r.out.Sends, p.Sends...)
		}
	}
	return r.end != ""
}

// commit applies the writes in task order, unless two of them do not go
// together.
func (r *refRun) commit(results []refResult) bool {
	writer, replacer := map[string]int{}, map[string]int{}
	for i, res := range results {
		for _, w := range res.act.Writes {
			if first, ok := writer[w.Field]; ok && w.Field == "last" {
				r.end, r.fault, r.reason = "conflict", i, fmt.Sprint("last ", first)
				return false
			}
			if first, ok := replacer[w.Field]; ok && w.Verb == "replace" && first != i {
				r.end, r.fault, r.reason = "conflict", i, fmt.Sprint(w.Field, " ", first)
				return false
			}
			writer[w.Field] = i
			if w.Verb == "replace" {
				replacer[w.Field] = i
			}
		}
	}
	for i, res := range results {
		for _, w := range res.act.Writes {
			if only, ok := replacer[w.Field]; ok && only != i {
				continue
			}
			r.state = r.state.after([]refWrite{w})
			if len(r.steps) > 0 {
				r.changes = append(r.changes, w)
			}
		}
	}
	return true
}

// plan says which tasks follow a committed step.
func (r *refRun) plan(tasks []refTask, results []refResult) (next []refTask) {
	due := map[string]bool{}
	trigger := func(to string) {
		if to != "END" && r.graph.Nodes[to].Defer {
			r.parked[to] = true
		} else if to != "END" {
			due[to] = true
		}
	}
	for j, join := range r.graph.Joins { // deferred nodes that ran let their joins begin anew
		ran := slices.ContainsFunc(tasks, func(t refTask) bool { return t.Node == join.To && !t.Sent })
		if ran && r.graph.Nodes[join.To].Defer && len(r.arrived[j]) == len(join.Sources) {
			clear(r.arrived[j])
		}
	}
	full := make([]bool, len(r.graph.Joins)) // those that were full before
	for j, join := range r.graph.Joins {
		full[j] = len(r.arrived[j]) == len(join.Sources)
	}
	for i, t := range tasks {
		for _, to := range slices.Concat(r.graph.Nodes[t.Node].Next, results[i].act.Gotos, results[i].routes.Gotos) {
			trigger(to)
		}
		for j, join := range r.graph.Joins {
			if slices.Contains(join.Sources, t.Node) {
				r.arrived[j][t.Node] = true
			}
		}
		for _, s := range slices.Concat(results[i].act.Sends, results[i].routes.Sends) {
			next = append(next, refTask{Node: s.To, Sent: true, Over: s.Over})
		}
	}
	for j, join := range r.graph.Joins {
		if full[j] || len(r.arrived[j]) < len(join.Sources) {
			continue
		}
		trigger(join.To)
		if !r.graph.Nodes[join.To].Defer {
			clear(r.arrived[j])
		}
	}
	if len(due)+len(next) == 0 && !r.others {
		due, r.parked = r.parked, map[string]bool{}
	}
	for i, name := range slices.Sorted(maps.Keys(due)) {
		next = slices.Insert(next, i, refTask{Node: name})
	}
	return next
}
