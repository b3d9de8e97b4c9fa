package handoffs

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRetryDelay(t *testing.T) {
	t.Parallel()
	const s = time.Second
	for name, c := range map[string]struct {
		r    *Retry
		want []time.Duration // behind attempt 1, 2, …
	}{
		"nil":              {nil, []time.Duration{0, 0}},
		"zero":             {&Retry{}, []time.Duration{s, 2 * s, 4 * s, 8 * s}},
		"bounded":          {&Retry{Initial: 3 * s, Most: 10 * s}, []time.Duration{3 * s, 6 * s, 10 * s, 10 * s}},
		"bound is less":    {&Retry{Initial: 3 * s, Most: 2 * s}, []time.Duration{2 * s, 2 * s}},
		"none":             {&Retry{Initial: -1}, []time.Duration{0, 0, 0}},
		"steady":           {&Retry{Initial: s, Factor: 1}, []time.Duration{s, s, s}},
		"factor below one": {&Retry{Initial: s, Factor: 0.5}, []time.Duration{s, s, s}},
		"factor 1.5":       {&Retry{Initial: 2 * s, Factor: 1.5}, []time.Duration{2 * s, 3 * s, 4500 * time.Millisecond}},
	} {
		for i, want := range c.want {
			require.Equal(t, want, c.r.delay(i+1, "h"), "%s, attempt %d", name, i+1)
		}
	}
	require.Equal(t, s, (&Retry{}).delay(0, ""), "no attempt counts as the first")
	require.Equal(t, time.Duration(math.MaxInt64), (&Retry{}).delay(1_000_000_000, ""), "it does not overflow")
	require.Equal(t, time.Nanosecond, (&Retry{Initial: 1, Factor: 1.01}).delay(1_000_000_000, ""), "nor take for ever")
}

func TestRetryLeft(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		r        *Retry
		attempts int // that are made if all fail
	}{
		"nil": {nil, 1}, "zero": {&Retry{}, 4}, "one": {&Retry{Max: 1}, 2}, "seven": {&Retry{Max: 7}, 8}, "none": {&Retry{Max: -1}, 1},
	} {
		n := 1
		for c.r.left(n) {
			n++
		}
		require.Equal(t, c.attempts, n, name)
	}
}

func TestRetryJitterIsDrawnFromTheSeed(t *testing.T) {
	t.Parallel()
	r := &Retry{Initial: time.Second, Jitter: true, Most: time.Minute}
	plain := &Retry{Initial: time.Second, Most: time.Minute}
	seen := map[time.Duration]bool{}
	var sum time.Duration
	const n = 2000
	for i := range n {
		seed := strconv.Itoa(i)
		for attempt := 1; attempt < 8; attempt++ {
			d := r.delay(attempt, seed)
			require.Equal(t, d, r.delay(attempt, seed), "the same in every run")
			require.True(t, d >= 0 && d <= plain.delay(attempt, seed))
		}
		seen[r.delay(1, seed)] = true
		sum += r.delay(1, seed)
	}
	require.Greater(t, len(seen), n*99/100, "other seeds, other waits")
	require.InDelta(t, 0.5, (sum / n).Seconds(), 0.03, "over the whole of the wait")
	require.NotEqual(t, r.delay(2, "h")/2, r.delay(1, "h"), "each attempt is drawn anew")
}
