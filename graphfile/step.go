package graphfile

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// pause waits, or returns the cause of the context's end.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// count says which attempt of its task this is, over retries, resumes and
// processes. It counts once an attempt.
func (v *view) count(ctx context.Context) (int, error) {
	if v.attempt > 0 {
		return v.attempt, nil
	}
	var err error
	v.attempt, err = graph.Tally(ctx, "attempts")
	return v.attempt, err
}

// check fails as long as the file says so. A nil failure never does.
func (f *failure) check(ctx context.Context, v *view) error {
	if f == nil {
		return nil
	}
	attempt, err := v.count(ctx)
	if err != nil {
		return err
	}
	if f.attempts >= 0 && attempt > f.attempts {
		return nil
	}
	value, err := f.text.Eval(v)
	if err != nil {
		return &evalError{f.place, err}
	}
	text, ok := value.(string)
	if !ok {
		b, err := state.AppendAny(nil, value)
		if err != nil {
			return &evalError{f.place, err}
		}
		text = string(b)
	}
	return &FailError{Text: text, Attempt: attempt}
}

// put asks a question and binds the answer.
func (a *ask) put(ctx context.Context, v *view) error {
	value, err := a.value.Eval(v)
	if err != nil {
		return &evalError{a.place, err}
	}
	answer, err := graph.Interrupt[any](ctx, "", value)
	if errors.Is(err, graph.ErrNoStore) {
		return fmt.Errorf("%s: a run can wait for an answer only in a store: %w", a.place, err)
	}
	if err != nil {
		return err
	}
	if a.into != "" {
		v.bound = append(v.bound, binding{a.into, answer})
	}
	return nil
}

// make appends the tasks of a send.
func (p *packets) make(v *view, to []graph.Packet[record]) ([]graph.Packet[record], error) {
	if p.fixed != nil {
		return append(to, *p.fixed), nil
	}
	if p.each == nil {
		return p.one(v, to)
	}
	value, err := p.each.Eval(v)
	if err != nil {
		return nil, &evalError{p.place, err}
	}
	list, ok := value.([]any)
	if !ok {
		return nil, &evalError{p.place, fmt.Errorf("a list is needed, this is %s", kindOf(value))}
	}
	inner := &view{record: v.record, bound: append(v.bound[:len(v.bound):len(v.bound)], binding{name: "it"})}
	for _, element := range list {
		inner.bound[len(inner.bound)-1].value = element
		if to, err = p.one(inner, to); err != nil {
			return nil, err
		}
	}
	return to, nil
}

func (p *packets) one(v *view, to []graph.Packet[record]) ([]graph.Packet[record], error) {
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
