package crash_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// matrix counts what was done to sessions.
type matrix struct {
	lives, killed, again atomic.Int64
}

// suffer lets a session of its own suffer some blows, in a directory that is made
// for it, and reports whether the first one fell.
func (m *matrix) suffer(t *testing.T, dir, session string, calm *calm, blows ...blow) bool {
	t.Helper()
	v := &victim{session: session, mode: calm.mode, calm: calm, dir: dir}
	require.NoError(t, os.MkdirAll(dir, 0o700))
	killed, err := v.suffer(t.Context(), blows...)
	require.NoError(t, err)
	if calm.sure(blows[0]) {
		require.Positive(t, killed, "%v does not come", blows)
	}
	if slices.ContainsFunc(blows[:killed], func(b blow) bool { return b.When == afterTelling }) {
		require.Positive(t, v.again, "nothing was told again behind %v", blows)
	}
	require.NoError(t, os.RemoveAll(dir))
	m.lives.Add(1)
	m.killed.Add(int64(killed))
	m.again.Add(int64(v.again))
	return killed > 0
}

func (m *matrix) report(t *testing.T, what string) {
	t.Logf("%s: %d sessions, %d kills; told again and dropped: %d", what, m.lives.Load(), m.killed.Load(), m.again.Load())
}

// sessionStride is at which moments sessions are killed on every day.
const sessionStride = 7

// TestSessionsKilledAtEveryAppendX50 kills the process of a session at each
// append to its log, before it and behind it, and whenever others were told and
// the position is not kept yet; in some sessions the process that goes on too. A
// new process goes on to the end, and must come to the same state, counters, rows
// and messages as an undisturbed session; of plans no step was done twice.
func TestSessionsKilledAtEveryAppendX50(t *testing.T) {
	t.Parallel()
	if unwatched(t) {
		return
	}
	step := everyNth(sessionStride)
	for _, mode := range modes[:2] {
		once, twice := &matrix{}, &matrix{}
		t.Run(mode.name, func(t *testing.T) {
			for i, s := range sessions {
				t.Run(s.file, func(t *testing.T) {
					t.Parallel()
					calm, dir := calmly(t, s.file, mode.mode), filepath.Join(t.TempDir(), "s")
					blows, rng := calm.blows(), rand.New(rand.NewPCG(*seed, uint64(i)))
					past := [len(momentNames)]bool{} // the session had no more of those
					for k := i % step; k < len(blows); k += step {
						if b := blows[k]; b.N <= calm.count[b.When] || !past[b.When] {
							past[b.When] = !once.suffer(t, dir, s.file, calm, b)
						}
					}
					for range (pairs + step - 1) / step {
						twice.suffer(t, dir, s.file, calm, calm.pair(rng)...)
					}
					t.Logf("%d checkpoints, %d appends, told at %d", len(calm.rows), calm.count[beforeAppend], calm.count[afterTelling])
				})
			}
		})
		once.report(t, "once")
		twice.report(t, "twice")
	}
	t.Logf("-seed %d", *seed)
}

// pairs is how often each session is killed twice, with all moments.
const pairs = 10

// pair draws a moment, and one for the process that goes on behind it.
func (c *calm) pair(rng *rand.Rand) []blow {
	first, second := moment(rng.IntN(len(momentNames))), moment(rng.IntN(len(momentNames)))
	n := 1 + rng.Int64N(c.count[first])
	left := c.count[second] * (c.count[first] - n) / c.count[first]
	return []blow{{first, n}, {second, 1 + rng.Int64N(max(1, left))}}
}
