package crash_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/graph"
)

var (
	kills = flag.Int("kills", 1000, "how often processes are killed, over all graphs")
	seed  = flag.Uint64("seed", 0, "what the moments of kills are drawn from; 0: the time")
)

// life is a thread whose processes are killed until it is done.
type life struct {
	graph string
	mode  graph.Durability
	dir   string
	ref   *reference
	pace  *pace
	rng   *rand.Rand

	most  int    // kills that there may be; then the thread is left in peace
	stale int    // turns that have brought nothing
	over  bool   // the thread is done, and proven
	mark  string // how far the thread had come before the last turn
	kills int    // how many there were
	again int    // how often a task was begun again
}

// pace is how long an undisturbed turn takes, at most.
type pace struct {
	open, run time.Duration // until the file is open; then until the run has ended
}

// draw returns a moment to be killed at: early on some times, so that the
// opening of the file is met too.
func (l *life) draw() (from string, d time.Duration) {
	if l.rng.IntN(8) == 0 {
		return saysUp, time.Duration(l.rng.Int64N(int64(l.pace.open) + 1))
	}
	span := l.pace.run
	if l.most >= 20 {
		span /= 3
	}
	span *= time.Duration(1 + l.stale/4) // more if the thread does not get on
	if l.mode == graph.DurabilityExit {  // a run that is killed begins anew
		span = l.pace.run * 4 / 3 * time.Duration(1+l.stale/16)
	}
	return saysOpen, time.Duration(l.rng.Int64N(int64(span) + 1))
}

// mostLives is more turns than any thread needs that is killed again and again.
const mostLives = 400

// live takes the thread to its end.
func (l *life) live(ctx context.Context) error {
	d, err := newDrive(l.graph, &world{ledger: &ledger{path: l.dir}}, l.mode)
	if err != nil {
		return err
	}
	w := &watch{mode: l.mode}
	for turn := 1; turn < mostLives; turn++ {
		m, err := l.look(ctx, d, w, turn > 1)
		if err == nil && l.over {
			return nil
		}
		if err == nil {
			err = l.turn(&order{Dir: l.dir, Graph: l.graph, Mode: l.mode, Turn: turn, Move: m})
		}
		if err != nil {
			return fmt.Errorf("turn %d (%s): %w", turn, l.dir, err)
		}
	}
	return fmt.Errorf("the thread is not done after %d turns", mostLives)
}

// turn lets a child make a move, and kills it.
func (l *life) turn(o *order) error {
	from, d := l.draw()
	c, err := start(o)
	if err != nil {
		return err
	}
	if l.kills >= l.most {
		_, err = c.end()
		return err
	}
	if !c.await(from) {
		d = 0
	}
	killed, err := c.killAfter(d)
	if killed {
		l.kills++
	}
	return err
}

// look says what is wrong with what a process has left behind, and else what
// is to be done next, unless the thread is over.
func (l *life) look(ctx context.Context, d *drive, w *watch, begun bool) (m move, err error) {
	early := l.rng.IntN(2) == 0 && begun // before the store looks at the file, which may repair it, or behind
	if early {
		if err := intact(ctx, fileIn(l.dir)); err != nil {
			return m, err
		}
	}
	s, err := sqlite.Open(ctx, fileIn(l.dir), nil)
	if err != nil {
		return m, err
	}
	defer func() {
		if err = errors.Join(err, s.Close()); err == nil && !early {
			err = intact(ctx, fileIn(l.dir))
		}
	}()
	writer, err := s.Claim(ctx, thread, checkpoint.Reject)
	if err != nil {
		return m, fmt.Errorf("the thread is not free: %w", err)
	}
	if err := errors.Join(writer.Release(), s.Check(ctx)); err != nil {
		return m, err
	}
	c, err := read(ctx, d.graph, s, thread, past)
	if err != nil {
		return m, err
	}
	if err := errors.Join(l.ref.begins(c), d.plans(ctx, s)); err != nil {
		return m, err
	}
	l.progress(c)
	lines, err := d.world.ledger.effects()
	if err == nil && begun {
		err = w.after(lines, c)
	}
	if err != nil {
		return m, err
	}
	if m, err = d.next(ctx, s); errors.Is(err, errOver) {
		l.over = true
		return m, l.settle(ctx, d, s, w, lines)
	}
	return m, err
}

