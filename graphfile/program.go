package graphfile

import (
	"context"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile/internal/task"
	"github.com/graphrun/graphrun/internal/expression"
	"github.com/graphrun/graphrun/state"
)

// program is a script, or one of its cases, ready to run. It does not change
// and may be run by any number of tasks at once.
type program struct {
	sleep time.Duration
	fail  *task.Failure
	asks  []task.Ask

	away    bool // what follows is for the parent graph
	writes  []write
	routes  bool // route goes somewhere
	route   graph.Command[record]
	packets []packets

	cases []choice

	// fixed is the command where it is the same in every run, else nil.
	fixed *graph.Command[record]
}

// choice is a case: the program to run if the condition holds, and always if
// there is none.
type choice struct {
	when  *expression.Condition
	place string
	then  *program
}

// write is one entry of an update.
type write struct {
	field  string
	last   bool // of two such writes in one update the later one counts
	value  *expression.Value
	place  string
	schema *state.RecordSchema
	whole  bool                 // the value replaces the field's, as a send does
	taker  *state.RecordSchema  // the field of a subgraph that takes the value, if there is one
	fixed  *state.Write[record] // of a constant value, else nil
}

// packets makes the tasks of one send.
type packets struct {
	to    string
	each  *expression.Value // nil: one task
	place string
	input []write
	fixed *graph.Packet[record]
}

// outcome gathers what the parts of a script do.
type outcome struct {
	away    bool
	writes  []state.Write[record]
	fields  []string // of the writes, "" where another write does not replace it
	routes  []graph.Command[record]
	packets []graph.Packet[record]
}

// node makes the program the work of a node.
func (p *program) node() graph.Node[record] {
	if p.fixed != nil {
		command := *p.fixed
		return func(context.Context, record) (graph.Command[record], error) { return command, nil }
	}
	return func(ctx context.Context, r record) (graph.Command[record], error) {
		var out outcome
		if err := p.run(ctx, &task.View{Record: r}, &out); err != nil {
			return graph.Command[record]{}, err
		}
		return out.command(), nil
	}
}

// run does what the script says, in the order of the contract.
func (p *program) run(ctx context.Context, v *task.View, out *outcome) error {
	if err := task.Pause(ctx, p.sleep); err != nil {
		return err
	}
	if err := p.fail.Check(ctx, v, 0); err != nil {
		return err
	}
	for i := range p.asks {
		if err := p.asks[i].Put(ctx, v); err != nil {
			return err
		}
	}
	if p.away && !out.away {
		*out = outcome{away: true}
	}
	if err := p.act(v, out); err != nil {
		return err
	}
	return p.choose(ctx, v, out)
}

// act adds update, gotos and sends to the outcome.
func (p *program) act(v *task.View, out *outcome) error {
	for i := range p.writes {
		w, err := p.writes[i].make(v)
		if err != nil {
			return err
		}
		out.write(&p.writes[i], w)
	}
	if p.routes {
		out.routes = append(out.routes, p.route)
	}
	for i := range p.packets {
		var err error
		if out.packets, err = p.packets[i].make(v, out.packets); err != nil {
			return err
		}
	}
	return nil
}

// choose runs the first case that holds.
func (p *program) choose(ctx context.Context, v *task.View, out *outcome) error {
	for i := range p.cases {
		c := &p.cases[i]
		holds := c.when == nil
		if !holds {
			var err error
			if holds, err = c.when.Holds(v); err != nil {
				return &evalError{Place: c.place, Err: err}
			}
		}
		if holds {
			return c.then.run(ctx, v, out)
		}
	}
	return nil
}

// write adds a write. For a field that takes one write it replaces an earlier
// one, so that a node is never in conflict with itself.
func (o *outcome) write(from *write, w state.Write[record]) {
	key := ""
	if from.last {
		key = from.field
		for i, f := range o.fields {
			if f == key {
				o.writes[i] = w
				return
			}
		}
	}
	o.writes, o.fields = append(o.writes, w), append(o.fields, key)
}

// command makes the command of the outcome.
func (o *outcome) command() graph.Command[record] {
	var do graph.Commands[record]
	c := do.Update(o.writes...)
	if len(o.routes)+len(o.packets) > 0 {
		parts := append([]graph.Command[record]{c}, o.routes...)
		if len(o.packets) > 0 {
			parts = append(parts, do.Send(o.packets...))
		}
		c = do.All(parts...)
	}
	if o.away {
		return graph.ToParent[record, record](c)
	}
	return c
}

// make makes the write for a view.
func (w *write) make(v expression.Env) (state.Write[record], error) {
	if w.fixed != nil {
		return *w.fixed, nil
	}
	value, err := w.value.Eval(v)
	if err != nil {
		return state.Write[record]{}, &evalError{Place: w.place, Err: err}
	}
	made, err := w.of(value)
	if err != nil {
		return state.Write[record]{}, &evalError{Place: w.place, Err: fieldError(w.field, err)}
	}
	return made, nil
}

func (w *write) of(value any) (state.Write[record], error) {
	if w.taker != nil {
		if made, err := w.taker.Replace(w.field, value); err != nil {
			return made, err
		}
	}
	if w.whole {
		return w.schema.Replace(w.field, value)
	}
	return w.schema.Write(w.field, value)
}
