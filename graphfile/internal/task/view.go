package task

import (
	"context"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// View is what the expressions of a task see. It belongs to one task.
type View struct {
	Record state.Record
	bound  []binding
	// attempt is that of the task, over all its runs; 0: not counted yet.
	attempt int
}

type binding struct {
	name  string
	value any
}

// Lookup finds what was bound last, then the fields of the state.
func (v *View) Lookup(name string) (any, bool) {
	for i := len(v.bound) - 1; i >= 0; i-- {
		if v.bound[i].name == name {
			return v.bound[i].value, true
		}
	}
	return v.Record.Get(name)
}

// Bind gives a value a name.
func (v *View) Bind(name string, value any) { v.bound = append(v.bound, binding{name, value}) }

// Each calls do with a view that has one name more, once for each value.
func (v *View) Each(name string, values []any, do func(*View) error) error {
	inner := &View{Record: v.Record, bound: append(v.bound[:len(v.bound):len(v.bound)], binding{name: name})}
	for _, value := range values {
		inner.bound[len(inner.bound)-1].value = value
		if err := do(inner); err != nil {
			return err
		}
	}
	return nil
}

// Attempt says which attempt of its task this is, over retries, resumes and
// processes. It counts once a View.
func (v *View) Attempt(ctx context.Context) (int, error) {
	if v.attempt > 0 {
		return v.attempt, nil
	}
	var err error
	v.attempt, err = graph.Tally(ctx, "attempts")
	return v.attempt, err
}

// Pause waits, or returns the cause of the context's end.
func Pause(ctx context.Context, d time.Duration) error {
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
