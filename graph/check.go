package graph

import (
	"slices"
	"strings"

	"github.com/graphrun/graphrun/internal/topo"
)

// checkEnds checks every name that the parts use.
func (c *compiler) checkEnds() {
	for _, e := range c.edges {
		c.source(e.at, e.from, "edge")
		c.target(e.at, e.to, "edge")
	}
	for _, j := range c.joins {
		c.checkJoin(j)
	}
	for _, b := range c.branches {
		c.checkBranch(b)
	}
	for _, p := range c.nodes {
		c.checkNode(p)
	}
	for i := range c.rescues {
		c.checkRescue(i)
	}
	for _, name := range slices.Concat(c.cfg.InterruptBefore, c.cfg.InterruptAfter) {
		c.known(Place{}, name, "interrupt list")
	}
}

// source checks where an edge begins.
func (c *compiler) source(at Place, name, what string) {
	if name == End {
		c.refuse(at, "", "%s: nothing leads on from END", what)
	} else if name != Start {
		c.known(at, name, what)
	}
}

// target checks where an edge or a command leads.
func (c *compiler) target(at Place, name, what string) {
	if name == Start {
		c.refuse(at, "", "%s: nothing leads to START", what)
	} else if name != End {
		c.known(at, name, what)
	}
}

func (c *compiler) known(at Place, name, what string) {
	if c.byName[name] != nil {
		return
	}
	hint := ""
	if near, ok := topo.Nearest(name, append([]string{Start, End}, c.names...)); ok {
		hint = "did you mean \"" + near + "\"?"
	}
	c.refuse(at, hint, "%s: there is no node %q", what, name)
}

func (c *compiler) checkJoin(j joined) {
	if len(j.sources) == 0 {
		c.refuse(j.at, "", "waiting edge to %q: it has no sources", j.to)
	}
	seen := map[string]bool{}
	for _, s := range j.sources {
		switch {
		case s == Start || s == End:
			c.refuse(j.at, "", "waiting edge to %q: it cannot wait for %s", j.to, s)
		case seen[s]:
			c.refuse(j.at, "", "waiting edge to %q: it names %q twice", j.to, s)
		default:
			c.known(j.at, s, "waiting edge")
		}
		seen[s] = true
	}
	c.target(j.at, j.to, "waiting edge")
}

func (c *compiler) checkBranch(b branch) {
	c.source(b.at, b.from, "conditional edge")
	if b.router == nil {
		c.refuse(b.at, "", "conditional edge from %q: it has no router", b.from)
	}
	if len(b.ways) == 0 {
		c.refuse(b.at, "name all nodes that its router may choose", "conditional edge from %q: it has no targets", b.from)
	}
	c.checkWays(b.at, b.ways, "conditional edge")
}

func (c *compiler) checkWays(at Place, ways []Way, what string) {
	for _, w := range ways {
		for _, t := range w.Goto {
			c.target(at, t, what)
		}
		for _, t := range w.Send {
			c.sendable(at, t, what)
		}
	}
}

func (c *compiler) sendable(at Place, name, what string) {
	if name == Start || name == End {
		c.refuse(at, "", "%s: nothing can be sent to %s", what, name)
		return
	}
	c.known(at, name, what)
}

func (c *compiler) checkNode(p *part) {
	what := "node \"" + p.name + "\""
	c.checkWays(p.at, []Way{{Goto: p.cfg.Goto, Send: p.cfg.Send}}, what)
	c.checkWays(p.at, p.ways, what)
	if c.layout == nil {
		return
	}
	for _, f := range p.cfg.Writes {
		if _, ok := c.layout.Info(f); !ok {
			c.refuse(p.at, "", "%s: it declares that it writes %q, which is no field (fields: %s)", what, f, strings.Join(c.layout.Fields(), ", "))
		}
	}
}

func (c *compiler) checkRescue(i int) {
	r := c.rescues[i]
	c.known(r.at, r.node, "error handler")
	if r.by == nil {
		c.refuse(r.at, "", "error handler of %q: it has no function", r.node)
	}
	for _, other := range c.rescues[:i] {
		if other.node == r.node {
			c.refuse(r.at, "", "node %q has two error handlers (the other at %v)", r.node, other.at)
			return
		}
	}
}

// checkMounts checks what subgraphs want of this graph.
func (c *compiler) checkMounts() {
	for _, m := range c.mounts {
		for _, err := range m.problems {
			c.refuse(m.at, "", "subgraph %q: %v", m.node, err)
		}
	}
}

// checkFlow looks at the shape of a graph whose names are all right.
func (c *compiler) checkFlow() {
	named := map[string]bool{}
	begins := false
	for _, e := range c.shape.Edges {
		named[e.To] = true
		begins = begins || e.From == Start
	}
	if !begins {
		c.refuse(Place{}, "add an edge from START", "the graph does not begin anywhere")
	}
	for _, p := range c.nodes {
		if !named[p.name] {
			c.refuse(p.at, "add an edge to it, or declare it as a target", "nothing leads to node %q", p.name)
		}
	}
	if errs, _ := c.split(); len(errs) > 0 || c.cfg.Lenient {
		return
	}
	c.checkReach()
	c.checkWriters()
}

func (c *compiler) checkReach() {
	reach, stuck := c.shape.Fillable()
	for _, p := range c.nodes {
		if !reach[p.name] {
			c.warn(p.at, "", "node %q cannot be reached from START", p.name)
		}
	}
	for _, id := range stuck {
		j := c.joins[id]
		var missing []string
		for _, s := range j.sources {
			if !reach[s] {
				missing = append(missing, "\""+s+"\"")
			}
		}
		c.warn(j.at, "", "the wait for %q can never fill: %s cannot be reached", j.to, strings.Join(missing, " and "))
	}
}

// checkWriters warns of two nodes that may write one field which takes one
// writer a step, if they can run in the same step.
func (c *compiler) checkWriters() {
	writers := map[string][]string{}
	for _, p := range c.nodes {
		for _, f := range p.cfg.Writes {
			if info, ok := c.layout.Info(f); ok && info.Only {
				writers[info.Name] = append(writers[info.Name], p.name)
			}
		}
	}
	if len(writers) == 0 {
		return
	}
	meetings := c.shape.Meetings()
	for _, f := range c.layout.Fields() {
		if m, ok := meetings.Among(writers[f]...); ok {
			c.warn(c.byName[m.B].at, "", "%s may write %q in one step, which takes one writer: %s", both(m.A, m.B), f, trail(m.Steps))
		}
	}
}

func both(a, b string) string {
	if a == b {
		return "two tasks of \"" + a + "\""
	}
	return "\"" + a + "\" and \"" + b + "\""
}

func trail(steps [][]string) string {
	out := make([]string, len(steps))
	for i, s := range steps {
		out[i] = strings.Join(s, " + ")
	}
	return strings.Join(out, " → ")
}

// meant is the end of an error about a name that does not exist.
func meant(name string, among []string) string {
	if near, ok := topo.Nearest(name, among); ok {
		return "; did you mean \"" + near + "\"?"
	}
	return ""
}
