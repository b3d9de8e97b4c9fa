package handoffs

import "slices"

// lintNode is where a run can be: an agent at work in a state of the workflow.
type lintNode struct{ agent, state string }

// someone is the agent of nodes that stand for whoever returns to a caller, so
// that not each has a step to each.
const someone = "\x00"

// lintStep is a way from one node to another one.
type lintStep struct {
	from, to lintNode
	hands    bool // it is a handoff
	calm     bool // it is part of runs without errors
}

// lintReach is what a run can come to, and what is known there.
type lintReach struct {
	l     *linting
	keeps func(agent, field string) bool // what an agent's turn leaves as it is

	known   map[lintNode]lintBox
	order   []lintNode // as they were found
	came    map[lintNode]lintNode
	steps   []lintStep
	from    map[lintNode][]lintStep // the same, by where they begin
	seen    map[lintStep]bool
	taken   []bool                // rules that can fire
	bars    []bool                // rules that the machine bars, where they would fire
	again   []lintNode            // to be followed
	callers []string              // agents that make calls
	here    map[string][]lintNode // nodes by their state, as they were found
	waits   map[lintNode]bool     // those in again
}

// reach follows all runs from the agent that begins.
func (l *linting) reach(keeps func(agent, field string) bool) *lintReach {
	return l.reachFrom(l.begins(), keeps)
}

// reachFrom follows all runs from some nodes.
func (l *linting) reachFrom(begins []lintNode, keeps func(agent, field string) bool) *lintReach {
	r := &lintReach{
		l: l, keeps: keeps, known: map[lintNode]lintBox{}, came: map[lintNode]lintNode{},
		seen: map[lintStep]bool{}, waits: map[lintNode]bool{}, here: map[string][]lintNode{}, from: map[lintNode][]lintStep{},
		taken: make([]bool, len(l.rules)), bars: make([]bool, len(l.rules)),
	}
	for _, n := range begins {
		r.find(n, n, lintBox{})
	}
	for len(r.again) > 0 {
		n := r.again[0]
		r.again = r.again[1:]
		delete(r.waits, n)
		r.follow(n)
	}
	return r
}

// begins returns where runs begin: with the entry agent, or with any if none
// is named.
func (l *linting) begins() []lintNode {
	start := ""
	if l.p.Machine != nil {
		start = l.p.Machine.Start
	}
	var out []lintNode
	for a := range l.p.Registry.All() {
		if l.p.first() == "" || l.p.first() == a.ID {
			out = append(out, lintNode{a.ID, start})
		}
	}
	return out
}

// chosen returns begins, and wherever else a user can bring a run: to the
// agents that may be chosen, in any state.
func (l *linting) chosen() []lintNode {
	states := []string{""}
	if l.p.Machine != nil {
		states = l.p.Machine.names()
	}
	out := l.begins()
	for _, a := range l.p.Registry.Selectable() {
		for _, s := range states {
			out = append(out, lintNode{a.ID, s})
		}
	}
	return out
}

// find notes that a run can come to a node, and what is known there then.
func (r *lintReach) find(from, to lintNode, known lintBox) {
	old, there := r.known[to]
	switch {
	case !there:
		r.known[to] = hull([]lintBox{known})
		r.order = append(r.order, to)
		if from != to {
			r.came[to] = from
		}
		r.note(lintStep{to, lintNode{someone, to.state}, false, true})
		if r.here[to.state] = append(r.here[to.state], to); len(r.here[to.state]) <= 2 {
			for _, caller := range slices.Clone(r.callers) {
				r.back(to.state, caller)
			}
		}
	case !old.widen(known):
		return
	}
	r.due(to)
}

// due lets a node be followed once more.
func (r *lintReach) due(n lintNode) {
	if !r.waits[n] {
		r.waits[n] = true
		r.again = append(r.again, n)
	}
}

// step notes a way and where it leads.
func (r *lintReach) step(s lintStep, known lintBox) {
	r.note(s)
	r.find(s.from, s.to, known)
}

func (r *lintReach) note(s lintStep) {
	if !r.seen[s] {
		r.seen[s] = true
		r.steps = append(r.steps, s)
		r.from[s.from] = append(r.from[s.from], s)
	}
}

// path is how a run comes to a node: the agents, each once in a row.
func (r *lintReach) path(n lintNode) []string {
	var out []string
	for {
		if len(out) == 0 || out[len(out)-1] != n.agent {
			out = append(out, n.agent)
		}
		from, ok := r.came[n]
		if !ok {
			slices.Reverse(out)
			return out
		}
		n = from
	}
}

// at returns the first node of an agent that was found.
func (r *lintReach) at(agent string) (lintNode, bool) {
	i := slices.IndexFunc(r.order, func(n lintNode) bool { return n.agent == agent })
	if i < 0 {
		return lintNode{}, false
	}
	return r.order[i], true
}
