package graphfile

import (
	"context"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile/internal/task"
	"github.com/graphrun/graphrun/internal/expression"
)

// router chooses among the cases of an edge.
type router struct {
	cases []way
}

type way struct {
	when  *expression.Condition // nil: always
	place string
	to    graph.Command[record]
}

// choose returns the command of the first case that holds, and goes to End if
// there is none.
func (r *router) choose(_ context.Context, seen record) (graph.Command[record], error) {
	v := &task.View{Record: seen}
	for i := range r.cases {
		c := &r.cases[i]
		if c.when == nil {
			return c.to, nil
		}
		holds, err := c.when.Holds(v)
		if err != nil {
			return graph.Command[record]{}, &evalError{Place: c.place, Err: err}
		}
		if holds {
			return c.to, nil
		}
	}
	return graph.Commands[record]{}.Goto(graph.End), nil
}
