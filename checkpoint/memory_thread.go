package checkpoint

import (
	"maps"
	"slices"
	"sync"
)

// thread is a thread in memory: its logs, its writer, and who waits for him
// to go.
type thread struct {
	store *Memory
	name  string

	mu     sync.Mutex
	dead   bool // the store no longer has it
	logs   map[string]*memoryLog
	writer *memoryWriter
	line   []*turn // those who take over, then those who wait, in turn
}

// turn is one place in the line of those who wait for a thread.
type turn struct {
	takeOver bool
	granted  chan *memoryWriter // holds one
}

// claim returns a writer, or a place in the line, or neither if the thread is
// busy and the claim will not wait. The lock is held.
func (t *thread) claim(busy Busy) (*memoryWriter, *turn) {
	switch {
	case t.writer == nil:
		return t.grant(), nil
	case busy == Reject:
		return nil, nil
	}
	wait := &turn{takeOver: busy == TakeOver, granted: make(chan *memoryWriter, 1)}
	place := len(t.line)
	if wait.takeOver {
		t.writer.fence()
		if i := slices.IndexFunc(t.line, func(other *turn) bool { return !other.takeOver }); i >= 0 {
			place = i
		}
	}
	t.line = slices.Insert(t.line, place, wait)
	return nil, wait
}

// grant makes the next writer; the lock is held.
func (t *thread) grant() *memoryWriter {
	t.writer = &memoryWriter{thread: t, lost: make(chan struct{}), clock: clock{now: t.store.now}}
	return t.writer
}

// leave gives a place in the line up; what was granted in the meantime is
// released.
func (t *thread) leave(wait *turn) {
	t.mu.Lock()
	i := slices.Index(t.line, wait)
	if i >= 0 {
		t.line = slices.Delete(t.line, i, i+1)
	}
	t.mu.Unlock()
	if i < 0 {
		_ = (<-wait.granted).Release() // never fails
	}
}

// next hands the thread to the first one in the line, if there is one. The
// lock is held.
func (t *thread) next() {
	t.writer = nil
	if len(t.line) == 0 {
		return
	}
	first := t.line[0]
	t.line = slices.Delete(t.line, 0, 1)
	first.granted <- t.grant()
	if len(t.line) > 0 && t.line[0].takeOver {
		t.writer.fence()
	}
}

// infos describes the logs of the thread that a query asks for.
func (t *thread) infos(q *LogQuery) []LogInfo {
	t.mu.Lock()
	defer t.mu.Unlock()
	var infos []LogInfo
	for _, ns := range slices.Sorted(maps.Keys(t.logs)) {
		if q.Limit > 0 && len(infos) == q.Limit {
			break
		}
		if behindLog(t.name, ns, q.After) {
			infos = append(infos, t.logs[ns].info(Log{Thread: t.name, NS: ns}))
		}
	}
	return infos
}

// behindLog reports whether a log comes after another one; all come after the
// zero one.
func behindLog(thread, ns string, after Log) bool {
	if thread != after.Thread {
		return thread > after.Thread
	}
	return ns > after.NS
}

// own appends the description of the thread's own log, if there is one.
func (t *thread) own(infos []LogInfo) []LogInfo {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l := t.logs[""]; l != nil {
		infos = append(infos, l.info(Log{Thread: t.name}))
	}
	return infos
}

// clone returns logs with the same contents.
func (t *thread) clone() map[string]*memoryLog {
	t.mu.Lock()
	defer t.mu.Unlock()
	logs := make(map[string]*memoryLog, len(t.logs))
	for ns, l := range t.logs {
		logs[ns] = l.clone()
	}
	return logs
}
