package crash_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
)

// wellDone is what an errand comes to that nobody disturbs.
type wellDone struct {
	*reference
	errand *errand
	end    Desk
	know   map[string]reply // how requests were answered
	due    []string         // what it pays for
	count  [len(instantNames)]int64
}

// undisturbedErrand plays an errand to its end on a file.
func undisturbedErrand(t *testing.T, e *errand, mode graph.Durability) *wellDone {
	t.Helper()
	ctx, x := t.Context(), openExchange(t, e.name, nil)
	s := &stage{Errand: e.name, Dir: t.TempDir(), URL: x.url(1), Life: 1, Mode: mode}
	store, err := sqlite.Open(ctx, fileIn(s.Dir), &sqlite.Config{Synchronous: sqlite.Normal})
	require.NoError(t, err)
	require.NoError(t, s.play(ctx, store))
	g, err := e.make(s)
	require.NoError(t, err)
	end, err := read(ctx, g, store, thread, whole)
	require.NoError(t, err)
	snap, err := g.On(store, nil).State(ctx, thread, "")
	require.NoError(t, err)
	require.NoError(t, store.Close())
	w := &wellDone{reference: &reference{chronicle: end, mode: mode, every: end.rows}, errand: e, end: snap.Values, know: map[string]reply{}}
	for i := range w.count {
		w.count[i] = s.count[i].Load()
	}
	for _, r := range x.requests() {
		require.NotContains(t, w.know, r.text, "two requests are the same")
		w.know[r.text] = r.reply
		w.due = append(w.due, r.name)
	}
	for i := modelAsked; i <= modelAnswered; i++ {
		w.count[i] = int64(len(w.know))
	}
	a := newAccount()
	require.NoError(t, a.enter(s.Dir, x.requests(), w.know))
	w.due = slices.Sorted(maps.Keys(a.paid))
	text, err := heldIn(s.Dir, &checkpoint.Loaded{})
	require.NoError(t, err)
	a.see(1, w.due, text)
	require.NoError(t, a.check(w.due))
	require.Zero(t, a.again())
	return w
}

// hits are all that a process can be killed at. Of results side by side that are
// kept one by one or several at once there may be some more.
func (w *wellDone) hits() (out []hit) {
	for i, n := range w.count {
		if instant(i) <= afterKeeping {
			n += 2
		}
		for k := range n {
			out = append(out, hit{instant(i), k + 1})
		}
	}
	return out
}

// sure says that a first life has the hit, whatever comes first side by side. One
// that has its last answer may be done before it is killed.
func (w *wellDone) sure(h hit) bool {
	return h.When > afterKeeping && h.When != modelAnswered || h.N <= 1 || w.mode == graph.DurabilitySync && h.N <= int64(len(w.rows))
}

// pair draws a hit, and one for the process that goes on behind it.
func (w *wellDone) pair(rng *rand.Rand) []hit {
	hits := w.hits()
	first, second := hits[rng.IntN(len(hits))], hits[rng.IntN(len(hits))]
	second.N = 1 + rng.Int64N(max(1, second.N))
	return []hit{first, second}
}

// fates are all that is done to the errand's processes. Where people are asked one
// of them dies while the question is open, too, and then the one that answers.
func (w *wellDone) fates() (out [][]hit) {
	for _, h := range w.hits() {
		out = append(out, []hit{h})
		open := hit{personAsked, 1}
		for k := range w.errand.asks {
			if h.N <= w.count[h.When]*int64(w.errand.asks-k)/int64(w.errand.asks+1) {
				out = append(out, append(slices.Repeat([]hit{open}, k+1), h))
			}
		}
	}
	return out
}

// sufferer is an errand whose processes are killed.
type sufferer struct {
	*wellDone
	dir string
	x   *exchange
	*account
	graph *graph.Graph[Desk]
	kills []instant // that there were
}

func newSufferer(t *testing.T, w *wellDone) (*sufferer, error) {
	s := &sufferer{wellDone: w, dir: t.TempDir(), x: openExchange(t, w.errand.name, w.know), account: newAccount()}
	var err error
	s.graph, err = w.errand.make(&stage{URL: s.x.url(0), Dir: s.dir})
	return s, err
}

// suffer lets one process after the other play the errand and be killed, then one
// play it to its end, and looks at what each has left.
func (s *sufferer) suffer(ctx context.Context, fate []hit) error {
	for life := 1; ; life++ {
		var h hit
		if life <= len(fate) {
			h = fate[life-1]
		}
		killed, err := s.process(life, h)
		if err == nil {
			err = s.visit(ctx, past, func(l *checkpoint.Loaded, c *chronicle) error { return errors.Join(s.begins(c), s.saw(life, l)) })
		}
		switch {
		case err != nil:
			return fmt.Errorf("life %d, of %v: %w", life, fate, err)
		case !killed && h.N > 0 && life == 1 && s.sure(h):
			return fmt.Errorf("%v does not come", h)
		case !killed:
			return s.settle(ctx)
		}
		s.kills = append(s.kills, h.When)
	}
}

// process lets a new process play until it is killed, or done.
func (s *sufferer) process(life int, h hit) (killed bool, err error) {
	o := &order{Dir: s.dir, Errand: &stage{Errand: s.errand.name, Dir: s.dir, URL: s.x.url(life), Life: life, Mode: s.mode, Hit: h}}
	c, err := s.x.start(o)
	if err != nil {
		return false, err
	}
	return c.end()
}

// visit looks at the file as it was left, and reads the thread, which must be free.
func (s *sufferer) visit(ctx context.Context, much int, do func(*checkpoint.Loaded, *chronicle) error) error {
	if err := intact(ctx, fileIn(s.dir)); err != nil {
		return err
	}
	store, err := sqlite.Open(ctx, fileIn(s.dir), nil)
	if err != nil {
		return err
	}
	w, err := store.Claim(ctx, thread, checkpoint.Reject)
	if err != nil {
		return errors.Join(fmt.Errorf("the thread is not free: %w", err), store.Close())
	}
	l, err := store.Load(ctx, checkpoint.Log{Thread: thread}, 0)
	c, bad := read(ctx, s.graph, store, thread, much)
	if err = errors.Join(w.Release(), err, bad, store.Check(ctx)); err == nil {
		err = do(l, c)
	}
	return errors.Join(err, store.Close())
}

// saw notes what is kept at the end of a life.
func (s *sufferer) saw(life int, l *checkpoint.Loaded) error {
	text, err := heldIn(s.dir, l)
	s.see(life, s.due, text)
	return err
}

// settle says what is wrong at the end: the checkpoints with all fields, the
// commits and the rows must be those of the undisturbed errand, and nothing was
// paid again that was kept.
func (s *sufferer) settle(ctx context.Context) error {
	return s.visit(ctx, whole, func(_ *checkpoint.Loaded, c *chronicle) error {
		rows := tableOf(ctx, fileIn(s.dir), thread, handoffs.LogOf(s.end.HandoffLog))
		return errors.Join(s.equals(c), rows, s.enter(s.dir, s.x.requests(), s.know), s.check(s.due))
	})
}