// progress counts the turns that have brought nothing.
func (l *life) progress(c *chronicle) {
	mark := ""
	if c != nil {
		mark = fmt.Sprint(c.heads, c.done, c.open)
	}
	if l.stale++; mark != l.mark {
		l.mark, l.stale = mark, 0
	}
}

// settle says what is wrong at the end.
func (l *life) settle(ctx context.Context, d *drive, s checkpoint.Store, w *watch, lines []effect) error {
	c, err := read(ctx, d.graph, s, thread, whole)
	if err == nil {
		err = errors.Join(d.tell(ctx, s), d.table(ctx, s, fileIn(l.dir)))
	}
	if err != nil {
		return err
	}
	for _, e := range lines {
		if e.sort == effectTask {
			l.again++
		}
	}
	for e := range l.ref.effects {
		if e.sort == effectTask {
			l.again--
		}
	}
	if err := errors.Join(l.ref.equals(c), l.ref.outcome(d.world.ledger, lines), w.check(l.ref, lines)); err != nil {
		return fmt.Errorf("%s: %w: %w", l.dir, errWrong, err)
	}
	return nil
}

var errWrong = errors.New("what has come out is not what an undisturbed run comes to")

// measure lets processes take a thread to its end, which nobody kills.
func measure(t *testing.T, name string, mode graph.Durability) *pace {
	ctx, dir := t.Context(), t.TempDir()
	d, err := newDrive(name, &world{ledger: &ledger{path: dir}}, mode)
	require.NoError(t, err)
	p := &pace{}
	for turn := 1; ; turn++ {
		s, err := sqlite.Open(ctx, fileIn(dir), nil)
		require.NoError(t, err)
		m, err := d.next(ctx, s)
		require.NoError(t, s.Close())
		if errors.Is(err, errOver) {
			return p
		}
		require.NoError(t, err)
		c, err := start(&order{Dir: dir, Graph: name, Mode: mode, Turn: turn, Move: m})
		require.NoError(t, err)
		require.True(t, c.await(saysDone))
		require.True(t, c.lines.Scan())
		var open, run time.Duration
		_, err = fmt.Sscanf(c.lines.Text(), saysTook+" %d %d", &open, &run)
		require.NoError(t, err, c.lines.Text())
		p.open, p.run = max(p.open, open), max(p.run, run)
		_, err = c.end()
		require.NoError(t, err)
	}
}

func TestKilledProcesses(t *testing.T) {
	t.Parallel()
	if unwatched(t) {
		return
	}
	t.Logf("-seed %d", *seed)
	var mu sync.Mutex
	total, again, lives := 0, 0, 0
	share := (*kills + len(modes)*len(graphNames) - 1) / (len(modes) * len(graphNames))
	t.Run("all", func(t *testing.T) {
		for i, m := range modes {
			for k, name := range graphNames {
				if share < 4 && i > 0 && (i+k)%2 == 0 {
					continue // with few kills, not all graphs in all modes
				}
				t.Run(m.name+"/"+name, func(t *testing.T) {
					t.Parallel()
					l := &life{graph: name, mode: m.mode, most: share, ref: undisturbed(t, name, m.mode), pace: measure(t, name, m.mode)}
					l.rng = rand.New(rand.NewPCG(*seed, uint64(i*len(graphNames)+k)))
					n := 0
					for ; l.kills < share; n++ {
						l.dir, l.over = t.TempDir(), false
						require.NoError(t, l.live(t.Context()))
					}
					t.Logf("%d kills of %d threads; opening %v, a run %v", l.kills, n, l.pace.open, l.pace.run)
					mu.Lock()
					total, again, lives = total+l.kills, again+l.again, lives+n
					mu.Unlock()
				})
			}
		}
	})
	t.Logf("%d kills of %d threads; tasks begun again: %d", total, lives, again)
}
