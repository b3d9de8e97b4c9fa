package journal

import (
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/internal/kernel"
	"github.com/graphrun/graphrun/state"
)

// Graph is what a journal needs of the graph that it logs the runs of.
type Graph struct {
	Plan   *kernel.Plan
	Layout *state.Layout
	Shape  func() json.RawMessage // the graph's description

	// Index makes the rows that go with a commit of the state before and after
	// it; nil: there are none.
	Index func(before, after any) ([]checkpoint.Row, error)
}

// Journal keeps the log of one run. The methods that take the machine belong
// to its owner; the others may be called by tasks.
type Journal struct {
	Graph
	queue  *Queue
	ns     string
	child  bool  // it tells the logical writes as well
	shift  int64 // from the number of a step to the commit that its tasks stand behind
	head   int64 // the newest commit, written or, in Exit mode, not
	saved  int64 // the newest commit that was handed to the queue
	base   int64
	told   string // the fingerprint that the log ends with
	since  int    // weight of the operations since base
	room   int    // weight at which a whole state is looked at
	size   int    // of the last whole state that was encoded
	rested int    // of the one that was stored
	spare  []byte // a whole state that nobody needs any more: memory for the next
	slab   []byte
	need   int                  // what was lately cut out of the slab at once
	owed   bool                 // in Exit mode: there is something to write
	last   row                  // in Exit mode: what to write
	first  int64                // in Exit mode: the commit that the run began behind, if its tasks asked
	start  any                  // in Exit mode, with an Index: the state that the run began with; nil: it has committed nothing
	rows   []checkpoint.Row     // in Exit mode: those that were adopted
	one    [1]checkpoint.Commit // used again by every step
	part   [1]checkpoint.Part

	mu    sync.Mutex
	step  int  // of the tasks at work
	asked bool // one of them has asked
	over  bool // nothing more is taken
	memo  memo
}

// row is what a commit says of itself.
type row struct {
	step   int
	source string
}

// What a commit costs beside its bytes when a state is rebuilt, and how much
// may be replayed however small the state is, in bytes.
const (
	rowWeight = 64
	floor     = 64 << 10
)

// New returns the journal of a log without commits. child says that it is a
// subgraph's.
func New(q *Queue, g Graph, ns string, child bool) *Journal {
	return &Journal{queue: q, Graph: g, ns: ns, child: child}
}

// NS returns the journal's namespace.
func (j *Journal) NS() string { return j.ns }

// Shift returns what to add to a step's number to get the commit that its
// tasks stand behind. It is the same throughout a run.
func (j *Journal) Shift() int64 { return j.shift }

// Head returns the newest commit.
func (j *Journal) Head() int64 { return j.head }

// Enter tells which step's tasks are at work. The journal must stand at the
// commit before it.
func (j *Journal) Enter(step int) {
	j.mu.Lock()
	j.step = step
	j.mu.Unlock()
	j.shift = j.head - int64(step)
}

// Commit logs a step that the machine has committed, with what is due now.
func (j *Journal) Commit(m *kernel.Machine, step int, source string) error {
	if j.queue.mode == Exit {
		j.remember(m)
		j.turn(step + 1)
		j.owed, j.last = true, row{step, source}
		return nil
	}
	if j.queue.mode == Sync {
		j.slab = j.slab[:0] // what was in it is written
	}
	c := &j.one[0]
	c.Seq, c.Parent, c.Base, c.Step, c.Source = j.head+1, j.head, j.base, step, source
	if err := j.index(c, m); err != nil {
		return err
	}
	if err := j.encode(c, m); err != nil {
		return err
	}
	part := &j.part[0]
	part.NS, part.Head, part.Commits = j.ns, j.saved, j.one[:]
	j.turn(step + 1)
	j.saved, j.base = c.Seq, c.Base
	if j.queue.mode == Async {
		return j.queue.Later(*part)
	}
	return j.queue.put(&j.part)
}

// NoteAsk notes that a task of the step at work has asked a question. It is
// stored with the step, for those who go back to give another answer.
func (j *Journal) NoteAsk() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.asked = true
}

// turn goes on to the next step.
func (j *Journal) turn(step int) {
	j.mu.Lock()
	if j.asked && j.queue.mode == Exit && j.head == j.saved {
		j.first = j.head
	}
	j.head++
	j.step, j.asked = step, false
	if j.memo.used {
		j.memo.clear()
	}
	j.mu.Unlock()
}

// Close takes nothing more, writes what is owed and waits for it. keep says
// that the log is to be kept in Exit mode too, for the run is not done.
func (j *Journal) Close(m *kernel.Machine, keep bool) error {
	j.mu.Lock()
	j.over = true
	owed := j.memo.owed
	j.mu.Unlock()
	if j.queue.mode == Exit {
		return j.closeExit(m, keep, owed)
	}
	if j.child {
		return nil // the thread's own journal waits for all
	}
	return j.queue.Flush()
}

// closeExit writes what a run in Exit mode has come to: that of a subgraph
// with that of the thread, which it would make no sense without.
func (j *Journal) closeExit(m *kernel.Machine, keep bool, owed []checkpoint.Pending) error {
	part := checkpoint.Part{NS: j.ns}
	if keep && (j.owed || len(owed) > 0) {
		part.Head, part.Pending = j.saved, owed
		if j.owed {
			c := &j.one[0]
			*c = checkpoint.Commit{Seq: j.head, Parent: j.saved, Base: j.head, Step: j.last.step, Source: j.last.source}
			if err := j.indexRun(c, m); err != nil {
				return err
			}
			if err := j.encodeWhole(c, m); err != nil {
				return err
			}
			part.Commits = j.one[:]
			j.saved, j.owed = j.head, false
		}
	}
	switch {
	case j.child:
		j.queue.Hold(part)
		return nil
	case len(part.Commits)+len(part.Pending) > 0:
		return j.queue.Put(part)
	}
	return j.queue.Flush()
}

