package graphfile

import (
	"slices"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile/internal/page"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/plan"
)

// resolve checks every name of a node, where it stands. Names that are wrong
// are left out, so that nothing else is said about them.
func (t *tree) resolve() {
	for _, n := range t.nodes {
		if n.script != nil {
			n.script.walk(nil, func(s *scriptSpec, _ []string) { t.resolveScript(s) })
		}
	}
	t.resolveEdges()
	t.before = t.keep(t, t.before, t.known)
	t.after = t.keep(t, t.after, t.known)
	t.each((*tree).resolve)
}

func (t *tree) resolveScript(s *scriptSpec) {
	goal := t.goal(s)
	if goal == nil {
		t.rep.Errorf(s.parentPos, "\"parent\": this graph is not part of another one")
		t.partial = true
		s.gotos, s.sends, s.update = nil, nil, nil
		return
	}
	s.gotos = goal.keep(t, s.gotos, goal.target)
	for _, send := range s.sends {
		send.bad = send.bad || len(goal.keep(t, []ref{send.to}, goal.receiver)) == 0
	}
}

func (t *tree) resolveEdges() {
	for _, e := range t.edges {
		from, to := len(e.from), len(e.to)
		check, goal := t.source, t.goalOfEdge
		if e.waits {
			check, goal = t.waitable, t.target
		}
		e.from, e.to = t.keep(t, e.from, check), t.keep(t, e.to, goal)
		for _, c := range e.cases {
			c.to = t.keep(t, c.to, t.target)
		}
		e.bad = e.bad || len(e.from) < from || len(e.to) < to
	}
}

// keep returns the names that are right and reports the others in the file in
// which they stand, which is that of user.
func (t *tree) keep(user *tree, refs []ref, right func(user *tree, r ref) bool) []ref {
	var out []ref
	for _, r := range refs {
		if right(user, r) {
			out = append(out, r)
		} else {
			t.partial, user.partial = true, true
		}
	}
	return out
}

// target says whether an edge or a goto can lead to a name.
func (t *tree) target(user *tree, r ref) bool {
	switch r.name {
	case graph.End:
		return true
	case graph.Start:
		user.rep.Errorf(user.spot(r), "nothing leads to %s", graph.Start)
		return false
	}
	return !t.refused(user, r) && t.named(user, r, graph.End)
}

// goalOfEdge says whether an edge that waits for nothing can lead to a name:
// it can lead to the agents as well.
func (t *tree) goalOfEdge(user *tree, r ref) bool {
	return t.team != nil && r.name == teamName || t.target(user, r)
}

// planner says that a name is that of the node which asks a plan's planner.
func (t *tree) planner(name string) bool {
	return t.plan != nil && t.plan.Plans() && name == plan.NodePlanner
}

// refused refuses the nodes of the agents as a target, and says so.
func (t *tree) refused(user *tree, r ref) bool {
	n := t.byName[r.name]
	if t.team == nil || !slices.Contains(teamNodes(), r.name) && !t.planner(r.name) && (n == nil || !n.agent) {
		return false
	}
	at := user.spot(r)
	if r.name == teamName {
		user.rep.Errorf(at, "only a plain edge leads to the agents").Hint = "write an edge \"A -> " + teamName + "\""
		return true
	}
	user.rep.Errorf(at, "%q is a node of the agents: nothing leads there but handoffs", r.name).Hint =
		"write an edge \"A -> " + teamName + "\", which leads to whoever's turn it is"
	return true
}

// source says whether an edge can begin at a name.
func (t *tree) source(user *tree, r ref) bool {
	switch r.name {
	case graph.Start:
		return true
	case graph.End:
		user.rep.Errorf(user.spot(r), "nothing leads on from %s", graph.End)
		return false
	}
	return t.teamEnds(r) || !t.refusedSource(user, r) && t.named(user, r, graph.Start)
}

// teamEnds says that a name stands for the end of the agents' work.
func (t *tree) teamEnds(r ref) bool { return t.team != nil && r.name == teamName }

// refusedSource refuses the nodes of the agents as the begin of an edge, and
// says so.
func (t *tree) refusedSource(user *tree, r ref) bool {
	n := t.byName[r.name]
	if t.team == nil || !slices.Contains(teamNodes(), r.name) && !t.planner(r.name) && (n == nil || !n.agent) {
		return false
	}
	user.rep.Errorf(user.spot(r), "%q is a node of the agents, which hand on by themselves", r.name).Hint =
		"write an edge \"" + teamName + " -> B\", which begins where their work is done"
	return true
}

// waitable says whether an edge can wait for a name.
func (t *tree) waitable(user *tree, r ref) bool {
	if r.name == graph.Start || r.name == graph.End {
		user.rep.Errorf(user.spot(r), "an edge cannot wait for %s", r.name).Hint = "only for nodes; write an edge of its own for " + r.name
		return false
	}
	return t.teamEnds(r) || !t.refusedSource(user, r) && t.named(user, r)
}

// receiver says whether a send can go to a name.
func (t *tree) receiver(user *tree, r ref) bool {
	if r.name == graph.Start || r.name == graph.End {
		user.rep.Errorf(user.spot(r), "nothing can be sent to %s", r.name)
		return false
	}
	return !t.refused(user, r) && t.named(user, r)
}

// known says whether a name is that of a node.
func (t *tree) known(user *tree, r ref) bool {
	own := r.name == handoffs.NodeProcess || r.name == handoffs.NodeComplete || r.name == handoffs.NodeNext && t.plan != nil
	return t.team != nil && own || t.planner(r.name) || t.named(user, r)
}

func (t *tree) named(user *tree, r ref, besides ...string) bool {
	if t.byName[r.name] != nil || t.vague {
		return t.byName[r.name] != nil
	}
	at := user.spot(r)
	var near []string
	if *t.Failures <= page.MostFailures {
		near = append(besides, t.names...)
	}
	d := user.rep.Unknown(at, "node", r.name, near)
	if t != user {
		d.Message += " in the parent graph"
	}
	return false
}

// spot counts a name that is wrong and returns its place. Behind the first
// hundred, which are not shown, it is that of the text around.
func (t *tree) spot(r ref) source.Pos {
	if *t.Failures++; r.part == nil || *t.Failures > page.MostFailures {
		return r.pos
	}
	return t.Within(r.part.text, r.part.at)
}
