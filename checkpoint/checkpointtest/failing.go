package checkpointtest

import (
	"context"
	"slices"
	"sync"

	"github.com/graphrun/graphrun/checkpoint"
)

// Failing is a store that works like another one but for the calls that are
// told to fail. It counts the calls of its methods and of its writers', from 1
// on, so that a test can let a program fail at every single one: run it once
// to see how many calls there are, then once for each of them. Lost, which
// cannot fail, is not counted. Many goroutines may use it.
type Failing struct {
	store checkpoint.Store

	mu    sync.Mutex
	calls []string
	fails map[int]failure
}

// failure is how a call fails.
type failure struct {
	err   error
	after bool
}

// NewFailing returns a store that works like s until FailAt is called.
func NewFailing(s checkpoint.Store) *Failing {
	return &Failing{store: s, fails: map[int]failure{}}
}

// FailAt makes the n-th call fail with err, counted from the beginning: before
// it reaches the store, or, with after, once the store has carried it out, as
// when an answer is lost on its way. Then what the store answers is dropped; a
// Writer is released first, since nobody has it. Of several failures at one
// call the last one counts; a nil error takes it back.
func (f *Failing) FailAt(n int, err error, after bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fails[n] = failure{err, after}
}

// Calls returns the names of the methods that were called, in order: the n-th
// call is at n-1. It is a copy.
func (f *Failing) Calls() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.calls)
}

// Count returns how many calls there were.
func (f *Failing) Count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.calls)
}

// call counts one call and carries it out unless it is to fail.
func (f *Failing) call(name string, pass func() error) error {
	f.mu.Lock()
	f.calls = append(f.calls, name)
	fail := f.fails[len(f.calls)]
	f.mu.Unlock()
	switch {
	case fail.err == nil:
		return pass()
	case fail.after:
		_ = pass() // the answer is what gets lost
	}
	return fail.err
}

// Claim claims a thread with the store; the writer counts its calls too.
func (f *Failing) Claim(ctx context.Context, thread string, busy checkpoint.Busy) (checkpoint.Writer, error) {
	var w checkpoint.Writer
	err := f.call("Claim", func() (err error) {
		w, err = f.store.Claim(ctx, thread, busy)
		return err
	})
	if err == nil {
		return &failingWriter{f, w}, nil
	}
	if w != nil {
		_ = w.Release() // what the caller is told is that the claim failed
	}
	return nil, err
}

// Load loads from the store.
func (f *Failing) Load(ctx context.Context, log checkpoint.Log, at int64) (*checkpoint.Loaded, error) {
	return ask(f, "Load", func() (*checkpoint.Loaded, error) { return f.store.Load(ctx, log, at) })
}

// List lists from the store.
func (f *Failing) List(ctx context.Context, q checkpoint.Query) ([]checkpoint.Commit, error) {
	return ask(f, "List", func() ([]checkpoint.Commit, error) { return f.store.List(ctx, q) })
}

// Logs asks the store for its logs.
func (f *Failing) Logs(ctx context.Context, q checkpoint.LogQuery) ([]checkpoint.LogInfo, error) {
	return ask(f, "Logs", func() ([]checkpoint.LogInfo, error) { return f.store.Logs(ctx, q) })
}

// ask is call for a method with an answer, of which nothing is left when it
// fails.
func ask[T any](f *Failing, name string, pass func() (T, error)) (T, error) {
	var answer, none T
	err := f.call(name, func() (err error) {
		answer, err = pass()
		return err
	})
	if err != nil {
		return none, err
	}
	return answer, nil
}

// Copy copies in the store.
func (f *Failing) Copy(ctx context.Context, from, to string) error {
	return f.call("Copy", func() error { return f.store.Copy(ctx, from, to) })
}

// Delete deletes in the store.
func (f *Failing) Delete(ctx context.Context, thread string) error {
	return f.call("Delete", func() error { return f.store.Delete(ctx, thread) })
}

type failingWriter struct {
	f *Failing
	w checkpoint.Writer
}

func (w *failingWriter) Append(ctx context.Context, parts []checkpoint.Part) error {
	return w.f.call("Append", func() error { return w.w.Append(ctx, parts) })
}

func (w *failingWriter) Prune(ctx context.Context, ns string, whole *checkpoint.Commit) error {
	return w.f.call("Prune", func() error { return w.w.Prune(ctx, ns, whole) })
}

func (w *failingWriter) Lost() <-chan struct{} { return w.w.Lost() }

func (w *failingWriter) Release() error { return w.f.call("Release", w.w.Release) }