// encode fills in Meta and Body: the step's operations, or the whole state
// where they have come to outweigh it.
func (j *Journal) encode(c *checkpoint.Commit, m *kernel.Machine) error {
	if j.base != 0 {
		if err := j.encodeStep(c, m); err != nil {
			return err
		}
		j.since += rowWeight + len(c.Meta) + len(c.Body)
		if j.since <= j.room {
			return nil
		}
	}
	body, err := j.whole(m)
	if err != nil {
		return err
	}
	if j.base != 0 && j.since <= len(body)+floor { // the operations are still the better way
		j.room, j.spare = j.nextLook(len(body)), body
		return nil
	}
	return j.rest(c, m, body)
}

// nextLook returns the weight at which a state of the size that was seen now
// will be worth storing, if it goes on to grow as it did. Looking costs as much as
// storing, so it is not done too soon, and not so late that much must be replayed.
func (j *Journal) nextLook(size int) int {
	gap := max(1, j.since-(size-j.rested)) // by which the operations outgrew the state
	next := float64(j.rested+floor) * float64(j.since) / float64(gap)
	return max(int(min(next, float64(3*j.since))), size+floor, j.since+j.since/4)
}

// encodeWhole fills in Meta and Body with the whole state.
func (j *Journal) encodeWhole(c *checkpoint.Commit, m *kernel.Machine) error {
	body, err := j.whole(m)
	if err != nil {
		return err
	}
	return j.rest(c, m, body)
}

// rest makes c a commit with a whole state.
func (j *Journal) rest(c *checkpoint.Commit, m *kernel.Machine, body []byte) (err error) {
	c.Base, c.Body, j.rested = c.Seq, body, len(body)
	if j.queue.mode == Sync { // it is written before the next one is made
		j.spare = body
	}
	j.since, j.room = 0, len(body)+floor
	c.Meta, err = j.meta(m, true)
	return err
}

func (j *Journal) encodeStep(c *checkpoint.Commit, m *kernel.Machine) error {
	var err error
	if c.Meta, err = j.meta(m, false); err != nil {
		return err
	}
	dst, exact, err := m.Store().AppendOps(j.dst())
	if err != nil {
		return fmt.Errorf("step %d cannot be stored: %w", c.Step, err)
	}
	if exact || !j.child {
		c.Body = j.cut(dst)
		return nil
	}
	both := append(append([]byte(`{"ops":`), dst...), `,"writes":`...)
	if both, err = m.Store().AppendWrites(both); err != nil {
		return err
	}
	c.Body = append(both, '}')
	return nil
}

// whole encodes the state.
func (j *Journal) whole(m *kernel.Machine) ([]byte, error) {
	room := j.spare[:0]
	if most := max(256, j.size+j.size/4, j.size+j.since/2); cap(room) < most {
		room = make([]byte, 0, most)
	}
	dst, err := append(room, wholePrefix...), error(nil)
	if j.child {
		if dst, err = m.Store().AppendDiff(append(room, `{"diff":`...)); err != nil {
			return nil, err
		}
		dst = append(dst, `,"state":`...)
	}
	if dst, err = j.Layout.AppendState(dst, m.Store().State()); err != nil {
		return nil, fmt.Errorf("the state cannot be stored: %w", err)
	}
	j.size, j.spare = len(dst)+1, nil
	return append(dst, '}'), nil
}

// meta encodes what is due, and the graph if the log does not tell of it yet
// or the commit is to stand for all before it.
func (j *Journal) meta(m *kernel.Machine, whole bool) ([]byte, error) {
	dst, err := m.AppendFrontier(append(j.dst(), `{"due":`...), j.Layout)
	if err != nil {
		return nil, err
	}
	behind := j.first
	if j.queue.mode != Exit && j.asked { // the tasks that may note it have ended
		behind = j.head
	}
	if behind != 0 {
		dst = strconv.AppendInt(append(dst, `,"asked":`...), behind, 10)
	}
	if whole || j.told != j.Plan.Print {
		dst = append(append(append(dst, `,"graph":"`...), j.Plan.Print...), '"')
		if v := j.Layout.Version(); v != 0 {
			dst = strconv.AppendInt(append(dst, `,"version":`...), int64(v), 10)
		}
	}
	if j.told != j.Plan.Print && !j.child { // the thread's own log tells it for all
		dst = append(append(dst, `,"shape":`...), j.Shape()...)
	}
	j.told = j.Plan.Print
	return j.cut(append(dst, '}')), nil
}

// dst returns room to append to, for as much as is usual.
func (j *Journal) dst() []byte {
	if room := min(max(256, j.need), 16<<10); cap(j.slab)-len(j.slab) < room {
		j.slab = make([]byte, 0, min(max(1024, 2*cap(j.slab), 4*room), 64<<10))
	}
	return j.slab[len(j.slab):]
}

// cut takes what was appended to dst out of the slab. What did not fit has
// memory of its own.
func (j *Journal) cut(b []byte) []byte {
	j.need = max(len(b), j.need-j.need/8)
	if room := j.slab[len(j.slab):cap(j.slab)]; len(b) <= len(room) && len(b) > 0 && &b[0] == &room[0] {
		j.slab = j.slab[:len(j.slab)+len(b)]
	}
	return b[:len(b):len(b)]
}
