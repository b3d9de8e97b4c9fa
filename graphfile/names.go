package graphfile

import (
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile/internal/page"
	"github.com/graphrun/graphrun/graphfile/internal/source"
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
		check := t.source
		if e.waits {
			check = t.waitable
		}
		e.from, e.to = t.keep(t, e.from, check), t.keep(t, e.to, t.target)
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
	return t.named(user, r, graph.End)
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
	return t.named(user, r, graph.Start)
}

// waitable says whether an edge can wait for a name.
func (t *tree) waitable(user *tree, r ref) bool {
	if r.name == graph.Start || r.name == graph.End {
		user.rep.Errorf(user.spot(r), "an edge cannot wait for %s", r.name).Hint = "only for nodes; write an edge of its own for " + r.name
		return false
	}
	return t.named(user, r)
}

// receiver says whether a send can go to a name.
func (t *tree) receiver(user *tree, r ref) bool {
	if r.name == graph.Start || r.name == graph.End {
		user.rep.Errorf(user.spot(r), "nothing can be sent to %s", r.name)
		return false
	}
	return t.named(user, r)
}

// known says whether a name is that of a node.
func (t *tree) known(user *tree, r ref) bool { return t.named(user, r) }

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
