package handoffs

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Three failures open it, a probe that fails doubles the delay, two that
// are good close it.
func TestBreakerX23(t *testing.T) {
	p := &BreakerPolicy{Key: BreakTarget, Reset: time.Minute, Successes: 2}
	now, b, ok := ruleNoon, Breaker{}, false
	for range 3 {
		b, ok = p.admit(b, now)
		require.True(t, ok)
		b = p.fail(b, now)
	}
	require.Equal(t, Breaker{State: BreakerOpen, Failures: 3, Last: now, Until: now.Add(time.Minute), Delay: time.Minute}, b)
	_, ok = p.admit(b, now.Add(time.Minute-1))
	require.False(t, ok)

	b = breakerThroughJSON(t, b) // the process was started anew
	now = now.Add(time.Minute)
	b, ok = p.admit(b, now)
	require.True(t, ok)
	require.Equal(t, BreakerHalfOpen, b.State)
	_, ok = p.admit(b, now)
	require.False(t, ok, "one probe at once")
	b = p.fail(b, now)
	require.Equal(t, Breaker{State: BreakerOpen, Failures: 4, Last: now, Until: now.Add(2 * time.Minute), Delay: 2 * time.Minute}, b)

	now = now.Add(2 * time.Minute)
	b, _ = p.admit(b, now)
	b = p.succeed(b, now)
	require.Equal(t, BreakerHalfOpen, b.State)
	b, ok = p.admit(breakerThroughJSON(t, b), now)
	require.True(t, ok)
	require.Equal(t, Breaker{}, p.succeed(b, now))
}

func breakerThroughJSON(t *testing.T, b Breaker) (out Breaker) {
	data, err := json.Marshal(b)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &out))
	require.Equal(t, b, out)
	return out
}

func TestBreakerCases(t *testing.T) {
	p := &BreakerPolicy{}
	failed := func(n int) (b Breaker) {
		for range n {
			b = p.fail(b, ruleNoon)
		}
		return b
	}
	require.Equal(t, Breaker{}, p.succeed(failed(2), ruleNoon), "failures count in a row")
	require.Equal(t, 30*time.Second, failed(3).Delay)
	require.Equal(t, failed(3), p.succeed(failed(3), ruleNoon), "it began before")
	late := p.fail(failed(3), ruleNoon.Add(time.Second))
	require.Equal(t, 4, late.Failures)
	require.Equal(t, failed(3).Until, late.Until, "it began before")

	half, _ := p.admit(failed(3), ruleNoon.Add(30*time.Second))
	_, ok := p.admit(half, ruleNoon.Add(59*time.Second))
	require.False(t, ok)
	again, ok := p.admit(half, ruleNoon.Add(60*time.Second))
	require.True(t, ok, "the first probe was cancelled")
	require.Equal(t, 1, again.Probing)

	two := &BreakerPolicy{Probes: 2, Threshold: 1}
	b, _ := two.admit(two.fail(Breaker{}, ruleNoon), ruleNoon.Add(time.Hour))
	b, ok = two.admit(b, ruleNoon.Add(time.Hour))
	require.True(t, ok)
	_, ok = two.admit(b, ruleNoon.Add(time.Hour))
	require.False(t, ok)
}

func TestBreakerDelay(t *testing.T) {
	tests := []struct {
		name string
		p    BreakerPolicy
		want []time.Duration
	}{
		{"usual", BreakerPolicy{}, []time.Duration{30e9, 60e9, 120e9, 240e9, 480e9, 600e9, 600e9}},
		{"bounded", BreakerPolicy{Reset: time.Second, Factor: 3, Most: 5 * time.Second}, []time.Duration{1e9, 3e9, 5e9, 5e9}},
		{"as it is", BreakerPolicy{Reset: time.Second, Factor: 0.5}, []time.Duration{1e9, 1e9, 1e9}},
		{"the bound is never below the first", BreakerPolicy{Reset: time.Hour, Most: time.Second}, []time.Duration{3600e9, 3600e9}},
		{"very large", BreakerPolicy{Reset: 1 << 62, Factor: 1e300}, []time.Duration{1 << 62, 1 << 62}},
	}
	for _, tt := range tests {
		tt.p.Threshold = 1
		b, now := Breaker{}, ruleNoon
		for i, want := range tt.want {
			b = tt.p.fail(b, now)
			require.Equal(t, want, b.Delay, "%s: failure %d", tt.name, i+1)
			now = b.Until
			b, _ = tt.p.admit(b, now)
		}
	}
}

func TestBreakerKey(t *testing.T) {
	for key, want := range map[BreakerKey]string{BreakAll: "all", BreakTarget: "target:b", BreakEdge: "edge:a->b", BreakCapability: "capability:c"} {
		require.Equal(t, want, (&BreakerPolicy{Key: key}).key("a", "b", "c"))
	}
	require.Equal(t, "target:b", (&BreakerPolicy{Key: BreakCapability}).key("a", "b", ""))
}

