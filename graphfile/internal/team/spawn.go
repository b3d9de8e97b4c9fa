package team

import (
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/graphfile/internal/task"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/internal/expression"
)

// spawn lets several agents work side by side.
type spawn struct {
	about
	branches []branch
	join     handoffs.Join
}

// branch is one of them, or one for each element of a list.
type branch struct {
	each                                *slot
	to, capability, task, payload, name *slot
	budget                              handoffs.Limits
}

// spawn reads {branches, join, …}.
func (r *reader) spawn(n *source.Node, scope expression.Scope) act {
	f := r.Rep.Fields(n, "a spawn")
	s := &spawn{about: r.about(f, scope)}
	if f.Need("branches") != nil {
		items, ok := f.Items("branches")
		if ok && len(items) == 0 {
			r.Rep.Errorf(f.KeyPos("branches"), `"branches" is empty`)
		}
		for _, item := range items {
			s.branches = append(s.branches, r.branch(item, scope))
		}
	}
	if f.Has("join") {
		s.join = r.join(f.Fields("join", `"join"`))
	}
	f.Done()
	return s
}

// branch reads {to | capability, task, payload, name, each, budget}.
func (r *reader) branch(n *source.Node, scope expression.Scope) branch {
	f := r.Rep.Fields(n, "a branch")
	var b branch
	if f.Has("each") {
		b.each = r.valueAt(f, "each", scope, expression.List)
		it := expression.Type{}
		if b.each != nil {
			it = b.each.value.Type().Element()
		}
		scope = scope.With("it", it)
	}
	one := f.AtMostOne("to", "capability")
	b.to, b.capability = r.targetAt(f, "to", scope), r.textAt(f, "capability", scope)
	b.task, b.name = r.textAt(f, "task", scope), r.textAt(f, "name", scope)
	b.payload = r.valueAt(f, "payload", scope, expression.Map)
	b.budget = r.limitsAt(f, "budget")
	if f.Done() && one == "" {
		r.Rep.Errorf(n.Pos, `a branch needs "to" or "capability"`)
	}
	return b
}

// join reads {need, partial, resolve, timeout}.
func (r *reader) join(f *source.Fields) handoffs.Join {
	j := handoffs.Join{Need: count(f, "need", 1)}
	j.Partial, _ = f.Bool("partial")
	j.Timeout, _ = f.Duration("timeout", 1, task.Longest)
	switch n := f.Take("resolve"); {
	case n == nil:
	case n.Kind == source.Map:
		g := r.Rep.Fields(n, `"resolve"`)
		if g.Need("agent") != nil {
			j.Resolve = "agent:" + r.agentAt(g, "agent")
		}
		g.Done()
	default:
		j.Resolve = wordOf(f, "resolve", "fail", "first", "last")
	}
	f.Done()
	return j
}

func (s *spawn) command(v *task.View) (handoffs.Command, error) {
	c := handoffs.Command{Type: handoffs.CommandType, Kind: handoffs.Spawn, Join: s.join}
	if err := s.fill(&c, v); err != nil {
		return c, err
	}
	for i := range s.branches {
		b := &s.branches[i]
		if b.each == nil {
			if err := b.add(&c, v); err != nil {
				return c, err
			}
			continue
		}
		items, err := b.each.items(v)
		if err != nil {
			return c, err
		}
		if err := v.Each("it", items, func(inner *task.View) error { return b.add(&c, inner) }); err != nil {
			return c, err
		}
	}
	return c, nil
}

// add adds the branch to a command.
func (b *branch) add(c *handoffs.Command, v *task.View) error {
	made := handoffs.Branch{Budget: b.budget}
	for _, t := range []struct {
		to   *string
		from *slot
	}{{&made.Target, b.to}, {&made.Capability, b.capability}, {&made.Task, b.task}, {&made.Name, b.name}} {
		var err error
		if *t.to, err = t.from.text(v); err != nil {
			return err
		}
	}
	var err error
	made.Payload, err = b.payload.object(v)
	c.Branches = append(c.Branches, made)
	return err
}
