package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/graphrun/graphrun/checkpoint"
)

// Once calls fn and keeps its value with the task: when the task runs again,
// by a retry, an answer, a resume or in another process, Once returns the kept
// value and does not call fn. So what a node does before it asks a question or
// fails is not done again. A failure of fn is returned and not kept.
//
// The value is stored, as JSON, before Once returns. A process that is killed
// between the effect and the storing calls fn again: effects that must not
// happen twice even then need an idempotency key, and the id of the task
// (see Task) together with the key is one. In DurabilityExit, and without a
// store, the value is kept in memory as long as the run lasts.
//
// The key tells the calls of one task apart. Calls by one key must not run at
// the same time.
func Once[T any](ctx context.Context, key string, fn func(context.Context) (T, error)) (T, error) {
	var value T
	t, err := taskOf(ctx)
	if err != nil {
		return value, err
	}
	kept, ok, err := t.recalled(key)
	if err != nil {
		return value, err
	}
	if ok {
		if err := decodeAnswer(kept, &value); err != nil {
			return value, fmt.Errorf("graph: node %q: what was kept by the key %q is not a %T: %w", t.node().name, key, value, err)
		}
		return value, nil
	}
	if value, err = fn(ctx); err != nil {
		return value, err
	}
	data, err := encodeValue(value)
	if err != nil {
		return value, fmt.Errorf("graph: node %q: what is to be kept by the key %q cannot be stored: %w", t.node().name, key, err)
	}
	return value, t.keep(key, data)
}

// Tally counts how often it was called by a task and key, this call included:
// over retries, resumes and processes. The count is stored before it returns.
func Tally(ctx context.Context, key string) (int, error) {
	t, err := taskOf(ctx)
	if err != nil {
		return 0, err
	}
	if t.frame.log == nil {
		return t.frame.memory.count(t.frame.place(t.id) + ":" + key), nil
	}
	n, err := t.frame.log.Tally(t.id, key)
	if err != nil {
		err = late(err)
	}
	return n, err
}

// LongTerm returns the long-term memory that the graph was given. The error is
// ErrNoStore if it was given none.
func LongTerm(ctx context.Context) (checkpoint.Items, error) {
	t, err := taskOf(ctx)
	if err != nil {
		return nil, err
	}
	if t.frame.items == nil {
		return nil, fmt.Errorf("graph: node %q: long-term memory: %w; set Config.Items", t.node().name, ErrNoStore)
	}
	return t.frame.items, nil
}

// memory is what tasks keep in a run without a store, for the step at work.
type memory struct {
	used  atomic.Bool
	mu    sync.Mutex
	kept  map[string]json.RawMessage
	tally map[string]int
}

func (m *memory) count(key string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tally == nil {
		m.tally = map[string]int{}
	}
	m.used.Store(true)
	m.tally[key]++
	return m.tally[key]
}

func (m *memory) recall(key string) (json.RawMessage, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.kept[key]
	return v, ok
}

func (m *memory) keep(key string, value json.RawMessage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept == nil {
		m.kept = map[string]json.RawMessage{}
	}
	m.used.Store(true)
	m.kept[key] = value
}

// clear forgets what was kept: the step is over.
func (m *memory) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept, m.tally = nil, nil
	m.used.Store(false)
}

func (t *taskContext) recalled(key string) (json.RawMessage, bool, error) {
	if t.frame.log == nil {
		v, ok := t.frame.memory.recall(t.frame.place(t.id) + ":" + key)
		return v, ok, nil
	}
	v, ok, err := t.frame.log.Recalled(t.id, key)
	if err != nil {
		err = late(err)
	}
	return v, ok, err
}

func (t *taskContext) keep(key string, value json.RawMessage) error {
	if t.frame.log == nil {
		t.frame.memory.keep(t.frame.place(t.id)+":"+key, value)
		return nil
	}
	if err := t.frame.log.Keep(t.id, key, value); err != nil {
		return late(err)
	}
	return nil
}
