package graph

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/graphrun/graphrun/internal/kernel"
)

var errNoChoice = errors.New("it chose nothing; " + End + " says that there is no way on")

// route lets the routers behind a task choose. They see the state at the start
// of the step with the task's own writes.
func (r *run) route(t *taskContext, res *kernel.Result, w *worker) error {
	look, err := r.lookahead(res, w)
	if err != nil {
		if isConflict(err) {
			_, _, field, _ := kernel.Conflict(err)
			return fmt.Errorf("%w: it writes %q twice, which takes one write a step: %w", ErrInvalidUpdate, field, err)
		}
		return fmt.Errorf("%w: %w", ErrInvalidUpdate, err)
	}
	routers := t.node().routers
	for i := range routers {
		if err := r.ask(&routers[i], t, look, res, w); err != nil {
			return fmt.Errorf("router: %w", err)
		}
	}
	return nil
}

// ask lets one router choose.
func (r *run) ask(rt *router, t *taskContext, look any, res *kernel.Result, w *worker) error {
	if rt.one != nil && !t.frame.check {
		to, err := chosen(rt.one, look)
		if err != nil {
			return err
		}
		return rt.add(to, res)
	}
	w.choice = kernel.Command{}
	if err := r.viewing(t, rt.by, look, &w.choice); err != nil {
		return err
	}
	return rt.take(&w.choice, res)
}

// chosen calls a choice; a panic becomes an error.
func chosen(by chooser, look any) (to string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	return by.choose(look), nil
}

func (r *run) lookahead(res *kernel.Result, w *worker) (any, error) {
	if len(r.m.Tasks()) == 1 {
		return r.preview()
	}
	if res.Command.Writes().Len() == 0 {
		return r.store.State(), nil
	}
	if err := r.prog.layout.CheckAlone(res.Command.Writes()); err != nil {
		return nil, err
	}
	if w.look == nil {
		w.look = r.prog.layout.Fresh()
	}
	return w.look, r.prog.layout.Overlay(w.look, r.store.State(), res.Command.Writes().All())
}

// preview lets the machine show the next state, unless the run was taken over
// meanwhile.
func (r *run) preview() (any, error) {
	if r.done == nil { // nobody can take it over
		return r.m.Preview()
	}
	held := r.where.CompareAndSwap(inTask, inMachine)
	if !held && r.where.Load() == taken {
		return nil, ErrLeftBehind
	}
	look, err := r.m.Preview()
	if held {
		r.where.Store(inTask)
	}
	return look, err
}

// take checks a router's choice and adds it to the result.
func (rt *router) take(c *kernel.Command, res *kernel.Result) error {
	switch {
	case c.Writes().Len() > 0:
		return errors.New("a router chooses, it cannot write to the state")
	case c.Parent() != nil:
		return errors.New("only a node can leave for the parent graph")
	case c.Plain():
		return errNoChoice
	}
	for to := range c.Gotos() {
		if err := rt.add(to, res); err != nil {
			return err
		}
	}
	for _, p := range c.Packets() {
		if _, ok := rt.find(p.To); !ok {
			return rt.undeclared("send to", p.To)
		}
	}
	res.Routes.AddPackets(c.Packets())
	return nil
}

func (rt *router) add(to string, res *kernel.Result) error {
	if to == End {
		return nil
	}
	id, ok := rt.find(to)
	if !ok {
		return rt.undeclared("go to", to)
	}
	res.Routes.Add(id)
	return nil
}

func (rt *router) find(name string) (int32, bool) {
	for i := range rt.targets {
		if rt.targets[i].Name == name {
			return rt.targets[i].ID, true
		}
	}
	return 0, false
}

func (rt *router) undeclared(verb, to string) error {
	names := make([]string, len(rt.targets))
	for i, t := range rt.targets {
		names[i] = t.Name
	}
	return fmt.Errorf("%w: it may not %s %q (declared: %s)", ErrUndeclared, verb, to, listed(names))
}
