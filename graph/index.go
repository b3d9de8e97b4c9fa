package graph

import (
	"fmt"
	"iter"
	"runtime/debug"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/internal/kernel"
)

// indexed is a declared index.
type indexed struct {
	rows indexer
	at   Place
}

// indexer makes rows of the state before and after a commit.
type indexer func(before, after any) []checkpoint.Row

// AddIndex makes rows for tables beside the log, for questions that people ask
// in SQL: rows is called with the state before and after every step that is
// applied, inputs and updates included, and what it returns is stored with the
// step's commit, all or nothing. Which stores have tables is theirs to tell;
// checkpoint.NewMemory has none. A row stays until its thread goes or another
// one of its table and key takes its place. Without a store rows is not called,
// nor with one that says that it has no tables (checkpoint.Tabular), save by runs
// with CheckViews.
//
// With DurabilityExit it is called once, where the run ends, with the state that
// the run began with. A fork into a new thread calls it with the schema's start
// state and the one that is forked; a fork within its thread does not. The
// index of a subgraph goes with the commits of the subgraph's own log.
//
// Rows must be a function of its arguments alone, which it must not change or
// keep, and what it returns must not be changed later. It may be called by
// several goroutines at once, of one run and of many, and must not leave its
// goroutine locked to a thread of the operating system. If it panics, or a row
// cannot be stored (checkpoint.ErrInvalid), the run fails at that step, and the
// thread is as it was last saved. Several indexes may be added; then a row of
// a later one takes the place of one of the same table and key.
func (b *Builder[S]) AddIndex(rows func(before, after S) []checkpoint.Row) {
	x := indexed{at: b.here()}
	if rows != nil {
		x.rows = func(before, after any) []checkpoint.Row { return rows(*before.(*S), *after.(*S)) }
	}
	b.parts.indexes = append(b.parts.indexes, x)
}

// collectIndexes takes the indexes that have a function.
func (c *compiler) collectIndexes() (out []indexer) {
	for _, x := range c.indexes {
		if x.rows == nil {
			c.refuse(x.at, "", "an index has no function")
		}
		out = append(out, x.rows)
	}
	return out
}

// rows calls the graph's indexes, wherever that is done.
func (p *program) rows(before, after any) ([]checkpoint.Row, error) {
	var rows []checkpoint.Row
	var err error
	if !apart(func() { rows, err = p.index(before, after) }) {
		err = ErrGoexit
	}
	return checkedRows(rows, err)
}

// checkedRows refuses rows that cannot be stored.
func checkedRows(rows []checkpoint.Row, err error) ([]checkpoint.Row, error) {
	if err != nil {
		return nil, &indexError{err}
	}
	if err := checkpoint.CheckRows(rows); err != nil {
		return nil, fmt.Errorf("%w: index: %w", ErrStore, err)
	}
	return rows, nil
}

// behind is where a run stands while its log calls the indexes.
type behind struct {
	e     *kernel.Effects
	tasks int  // of the step
	saved bool // the run has ended and is being saved
}

// rows is that of the run's program. On the run's own goroutine the indexes are
// simply called: one that ends it is noticed by exit.
func (r *run) rows(before, after any) ([]checkpoint.Row, error) {
	if r.signals == nil || !r.where.CompareAndSwap(inMachine, inIndex) {
		return r.prog.rows(before, after)
	}
	rows, err := r.prog.index(before, after)
	r.where.Store(inMachine)
	return checkedRows(rows, err)
}

// endBehind ends a run whose goroutine an index has ended.
func (r *run) endBehind() {
	reserve(0)
	defer r.exit()
	switch b := r.behind; {
	case b.saved:
		r.tellEnd(b.e, b.tasks)
	case b.e.Closed:
		r.finish(b.e, b.tasks)
	default:
		r.finish(r.m.Stop(), b.tasks)
	}
}

// index calls the indexes one after the other; a panic becomes an error.
func (p *program) index(before, after any) (rows []checkpoint.Row, err error) {
	defer func() {
		if x := recover(); x != nil {
			rows, err = nil, &PanicError{Value: x, Stack: debug.Stack()}
		}
	}()
	for _, index := range p.indexes {
		rows = append(rows, index(before, after)...)
	}
	return rows, nil
}

// apart calls user code, which must not panic, on a goroutine of its own and
// reports whether it returned: if it ends its goroutine by runtime.Goexit it must
// not end the caller's, which is between a step and its commit. The goroutine is
// that of an iterator, for it takes the caller's place at once, where one that is
// started waits for a thread.
func apart(call func()) (returned bool) {
	next, stop := iter.Pull(func(yield func(struct{}) bool) {
		returned := false
		defer func() {
			if !returned {
				yield(struct{}{}) // back to the caller
			}
		}()
		call()
		returned = true
	})
	_, exits := next()
	if exits {
		go stop() // lets it end, and ends the goroutine that calls it too
	}
	return !exits
}

// indexError is a failure of an index, not of the store that its rows are for.
type indexError struct{ err error }

func (e *indexError) Error() string { return "index: " + e.err.Error() }

func (e *indexError) Unwrap() error { return e.err }

// newcomers makes the rows of a thread that begins with the state of a log.
func (p *program) newcomers(log *logState) ([]checkpoint.Row, error) {
	if len(p.indexes) == 0 {
		return nil, nil
	}
	st, err := p.rebuild(log)
	if err != nil {
		return nil, err
	}
	return p.rows(p.zero, st.State())
}
