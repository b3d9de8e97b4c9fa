package graph_test

import (
	"errors"
	"slices"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
)

// shrinkSession makes a failing session smaller, and tells how it fails.
func shrinkSession(seed uint64) string {
	var cuts []int
	ops, how := newSesOps(seed), ""
	fails := func(cuts []int, ops []sesOp) bool {
		err := runSession(checkpoint.NewMemory(nil), seed, cuts, slices.Clone(ops), map[string]int{})
		if err == nil || errors.Is(err, errCut) {
			return false
		}
		how = err.Error()
		return true
	}
	if !fails(nil, ops) {
		return "in memory it does not fail"
	}
	for changed := true; changed; {
		changed = false
		for i := len(ops) - 1; i >= 0; i-- {
			if less := slices.Delete(slices.Clone(ops), i, i+1); fails(cuts, less) {
				ops, changed = less, true
			}
		}
		for i := 0; i < 400; i++ {
			if more := append(slices.Clone(cuts), i); fails(more, ops) {
				cuts, changed = more, true
			}
		}
		changed = simplify(ops, func(less []sesOp) bool { return fails(cuts, less) }) || changed
	}
	fails(cuts, ops)
	return how
}

// simplify makes operations plainer.
func simplify(ops []sesOp, fails func([]sesOp) bool) (changed bool) {
	plainer := []func(*sesOp){
		func(o *sesOp) { o.Fresh = false }, func(o *sesOp) { o.Stream = false }, func(o *sesOp) { o.Drain = false },
		func(o *sesOp) { o.Lists = false }, func(o *sesOp) { o.At = false }, func(o *sesOp) { o.Dur = 0 },
	}
	for i := range ops {
		for _, f := range plainer {
			before := ops[i]
			if f(&ops[i]); ops[i] == before {
				continue
			}
			if fails(ops) {
				changed = true
			} else {
				ops[i] = before
			}
		}
	}
	return changed
}

// cuts are ways to make the graph smaller; each is false if it did nothing.
func (s *sesSpec) cuts() (out []func() bool) {
	out = append(out, func() bool { return clearInt(&s.fails) }, func() bool { return clearInt(&s.last) },
		func() bool { return clearInt(&s.over) }, func() bool { return clearList(&s.exits) },
		func() bool { return clearList(&s.before) }, func() bool { return clearList(&s.after) },
		func() bool { return clearWrites(&s.in) })
	for i := range s.Joins {
		out = append(out, func() bool {
			if i >= len(s.Joins) {
				return false
			}
			s.Joins = slices.Delete(slices.Clone(s.Joins), i, i+1)
			return true
		})
	}
	for _, name := range slices.Sorted(slices.Values(s.names)) {
		tr, n, more := s.trait[name], s.Nodes[name], s.node[name]
		out = append(out, func() bool { return s.remove(name) },
			func() bool { return clearInt(&tr.fails) }, func() bool { return clearInt(&tr.asks) },
			func() bool { return clearInt(&tr.retry) }, func() bool { return clearBool(&tr.once) },
			func() bool { return clearBool(&tr.late) }, func() bool { return clearBool(&tr.keyed) },
			func() bool { return clearBool(&tr.together) }, func() bool { return clearBool(&n.Defer) },
			func() bool { return clearList(&n.Next) }, func() bool { return clearList(&more.gotos) },
			func() bool { return clearList(&more.sends) }, func() bool { return clearList(&more.relay) },
			func() bool { return s.straighten(name) }, func() bool { return s.unmount(name) })
		if inner := s.inner[name]; inner != nil {
			out = append(out, inner.cuts()...)
		}
	}
	return append(out, func() bool { return clearList(&s.node[graph.Start].relay) }, func() bool { return s.straighten(graph.Start) })
}

func clearInt(n *int) bool {
	had := *n != 0
	*n = 0
	return had
}

func clearBool(b *bool) bool {
	had := *b
	*b = false
	return had
}

func clearList(l *[]string) bool {
	had := len(*l) > 0
	*l = nil
	return had
}

func clearWrites(l *[]refWrite) bool {
	had := len(*l) > 0
	*l = nil
	return had
}

// straighten takes away the routers of a node.
func (s *sesSpec) straighten(name string) bool {
	more := s.node[name]
	if had := len(more.ways) > 0; !had {
		return false
	}
	more.ways, more.relay, s.Nodes[name].Ways = nil, nil, false
	return true
}

// unmount makes a subgraph a plain node.
func (s *sesSpec) unmount(name string) bool {
	if s.inner[name] == nil {
		return false
	}
	delete(s.inner, name)
	delete(s.child, name)
	s.Nodes[name].Child = nil
	return true
}

// remove takes a node out of the graph.
func (s *sesSpec) remove(name string) bool {
	without := func(l []string) []string {
		return slices.DeleteFunc(slices.Clone(l), func(n string) bool { return n == name })
	}
	s.names, s.before, s.after = without(s.names), without(s.before), without(s.after)
	delete(s.Nodes, name)
	for other, n := range s.Nodes {
		more := s.node[other]
		n.Next, more.gotos, more.sends, more.relay = without(n.Next), without(more.gotos), without(more.sends), without(more.relay)
		for i := range more.ways {
			if more.ways[i] = without(more.ways[i]); len(more.ways[i]) == 0 {
				more.ways[i] = []string{graph.End}
			}
		}
		if sub := s.child[other]; sub != nil {
			sub.exits = without(sub.exits)
		}
	}
	for i, j := range s.Joins {
		s.Joins[i].Sources = without(j.Sources)
	}
	s.Joins = slices.DeleteFunc(s.Joins, func(j refJoin) bool { return j.To == name || len(j.Sources) == 0 })
	delete(s.trait, name)
	s.unmountGone(name)
	return true
}

func (s *sesSpec) unmountGone(name string) {
	delete(s.inner, name)
	delete(s.child, name)
}
