package handoffs

import (
	"cmp"
	"time"
)

// key names the breaker that a handoff belongs to, in Desk.Breakers.
func (p *BreakerPolicy) key(from, to, capability string) string {
	switch {
	case p.Key == BreakAll:
		return "all"
	case p.Key == BreakEdge:
		return "edge:" + from + "->" + to
	case p.Key == BreakCapability && capability != "":
		return "capability:" + capability
	}
	return "target:" + to
}

// admit says whether a handoff may go through the breaker, and returns the
// breaker behind it. Whoever only wants to know drops that. A probe that has not
// been heard of for as long as the breaker was open counts as lost: its work was
// cancelled, and it must not bar the way for ever.
func (p *BreakerPolicy) admit(b Breaker, now time.Time) (Breaker, bool) {
	probes := orElse(p.Probes, 1)
	switch due := !now.Before(b.Until); {
	case b.State == BreakerOpen && due:
		b.State, b.Probing, b.Passed = BreakerHalfOpen, 1, 0
	case b.State == BreakerOpen:
		return b, false
	case b.State != BreakerHalfOpen:
		return b, true
	case b.Probing < probes:
		b.Probing++
	case due:
		b.Probing = 1
	default:
		return b, false
	}
	b.Until = now.Add(b.Delay)
	return b, true
}

// succeed returns the breaker behind work that was good. What began before the
// breaker opened tells nothing of now. When it was does not matter.
func (p *BreakerPolicy) succeed(b Breaker, _ time.Time) Breaker {
	switch b.State {
	case BreakerOpen:
		return b
	case BreakerHalfOpen:
		b.Probing, b.Passed = max(0, b.Probing-1), b.Passed+1
		if b.Passed < orElse(p.Successes, 1) {
			return b
		}
	}
	return Breaker{}
}

// fail returns the breaker behind work that failed. It must not be called for
// handoffs that were rejected or cancelled.
func (p *BreakerPolicy) fail(b Breaker, now time.Time) Breaker {
	b.Failures++
	b.Last = now
	switch b.State {
	case BreakerOpen:
		return b
	case BreakerHalfOpen:
		return p.opened(b, p.longer(b.Delay))
	}
	if b.Failures < orElse(p.Threshold, 3) {
		return b
	}
	return p.opened(b, p.reset())
}

func (p *BreakerPolicy) opened(b Breaker, delay time.Duration) Breaker {
	b.State, b.Delay, b.Until = BreakerOpen, delay, b.Last.Add(delay)
	b.Probing, b.Passed = 0, 0
	return b
}

func (p *BreakerPolicy) reset() time.Duration {
	if p.Reset <= 0 {
		return 30 * time.Second
	}
	return p.Reset
}

// longer returns how long the breaker stays open after a failed probe.
func (p *BreakerPolicy) longer(delay time.Duration) time.Duration {
	most := p.Most
	if most <= 0 {
		most = 10 * time.Minute
	}
	most = max(most, p.reset())
	next := float64(delay) * max(1, cmp.Or(p.Factor, 2))
	if !(next < float64(most)) { // also where it is not a number
		return most
	}
	return time.Duration(next)
}

// orElse returns n, or what stands for it where it is not set.
func orElse(n, def int) int {
	if n <= 0 {
		return def
	}
	return n
}
