package graph

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/internal/journal"
	"github.com/graphrun/graphrun/internal/kernel"
	"github.com/graphrun/graphrun/state"
)

// Mount says how a subgraph with states C fits into a graph with states P.
// Nil means its zero value: every field that both have by one name is shared.
// A shared field's value goes in, and what the subgraph changed of it comes
// back as the writes that were made, so that lists do not double and
// subgraphs side by side do not meet in fields that they left alone.
type Mount[P, C any] struct {
	// NodeConfig is that of the node that the subgraph becomes. The targets
	// that nodes of the subgraph leave to need not be repeated in Goto and
	// Send. Exit is needed if they leave two levels at once, by a ToParent in
	// a ToParent.
	NodeConfig

	// Share pairs fields of different names, beside those of one name.
	Share []state.Shared
	// Apart leaves out the sharing by name.
	Apart bool
	// In makes further writes to the subgraph's start from the state.
	In func(P) []state.Write[C]
	// Out makes further writes from the subgraph's last state.
	Out func(C) []state.Write[P]
}

// AddSubgraph adds a node that runs another graph from its start to its end.
// Its supersteps and its recursion limit are its own. What it hands back is
// the node's update. A nil m means its zero value. Fields of one name that do
// not fit each other, and targets that nodes of the subgraph leave to and that
// this graph does not have, are problems that Compile tells.
func AddSubgraph[P, C any](b *Builder[P], name string, sub *Graph[C], m *Mount[P, C]) {
	if m == nil {
		m = &Mount[P, C]{}
	}
	at := b.here()
	p := &part{name: name, cfg: m.NodeConfig, at: at}
	b.parts.nodes = append(b.parts.nodes, p)
	if sub == nil {
		b.parts.mounts = append(b.parts.mounts, mounted{name, []error{fmt.Errorf("it is nil")}, at})
		return
	}
	inner := &subgraph{program: sub.program, pairs: slices.Clone(m.Share)}
	var problems []error
	if !m.Apart && b.schema != nil {
		byName, wrong := state.Share(b.schema.Layout(), sub.schema.Layout())
		inner.pairs, problems = append(inner.pairs, byName...), wrong
	}
	if m.In != nil {
		inner.in = func(st any) state.Changes { return state.ChangesOf(m.In(*st.(*P))) }
	}
	if m.Out != nil {
		inner.out = func(st any) state.Changes { return state.ChangesOf(m.Out(*st.(*C))) }
	}
	gotos, sends, wrong := sub.program.exits(reflect.TypeFor[P]())
	p.cfg.Goto = append(slices.Clone(p.cfg.Goto), gotos...)
	p.cfg.Send = append(slices.Clone(p.cfg.Send), sends...)
	p.work, p.child = inner, sub.program
	b.parts.mounts = append(b.parts.mounts, mounted{name, append(problems, wrong...), at})
}

// exits returns the targets that the program's nodes may name in a parent
// graph with the given state.
func (p *program) exits(parent reflect.Type) (gotos, sends []string, problems []error) {
	for i := range p.nodes {
		e := p.nodes[i].exit
		switch {
		case e.parent == nil:
		case e.parent != parent:
			problems = append(problems, fmt.Errorf("its node %q leaves to a graph with state %v, not %v", p.nodes[i].name, e.parent, parent))
		default:
			gotos, sends = append(gotos, e.targets...), append(sends, e.sends...)
		}
	}
	return gotos, sends, problems
}

// check refuses a command to the parent that the node did not declare.
func (e Exit) check(out *kernel.Outward) error {
	if e.parent == nil {
		return fmt.Errorf("%w: the node did not declare by Exit that it leaves its graph", ErrUndeclared)
	}
	if e.parent != out.State {
		return fmt.Errorf("%w: the node leaves to a graph with state %v but declared %v", ErrUndeclared, out.State, e.parent)
	}
	names := slices.Collect(out.Command.Gotos())
	for _, p := range out.Command.Packets() {
		names = append(names, p.To)
	}
	for _, to := range names {
		if to != End && !slices.Contains(e.targets, to) && !slices.Contains(e.sends, to) {
			return fmt.Errorf("%w: the node did not declare that it may leave to %q (declared: %s)", ErrUndeclared, to, listed(slices.Compact(slices.Sorted(slices.Values(slices.Concat(e.targets, e.sends))))))
		}
	}
	return nil
}

// subgraph is the work of a node that runs a graph.
type subgraph struct {
	program *program
	pairs   []state.Shared
	in, out func(st any) state.Changes
}

// call runs the subgraph within the task of its node.
func (s *subgraph) call(ctx context.Context, view any, out *kernel.Command) error {
	t, err := taskOf(ctx)
	if err != nil {
		return err
	}
	j := job{ctx: ctx, input: s.start(view), frame: *t.frame, track: true}
	j.frame.at = at{ns: append(slices.Clip(t.frame.at.ns), t.node().name), prefix: t.head().Pos, path: t.frame.place(t.id)}
	j.frame.before, j.frame.after = s.program.before, s.program.after
	if err := j.find(t); err != nil {
		return err
	}
	r, clean, bad := s.program.invoke(&j)
	if bad != nil {
		return bad.err
	}
	defer r.release(clean)
	switch {
	case r.end.outcome == OutcomeInterrupted:
		return &pausedError{r.end.asks}
	case r.end.err != nil:
		return r.end.err
	case r.end.left != nil:
		*out = r.end.left.Command
	default:
		*out = kernel.Command{} // the memory is that of an earlier task's
		*out.Writes() = s.changes(r)
	}
	return nil
}

// find looks where the log of a subgraph's run stands, if its task may have
// begun one before.
func (j *job) find(t *taskContext) (err error) {
	f := &j.frame
	if f.session == nil || t.attempt == 1 && int(t.id.Step) != t.frame.resumed {
		return nil
	}
	if err := f.session.queue.Settle(); err != nil { // what an attempt before has done may wait still
		return storeError(err)
	}
	j.log, err = loadLog(j.ctx, f.session.keep.store, checkpoint.Log{Thread: f.thread, NS: f.at.path}, 0)
	if held, ok := f.session.queue.Held(f.at.path); ok && err == nil {
		j.held = &held
		j.log.Loaded = journal.Under(j.log.Loaded, held)
		j.log.Stand, err = journal.ReadStand(j.log.Loaded)
	}
	return err
}

// start makes the subgraph's input of the parent's state.
func (s *subgraph) start(view any) state.Changes {
	var u state.Changes
	for _, p := range s.pairs {
		if c, ok := p.In(view); ok {
			u.Add(c)
		}
	}
	if s.in != nil {
		more := s.in(view)
		u.AddAll(&more)
	}
	return u
}

// changes makes the node's update of what the subgraph changed.
func (s *subgraph) changes(r *run) state.Changes {
	var u state.Changes
	diff := r.store.Diff()
	for i := range diff.Len() {
		for _, p := range s.pairs {
			if w, ok := p.Out(*diff.At(i)); ok {
				u.Add(w)
			}
		}
	}
	if s.out != nil {
		more := s.out(r.store.State())
		u.AddAll(&more)
	}
	return u
}
