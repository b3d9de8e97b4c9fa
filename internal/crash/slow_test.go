package crash_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
)

// sluggish is a store that takes its time to write, now more, now less.
type sluggish struct {
	checkpoint.Store

	mu  sync.Mutex
	rng *rand.Rand
}

type sluggishWriter struct {
	checkpoint.Writer
	store *sluggish
}

func (s *sluggish) Claim(ctx context.Context, thread string, busy checkpoint.Busy) (checkpoint.Writer, error) {
	w, err := s.Store.Claim(ctx, thread, busy)
	if err != nil {
		return nil, err
	}
	return &sluggishWriter{w, s}, nil
}

func (w *sluggishWriter) Append(ctx context.Context, parts []checkpoint.Part) error {
	w.store.mu.Lock()
	d := time.Duration(w.store.rng.IntN(3)) * time.Millisecond
	w.store.mu.Unlock()
	time.Sleep(d)
	return w.Writer.Append(ctx, parts)
}

// TestSlowStore runs all graphs on a store that is slower than they are: what
// is on its way to the store must count as if it were there.
func TestSlowStore(t *testing.T) {
	t.Parallel()
	for _, mode := range modes {
		for _, name := range graphNames {
			t.Run(mode.name+"/"+name, func(t *testing.T) {
				ref := undisturbed(t, name, mode.mode)
				memory := checkpoint.NewMemory(nil)
				s := &strike{graph: name, mode: mode.mode, ref: ref, store: memory}
				d, err := newDrive(name, &world{ledger: &ledger{}}, mode.mode)
				require.NoError(t, err)
				slow := &sluggish{Store: memory, rng: rand.New(rand.NewPCG(1, 2))}
				w := &watch{mode: mode.mode}
				for {
					m, err := d.next(t.Context(), memory)
					if errors.Is(err, errOver) {
						break
					}
					require.NoError(t, err)
					d.world.ledger.begin()
					require.NoError(t, expected(d.run(t.Context(), slow, m)))
					require.NoError(t, s.look(t.Context(), d, w))
				}
				require.NoError(t, s.settle(t.Context(), d, w))
				require.Equal(t, ref.turns, d.world.ledger.turn)
			})
		}
	}
}
