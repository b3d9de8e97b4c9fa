package graphfile

import (
	"slices"
	"strings"

	"github.com/graphrun/graphrun/graph"
)

// ways are what a script may choose within its own graph.
func (s *scriptSpec) ways() []graph.Way {
	return slices.DeleteFunc(s.outcomes(nil), func(w graph.Way) bool { return len(w.Goto)+len(w.Send) == 0 })
}

// outcomes are the gotos and sends of a script with those of each of its
// cases. Labels are the conditions around it.
func (s *scriptSpec) outcomes(around []string) []graph.Way {
	own := s.ownWay()
	var ways []graph.Way
	always := false
	for _, c := range s.cases {
		label := around
		if c.when != nil {
			label = append(slices.Clip(around), c.when.Text)
		}
		always = always || c.when == nil
		for _, w := range c.outcomes(label) {
			if !c.parent {
				w = together(own, w)
			}
			ways = append(ways, w)
		}
	}
	if !always {
		if len(s.cases) > 0 {
			around = append(slices.Clip(around), "else")
		}
		own.Label = strings.Join(around, " && ")
		ways = append(ways, own)
	}
	return ways
}

// ownWay are the gotos and sends of a script without its cases.
func (s *scriptSpec) ownWay() graph.Way {
	if s.parent {
		return graph.Way{}
	}
	many := slices.ContainsFunc(s.sends, func(send *sendSpec) bool { return send.each != nil })
	return together(graph.Way{Many: many}, graph.Way{Goto: texts(s.gotos), Send: s.sendNames()})
}

// together makes one outcome of two, which keeps the label of the second. A
// node that is sent to twice gets many tasks.
func together(a, b graph.Way) graph.Way {
	w := graph.Way{Label: b.Label, Many: a.Many || b.Many, Goto: unique(a.Goto, b.Goto), Send: unique(a.Send, b.Send)}
	w.Many = w.Many || len(w.Send) < len(a.Send)+len(b.Send)
	return w
}

// unique returns the names of both lists, each once, in their order.
func unique(a, b []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, name := range append(slices.Clone(a), b...) {
		if !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}

// exit declares where a script leaves its graph for.
func (s *scriptSpec) exit() graph.Exit {
	leaves := false
	var gotos, sends []string
	s.walk(nil, func(s *scriptSpec, _ []string) {
		if s.parent {
			leaves = true
			gotos, sends = append(gotos, s.gotoNames()...), append(sends, s.sendNames()...)
		}
	})
	if !leaves {
		return graph.Exit{}
	}
	return graph.ExitBy[record](gotos, sends)
}

// gotoNames are the nodes that gotos name.
func (s *scriptSpec) gotoNames() []string {
	return slices.DeleteFunc(texts(s.gotos), func(name string) bool { return name == graph.End })
}

// sendNames are the nodes that sends name.
func (s *scriptSpec) sendNames() []string {
	var out []string
	for _, send := range s.sends {
		if !send.bad {
			out = append(out, send.to.name)
		}
	}
	return out
}

// homeWrites are the fields that a script writes in its own graph, never nil.
func (s *scriptSpec) homeWrites(t *tree) []string {
	out := []string{}
	s.walk(nil, func(s *scriptSpec, _ []string) {
		for _, e := range s.update {
			if !s.parent && t.fieldBy[e.name] != nil {
				out = append(out, e.name)
			}
		}
	})
	return out
}

// writesOut are the fields of the parent graph that the subgraph may write,
// never nil.
func (t *tree) writesOut() []string {
	found := map[string]bool{}
	for i, n := range t.nodes {
		if n.script != nil {
			n.script.walk(nil, func(s *scriptSpec, _ []string) {
				for _, e := range s.update {
					found[e.name] = true
				}
			})
		}
		for _, name := range n.model.Writes() {
			found[name] = true
		}
		if t.kids[i] != nil {
			for _, name := range t.kids[i].writesOut() {
				found[name] = true
			}
		}
	}
	out := []string{}
	for _, f := range t.parent.fields {
		if found[f.name] {
			out = append(out, f.name)
		}
	}
	return out
}

// waysOut are the targets in the parent graph of the subgraph's scripts.
func (t *tree) waysOut() []graph.Way {
	var ways []graph.Way
	for _, n := range t.nodes {
		if n.script != nil {
			n.script.walk(nil, func(s *scriptSpec, _ []string) {
				if s.parent {
					ways = append(ways, graph.Way{Goto: s.gotoNames(), Send: s.sendNames()})
				}
			})
		}
	}
	return ways
}
