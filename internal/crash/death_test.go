package crash_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/graph"
)

// death is a store in a process that kills itself at the N-th append: before
// it, or once it was carried out.
type death struct {
	checkpoint.Store `json:"-"`

	N     int64
	After bool
	count atomic.Int64
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
	last := w.d.count.Add(1) == w.d.N
	if last && !w.d.After {
		w.d.die()
	}
	err := w.Writer.Append(ctx, parts)
	if last {
		w.d.die()
	}
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

// TestKilledAtEveryAppendX50 kills a process at each append to the log of
// sessions with handoffs, before and behind it. What it has left is gone on with
// and comes to the same state, rows and messages as an undisturbed session.
func TestKilledAtEveryAppendX50(t *testing.T) {
	t.Parallel()
	step := int64(1)
	if testing.Short() {
		step = 5
	}
	for i, name := range []string{"chain", "spawn", "calls"} {
		for k, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/after=%v", name, after), func(t *testing.T) {
				t.Parallel()
				ref, n := undisturbed(t, name, graph.DurabilitySync), 1+int64(i+k)%step
				for {
					l := &life{graph: name, dir: t.TempDir(), ref: ref, rng: rand.New(rand.NewPCG(uint64(n), 0))}
					killed, err := l.die(t.Context(), &death{N: n, After: after})
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
