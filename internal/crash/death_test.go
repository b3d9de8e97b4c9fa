package crash_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/graph"
)

// moment is when a process kills itself.
type moment int

const (
	beforeAppend moment = iota // to the log
	afterAppend                // once it was carried out
	afterTelling               // others were told, and how far they were is not kept
)

var momentNames = [...]string{"before", "after", "told"}

// death is a store in a process that kills itself at the N-th of some moments.
type death struct {
	checkpoint.Store `json:"-"`

	When  moment
	N     int64  // from 1 on; 0: never
	Will  string // the file that says what the log holds, written before death; "": none
	count [len(momentNames)]atomic.Int64

	mu   sync.Mutex
	held holding
}

// rule makes d that of a store, with what its log holds.
func (d *death) rule(ctx context.Context, s checkpoint.Store) error {
	l, err := s.Load(ctx, checkpoint.Log{Thread: thread}, 0)
	if err != nil && !errors.Is(err, checkpoint.ErrNotFound) {
		return err
	}
	if err == nil {
		d.held.take(l)
	}
	d.Store = s
	return nil
}

// meet counts a moment, and dies at its N-th. A nil death does nothing.
func (d *death) meet(m moment) {
	if d == nil || d.count[m].Add(1) != d.N || m != d.When {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.Will != "" {
		if err := d.held.write(d.Will); err != nil {
			panic(err)
		}
	}
	d.die()
}

// holding is what the thread's own log holds: what the store has said that it
// has appended.
type holding struct {
	Head    int64
	Pending map[string]bool // the keys behind it
}

// take makes h what was loaded.
func (h *holding) take(l *checkpoint.Loaded) {
	*h = holding{Head: l.Head}
	h.add([]checkpoint.Part{{Pending: l.Pending}})
}

// add carries an append out.
func (h *holding) add(parts []checkpoint.Part) {
	for _, p := range parts {
		if p.NS != "" {
			continue
		}
		for _, c := range p.Commits {
			h.Head, h.Pending = c.Seq, nil
		}
		for _, e := range p.Pending {
			if h.Pending == nil {
				h.Pending = map[string]bool{}
			}
			h.Pending[e.Key] = true
			if e.Body == nil {
				delete(h.Pending, e.Key)
			}
		}
	}
}

func (h *holding) write(path string) error {
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

type deathWriter struct {
	checkpoint.Writer
	d *death
}

func (d *death) Claim(ctx context.Context, thread string, busy checkpoint.Busy) (checkpoint.Writer, error) {
	w, err := d.Store.Claim(ctx, thread, busy)
	if err != nil {
		return nil, err
	}
	return &deathWriter{w, d}, nil
}

func (w *deathWriter) Append(ctx context.Context, parts []checkpoint.Part) error {
	w.d.meet(beforeAppend)
	err := w.Writer.Append(ctx, parts)
	if err == nil {
		w.d.mu.Lock()
		w.d.held.add(parts)
		w.d.mu.Unlock()
	}
	w.d.meet(afterAppend)
	return err
}

// die kills the process. Nothing is cleared away.
func (d *death) die() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {}
}

// planStride is at which appends the long plan is killed on every day.
const planStride = 17

// TestKilledAtEveryAppendX50 kills a process at each append to the log of
// sessions with handoffs, before and behind it. What it has left is gone on with
// and comes to the same state, rows and messages as an undisturbed session. In the
// plan no step is done twice.
func TestKilledAtEveryAppendX50(t *testing.T) {
	t.Parallel()
	if unwatched(t) {
		return
	}
	step := int64(1)
	if testing.Short() {
		step = 5
	}
	for i, name := range []string{"chain", "spawn", "calls", "steps"} {
		step := step
		if name == "steps" {
			step = int64(everyNth(planStride))
		}
		for k, when := range []moment{beforeAppend, afterAppend} {
			t.Run(name+"/"+momentNames[when], func(t *testing.T) {
				t.Parallel()
				ref, n := undisturbed(t, name, graph.DurabilitySync), 1+int64(i+k*8)%step
				for {
					l := &life{graph: name, dir: t.TempDir(), ref: ref, rng: rand.New(rand.NewPCG(uint64(n), 0))}
					killed, err := l.die(t.Context(), &death{When: when, N: n})
					require.NoError(t, err, "append %d", n)
					if !killed {
						break
					}
					n += step
				}
				t.Logf("%d appends", n-1)
				require.Greater(t, n, int64(10))
			})
		}
	}
}

// die lets a process begin the thread and kill itself, then takes the thread to
// its end. It reports whether the process has died before.
func (l *life) die(ctx context.Context, how *death) (killed bool, err error) {
	d, err := newDrive(l.graph, &world{ledger: &ledger{path: l.dir}}, l.mode)
	if err != nil {
		return false, err
	}
	c, err := start(&order{Dir: l.dir, Graph: l.graph, Mode: l.mode, Turn: 1, Move: move{Fresh: true}, Death: how})
	if err == nil {
		killed, err = c.end()
	}
	if err != nil {
		return killed, err
	}
	w := &watch{mode: l.mode}
	d.world.ledger.turn = 1
	if _, err := l.look(ctx, d, w, true); err != nil || l.over {
		return killed, err
	}
	s, err := sqlite.Open(ctx, fileIn(l.dir), nil)
	if err != nil {
		return killed, err
	}
	if err := d.finish(ctx, s); err != nil {
		return killed, err
	}
	if err := s.Close(); err != nil {
		return killed, err
	}
	_, err = l.look(ctx, d, w, true)
	if err == nil && !l.over {
		err = fmt.Errorf("the thread is not done")
	}
	return killed, err
}
