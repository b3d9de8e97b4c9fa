package checkpoint

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Memory is a Store that keeps everything in this process's memory, for tests
// and for runs that need not outlive it. It keeps the bytes that it is given
// without copying them, ignores rows once it has seen that they are
// well-formed, and need not be closed. Make one with NewMemory.
type Memory struct {
	now func() time.Time // nil: the system's

	mu      sync.RWMutex       // taken before that of a thread, if both are
	threads map[string]*thread // those that have commits, a writer, or both
}

// MemoryConfig says how what is kept in memory works. Its zero value will do.
type MemoryConfig struct {
	// Now tells the time; nil: the system's clock. It is called by many
	// goroutines at once.
	Now func() time.Time
}

// NewMemory returns an empty store; nil stands for a zero MemoryConfig.
func NewMemory(cfg *MemoryConfig) *Memory {
	m := &Memory{threads: map[string]*thread{}}
	if cfg != nil {
		m.now = cfg.Now
	}
	return m
}

// HasTables returns false: rows are dropped.
func (m *Memory) HasTables() bool { return false }

// Claim makes the caller the thread's only writer. Those who wait are served
// in turn, those who take over before those who only wait. Who takes over
// waits for the Release of the writer before him.
func (m *Memory) Claim(ctx context.Context, name string, busy Busy) (Writer, error) {
	if err := CheckThread(name); err != nil {
		return nil, err
	}
	if busy > TakeOver {
		return nil, fmt.Errorf("checkpoint: %w: a claim of thread %q that knows no way %d to treat its writer", ErrInvalid, name, busy)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("checkpoint: claiming thread %q: %w", name, err)
	}
	t := m.open(name)
	w, wait := t.claim(busy)
	t.mu.Unlock()
	switch {
	case w != nil:
		return w, nil
	case wait == nil:
		return nil, fmt.Errorf("checkpoint: thread %q: %w", name, ErrBusy)
	}
	select {
	case w := <-wait.granted:
		return w, nil
	case <-ctx.Done():
		t.leave(wait)
		return nil, fmt.Errorf("checkpoint: waiting for thread %q: %w", name, ctx.Err())
	}
}

// open returns the thread of a name, locked; a new one if there is none.
func (m *Memory) open(name string) *thread {
	for {
		t := m.find(name)
		if t == nil {
			t = m.add(name)
		}
		t.mu.Lock()
		if !t.dead {
			return t
		}
		t.mu.Unlock()
	}
}

func (m *Memory) find(name string) *thread {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.threads[name]
}

func (m *Memory) add(name string) *thread {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.threads[name]
	if t == nil {
		t = &thread{store: m, name: name, logs: map[string]*memoryLog{}}
		m.threads[name] = t
	}
	return t
}

// sweep forgets a thread that has neither a writer nor commits.
func (m *Memory) sweep(t *thread) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.dead && t.writer == nil && len(t.logs) == 0 {
		m.drop(t)
	}
}

// drop forgets a thread; both locks are held.
func (m *Memory) drop(t *thread) {
	t.dead, t.logs = true, nil
	delete(m.threads, t.name)
}

// Load returns a commit with all that it rests on.
func (m *Memory) Load(ctx context.Context, log Log, at int64) (*Loaded, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("checkpoint: loading thread %q: %w", log.Thread, err)
	}
	loaded := &Loaded{}
	found := at == 0
	if t := m.find(log.Thread); t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		if l := t.logs[log.NS]; l != nil {
			loaded, found = l.load(at)
		}
	}
	if !found {
		return nil, missing(log, at)
	}
	return loaded, nil
}

func missing(log Log, at int64) error {
	return fmt.Errorf("checkpoint: thread %q, namespace %q: commit %d: %w", log.Thread, log.NS, at, ErrNotFound)
}

// List returns the commits of a log, newest first.
func (m *Memory) List(ctx context.Context, q Query) ([]Commit, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("checkpoint: listing thread %q: %w", q.Thread, err)
	}
	t := m.find(q.Thread)
	if t == nil {
		return nil, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.logs[q.NS]
	if l == nil {
		return nil, nil
	}
	return l.list(&q), nil
}

// Logs returns what logs there are. Threads that come or go meanwhile may be
// among them or not.
func (m *Memory) Logs(ctx context.Context, q LogQuery) ([]LogInfo, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("checkpoint: listing logs: %w", err)
	}
	if q.Thread != "" {
		t := m.find(q.Thread)
		if t == nil {
			return nil, nil
		}
		return t.infos(&q), nil
	}
	var infos []LogInfo
	for _, name := range m.names(q.After.Thread) {
		if q.Limit > 0 && len(infos) == q.Limit {
			break
		}
		if t := m.find(name); t != nil {
			infos = t.own(infos)
		}
	}
	return infos, nil
}

// names returns the names of the threads behind one, sorted.
func (m *Memory) names(after string) []string {
	m.mu.RLock()
	names := make([]string, 0, len(m.threads))
	for name := range m.threads {
		if name > after {
			names = append(names, name)
		}
	}
	m.mu.RUnlock()
	slices.Sort(names)
	return names
}

// Copy copies a thread; one that has a writer as it is between two appends.
// Copying to a thread that has a writer, but no commits, fails with ErrBusy.
func (m *Memory) Copy(ctx context.Context, from, to string) error {
	if err := CheckThread(to); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("checkpoint: copying thread %q: %w", from, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	source := m.threads[from]
	if source == nil {
		return fmt.Errorf("checkpoint: copying thread %q: %w", from, ErrNotFound)
	}
	logs := source.clone()
	if len(logs) == 0 {
		return fmt.Errorf("checkpoint: copying thread %q: %w", from, ErrNotFound)
	}
	if err := m.vacate(to); err != nil {
		return fmt.Errorf("checkpoint: copying to thread %q: %w", to, err)
	}
	m.threads[to] = &thread{store: m, name: to, logs: logs}
	return nil
}

// vacate sees to it that no thread has a name; the store's lock is held.
func (m *Memory) vacate(name string) error {
	t := m.threads[name]
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case len(t.logs) > 0:
		return ErrExists
	case t.writer != nil:
		return ErrBusy
	}
	m.drop(t)
	return nil
}

// Delete removes a thread that has no writer.
func (m *Memory) Delete(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("checkpoint: deleting thread %q: %w", name, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.threads[name]
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.writer != nil {
		return fmt.Errorf("checkpoint: deleting thread %q: %w", name, ErrBusy)
	}
	m.drop(t)
	return nil
}
