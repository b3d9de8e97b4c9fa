package graphfile

import (
	"fmt"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile/internal/task"
	"github.com/graphrun/graphrun/state"
)

// make appends the tasks of a send.
func (p *packets) make(v *task.View, to []graph.Packet[record]) ([]graph.Packet[record], error) {
	if p.fixed != nil {
		return append(to, *p.fixed), nil
	}
	if p.each == nil {
		return p.one(v, to)
	}
	value, err := p.each.Eval(v)
	if err != nil {
		return nil, &evalError{Place: p.place, Err: err}
	}
	list, ok := value.([]any)
	if !ok {
		return nil, &evalError{Place: p.place, Err: fmt.Errorf("a list is needed, this is %s", kindOf(value))}
	}
	err = v.Each("it", list, func(inner *task.View) error {
		to, err = p.one(inner, to)
		return err
	})
	return to, err
}

func (p *packets) one(v *task.View, to []graph.Packet[record]) ([]graph.Packet[record], error) {
	writes := make([]state.Write[record], len(p.input))
	for i := range p.input {
		w, err := p.input[i].make(v)
		if err != nil {
			return nil, err
		}
		writes[i] = w
	}
	var do graph.Commands[record]
	return append(to, do.To(p.to, writes...)), nil
}

// kindOf names the type of a value as graph files do.
func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "a bool"
	case int64:
		return "an int"
	case float64:
		return "a float"
	case string:
		return "a string"
	case map[string]any:
		return "a map"
	}
	return "a list"
}
