package graph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/graphrun/graphrun/graph"
)

func (w *sesWorld) updates(op *sesOp, name string) error {
	d := dice(op.N[0])
	writes := sesWrites(&d, w.spec, fmt.Sprint("up", op.N[0]%100))
	nodes := append([]string{graph.Start}, slices.Sorted(slices.Values(w.spec.names))...)
	node := nodes[op.N[1]%len(nodes)]
	if op.N[3]%20 == 0 {
		node = "nobody"
	}
	row, at := w.older(op, w.ref[name], op.N[2])
	cfg := &graph.UpdateConfig{At: at, Keep: op.N[3]%2 == 0}
	w.say("update %s as %s %v, keep %v, at %q", name, node, writes, cfg.Keep, at)
	w.watch.begin("")
	got, err := w.g.Update(context.Background(), name, node, w.f.writes(writes), cfg)
	log := w.ref[name].clone()
	switch {
	case node == "nobody":
		return refusal(err, graph.ErrUndeclared)
	case log == nil:
		return refusal(err, graph.ErrUnknown)
	case row != nil:
		log.fork(row)
	}
	end, ok := log.update(w.spec, node, writes, cfg.Keep)
	if !ok {
		return refusal(err, graph.ErrInvalidUpdate)
	}
	if err != nil {
		return err
	}
	w.ref[name] = log
	return errors.Join(w.named(log, got.Checkpoint), same("step", got.Step, log.head().step),
		same("next", got.Next, end.next), same("dropped", got.Dropped, end.dropped), sameSet("nodes did", w.watch.done(), nil))
}

// named compares the name that the engine gives the newest checkpoint with
// that in the history, which is compared afterwards.
func (w *sesWorld) named(log *refLog, name string) error {
	if had, ok := log.name[log.head().id]; ok && had != name {
		return fmt.Errorf("the new checkpoint is called %q, as an older one", name)
	}
	log.name[log.head().id] = name
	return nil
}

func (w *sesWorld) forks(op *sesOp, name string) error {
	op.At = true
	row, at := w.older(op, w.ref[name], op.N[0])
	cfg, to := &graph.ForkConfig{}, name
	if op.N[1]%3 == 0 {
		at = ""
		if row != nil {
			row = w.ref[name].head()
		}
	}
	if op.Kind == "copy" {
		to = w.thread(op.N[2])
		cfg.To = to
	}
	w.say("fork %s at %q to %s", name, at, to)
	got, err := w.g.Fork(context.Background(), name, at, cfg)
	switch {
	case row == nil:
		return refusal(err, graph.ErrUnknown)
	case to != name && w.ref[to] != nil:
		if err == nil {
			return errors.New("the thread exists, but it was copied to")
		}
		return w.check(to)
	case err != nil:
		return err
	}
	log := w.ref[name].clone()
	log.fork(row)
	w.ref[to] = log
	return errors.Join(w.named(log, got), w.check(to))
}

func (w *sesWorld) prunes(op *sesOp, name string) error {
	keep := op.N[0] % 6
	w.say("prune %s to %d", name, keep)
	got, err := w.g.Prune(context.Background(), name, keep, graph.BusyReject)
	log := w.ref[name]
	if log == nil {
		return refusal(err, graph.ErrUnknown)
	}
	if err != nil {
		return err
	}
	gone := max(len(log.rows)-max(keep, 1), 0)
	log.rows = log.rows[gone:]
	return same("gone", got, gone)
}

// late does something with a context that has ended.
func (w *sesWorld) late(op *sesOp, name string) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	w.say("invoke and resume %s with a context that has ended", name)
	w.watch.begin("")
	a, err := w.g.Invoke(ctx, nil, &graph.RunConfig{Thread: name})
	b, err2 := w.g.Resume(ctx, graph.Answer("yes"), &graph.RunConfig{Thread: name})
	return errors.Join(same("outcome", a.Outcome, graph.OutcomeCancelled), same("outcome", b.Outcome, graph.OutcomeCancelled),
		refusal(err, graph.ErrCancelled), refusal(err2, graph.ErrCancelled), sameSet("nodes did", w.watch.done(), nil))
}

// refusal compares an error with the sentinel that it should be.
func refusal(err, want error) error {
	if !errors.Is(err, want) {
		return fmt.Errorf("error %v, want %v", err, want)
	}
	return nil
}
