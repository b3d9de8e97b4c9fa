package graph_test

import (
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/internal/kernel"
	"github.com/graphrun/graphrun/state"
)

// rndFields are the handles of a schema over refState. Two such schemas may
// differ in the name of one field, which is then not shared by subgraphs.
type rndFields struct {
	list   *state.List[refState, string]
	count  *state.Counter[refState, int]
	last   *state.Value[refState, string]
	meta   *state.Map[refState, string, int]
	item   *state.Local[refState, string]
	schema *state.Schema[refState]
	cmd    graph.Commands[refState]
}

func newRndFields(last string) *rndFields {
	f := &rndFields{
		list:  state.NewList("list", func(s *refState) *[]string { return &s.List }),
		count: state.NewCounter("count", func(s *refState) *int { return &s.Count }),
		last:  state.NewValue(last, func(s *refState) *string { return &s.Last }),
		meta:  state.NewMap("meta", func(s *refState) *map[string]int { return &s.Meta }),
		item:  state.NewLocal("item", func(s *refState) *string { return &s.Item }),
	}
	f.schema = state.MustSchema(f.list, f.count, f.last, f.meta, f.item)
	return f
}

// write turns a write of the reference into one of the engine.
func (f *rndFields) write(w refWrite) state.Write[refState] {
	switch w.Field + " " + w.Verb {
	case "list append":
		return f.list.Append(w.L...)
	case "list replace":
		return f.list.Replace(w.L)
	case "count add":
		return f.count.Add(w.N)
	case "count replace":
		return f.count.Replace(w.N)
	case "last set":
		return f.last.Set(w.S)
	case "meta put":
		return f.meta.Put(w.S, w.N)
	case "meta delete":
		return f.meta.Delete(w.S)
	case "meta replace":
		return f.meta.Replace(map[string]int{w.S: w.N})
	case "item set":
		return f.item.Set(w.S)
	}
	panic("no such write: " + w.Field + " " + w.Verb)
}

func (f *rndFields) writes(ws []refWrite) (out []state.Write[refState]) {
	for _, w := range ws {
		out = append(out, f.write(w))
	}
	return out
}

// command turns an act of the reference into the command of a node, outer
// being the handles of the parent graph.
func (f *rndFields) command(a refAct, outer *rndFields) graph.Command[refState] {
	if a.Parent != nil {
		return graph.ToParent[refState](outer.command(*a.Parent, nil))
	}
	if len(a.Gotos) == 1 && len(a.Sends) == 0 {
		return f.cmd.Goto(a.Gotos[0], f.writes(a.Writes)...)
	}
	parts := []graph.Command[refState]{f.cmd.Update(f.writes(a.Writes)...)}
	for _, to := range a.Gotos {
		parts = append(parts, f.cmd.Goto(to))
	}
	for _, s := range a.Sends {
		parts = append(parts, f.cmd.Send(f.cmd.To(s.To, f.writes(s.Over)...)))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return f.cmd.All(parts...)
}

// plan makes the kernel's plan of a random graph, past Compile.
func (s *rndSpec) plan(print string) *kernel.Plan {
	p := kernel.NewPlan(s.names)
	p.Limit, p.Print = s.Limit, print
	for name, n := range s.Nodes {
		more, to := s.node[name], p.Node(kernel.StartNode)
		if id, ok := p.ID(name); ok {
			to = p.Node(id)
		}
		for _, t := range p.Targets(n.Next) {
			to.Next = append(to.Next, t.ID)
		}
		var relay []string
		for _, way := range more.ways {
			relay = append(relay, way...)
		}
		to.Goto, to.Send, to.Relay = p.Targets(more.gotos), p.Targets(more.sends), p.Targets(append(relay, more.relay...))
		to.Defer = n.Defer
	}
	for _, j := range s.Joins {
		var sources []int32
		for _, name := range j.Sources {
			id, _ := p.ID(name)
			sources = append(sources, id)
		}
		to, _ := p.ID(j.To)
		p.AddJoin(sources, to)
	}
	return p
}