// An open breaker is a reason to reject, for its own key alone, and the
// check takes no probe.
func TestCheckBreakerX23(t *testing.T) {
	p := &BreakerPolicy{Key: BreakTarget}
	c := ruleCase(&Policy{Breaker: p, Texts: Texts{CodeBreaker: "{target}: {value} failures, wait {limit}"}}, "rag")
	require.Empty(t, ruleCodesOf(c, "breaker"))
	b := Breaker{}
	for range 3 {
		b = p.fail(b, ruleNoon)
	}
	c.Desk.Breakers = map[string]Breaker{"target:rag": b}
	f := firstFailure(t, c, "breaker")
	require.Equal(t, Failure{Code: CodeBreaker, Message: "rag: 3 failures, wait 30s"}, f)
	c.Target, _ = c.Policy.Registry.Get("supervisor")
	require.Empty(t, ruleCodesOf(c, "breaker"), "other targets")
	c.Target, _ = c.Policy.Registry.Get("rag")
	c.Now = b.Until
	require.Empty(t, ruleCodesOf(c, "breaker"))
	require.Equal(t, b, c.Desk.Breakers["target:rag"])
	c.Now, c.Policy.Breaker = ruleNoon, nil
	require.Empty(t, ruleCodesOf(c, "breaker"))
}

// breakerModel is what a breaker is to do, told by its past: results since it
// last closed, times of its probes.
type breakerModel struct {
	p       BreakerPolicy
	row     int // failures in a row
	openAt  []time.Time
	probes  []time.Time // of this half open time that have not answered
	good    int
	half    bool
	lastTry time.Time
}

// wait is how long it is open for the last time that it opened.
func (m *breakerModel) wait() time.Duration {
	d := m.p.Reset
	for range len(m.openAt) - 1 {
		d = min(time.Duration(float64(d)*m.p.Factor), m.p.Most)
	}
	return d
}

func (m *breakerModel) try(now time.Time) bool {
	switch {
	case len(m.openAt) == 0:
		return true
	case !m.half:
		if now.Sub(m.openAt[len(m.openAt)-1]) < m.wait() {
			return false
		}
		m.half, m.good, m.probes = true, 0, []time.Time{now}
	case len(m.probes) < m.p.Probes:
		m.probes = append(m.probes, now)
	case now.Sub(m.lastTry) >= m.wait():
		m.probes = []time.Time{now}
	default:
		return false
	}
	m.lastTry = now
	return true
}

func (m *breakerModel) result(good bool, now time.Time) {
	open := len(m.openAt) > 0
	switch {
	case open && !m.half:
		// it began before: only the number of failures may change
		if !good {
			m.row++
		}
	case good && !open:
		m.row = 0
	case good:
		m.probes = m.probes[:max(0, len(m.probes)-1)]
		if m.good++; m.good >= m.p.Successes {
			*m = breakerModel{p: m.p}
		}
	default:
		if m.row++; open || m.row >= m.p.Threshold {
			m.openAt, m.half = append(m.openAt, now), false
		}
	}
}

// Whatever happens in whatever order, the breaker does as its model.
func TestBreakerModel(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	for round := range 400 {
		p := BreakerPolicy{Threshold: 1 + rnd.IntN(4), Reset: time.Duration(1+rnd.IntN(30)) * time.Second,
			Factor: float64(1 + rnd.IntN(3)), Most: time.Duration(60+rnd.IntN(100)) * time.Second, Probes: 1 + rnd.IntN(3), Successes: 1 + rnd.IntN(3)}
		m, b, now, work := &breakerModel{p: p}, Breaker{}, ruleNoon, 0
		for step := range 150 {
			now = now.Add(time.Duration(rnd.IntN(15)) * time.Second)
			switch op := rnd.IntN(10); {
			case op < 5:
				next, ok := p.admit(b, now)
				require.Equal(t, m.try(now), ok, "round %d step %d: %+v", round, step, b)
				if ok {
					b, work = next, work+1
				}
			case op < 6:
				work = 0 // cancelled: nobody tells the breaker
			case work > 0:
				good := rnd.IntN(3) > 0
				work--
				if m.result(good, now); good {
					b = p.succeed(b, now)
				} else {
					b = p.fail(b, now)
				}
			}
			require.Equal(t, len(m.openAt) == 0, b.State == "", "round %d step %d: %+v", round, step, b)
			require.Equal(t, m.half, b.State == BreakerHalfOpen, "round %d step %d: %+v", round, step, b)
			require.Equal(t, m.row, b.Failures)
			require.Equal(t, len(m.openAt) == 0 && m.row == 0, b == Breaker{}, "a closed one without failures is the zero one")
		}
	}
}
