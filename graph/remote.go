package graph

import (
	"context"
	"fmt"
)

// RunTask runs one task from its wire form and returns its result's wire
// form. It is for workers in other processes, which have the same graph: the
// node, its retries and error handler, and the routers behind it run here;
// the state of the run is not touched. A failure of the node is part of the
// result. The error is about bytes that are not a task of this graph.
func (g *Graph[S]) RunTask(ctx context.Context, task []byte) ([]byte, error) {
	p := g.program
	r := p.start(&job{ctx: ctx})
	id, err := r.m.AdoptTask(task, p.layout)
	if err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	r.store = r.m.Store()
	t := r.context(&r.m.Tasks()[0])
	t.id = id
	r.perform(t, &r.m.Tasks()[0], r.m.Result(0), &r.worker)
	out, err := r.m.EncodeResult(0, id, p.layout)
	if err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	return out, nil
}
