package handoffs_test

import (
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
)

// inRealTime is jetvision.yaml without its virtual clock: quotes come as
// answers, and hours pass.
func inRealTime(t *testing.T) *played {
	p := play(t, "jetvision.yaml")
	p.text = regexp.MustCompile(`(?m)^  clock: .*\n  signals:\n(    - .*\n)*`).ReplaceAll(p.text, nil)
	require.NotContains(t, string(p.text), "after:")
	return p
}

func quote() graph.Answers {
	return graph.Answer(map[string]any{"type": "quote", "payload": map[string]any{
		"id": "q", "operator": "Alpine", "aircraft": "CJ4", "price": int64(50000), "safety": int64(9), "speed": int64(7), "comfort": int64(6)}})
}

func tick() graph.Answers { return graph.Answer("tick") }

// TestQuoteTimer: X-33, S3-52: the process that waits for quotes ends, another
// one is there when the day is over, and the timer fires once.
func TestQuoteTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := inRealTime(t).run(`{"clientName": "Ada"}`)
		require.False(t, p.done())
		require.Equal(t, "AWAITING_QUOTES", p.sight().Desk.Machine)
		time.Sleep(23 * time.Hour)
		p.resume(tick())
		require.Equal(t, "1.1 2.1", p.rules(), "it is not yet time")
		time.Sleep(time.Hour)
		p.resume(tick())
		require.Equal(t, "1.1 2.1 3.2", p.rules(), "and 6.2 waits a second")
		p.resume(tick())
		require.Equal(t, 1, p.events(handoffs.EventTimer))
		time.Sleep(time.Second)
		p.resume(tick())
		require.Equal(t, "1.1 2.1 3.2 6.2", p.rules())
		for range 3 {
			time.Sleep(time.Minute)
			p.resume(quote())
		}
		require.True(t, p.done())
		require.Equal(t, "1.1 2.1 3.2 6.2 3.1 4.1", p.rules())
		require.Equal(t, 1, p.events(handoffs.EventTimer))
		require.Equal(t, "COMPLETED", p.sight().Desk.Machine)
	})
}

// TestQuoteAgainstTimer: the third quote and the timer come together: one of
// them wins, and what the other one brings has no effect, X-33.
func TestQuoteAgainstTimer(t *testing.T) {
	for name, c := range map[string]struct {
		at    time.Duration // of the third quote
		rules string
		timer int
		stale int
	}{
		"a second before":  {24*time.Hour - time.Second, "1.1 2.1 3.1 4.1", 0, 0},
		"at the same time": {24 * time.Hour, "1.1 2.1 3.2", 1, 1},
		"later":            {24*time.Hour + time.Minute, "1.1 2.1 3.2", 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := inRealTime(t).run(`{"clientName": "Ada"}`).resume(quote()).resume(quote())
				time.Sleep(c.at)
				p.resume(quote())
				require.Equal(t, c.rules, p.rules())
				require.Equal(t, c.timer, p.events(handoffs.EventTimer))
				require.Equal(t, c.stale, p.events(handoffs.EventStale))
				time.Sleep(48 * time.Hour)
				if !p.done() {
					p.resume(tick())
				}
				require.Equal(t, c.timer, p.events(handoffs.EventTimer))
			})
		})
	}
}
