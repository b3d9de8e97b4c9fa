package handoffs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// simStay is an agent's stay in a simulated run.
type simStay struct {
	agent string
	turns int // only where they are bounded
}

// simRun is a simulated run: the agents that wait for one another, innermost
// last, and what was counted. It knows nothing of arcs.
type simRun struct {
	p      *Policy
	stays  []simStay
	made   int      // handoffs counted for the run, if they are bounded
	taken  [24]byte // by edge or rule, if it has a quota
	pairs  [16]byte // if a loop rule counts them
	misses int
}

func simStart(p *Policy, agent string) *simRun {
	return &simRun{p: p, stays: []simStay{{agent, 1}}}
}

func (r *simRun) key() string {
	key := append(r.taken[:], r.pairs[:]...)
	key = append(key, byte(r.made), byte(r.misses))
	for _, s := range r.stays {
		key = append(key, s.agent[0], byte(s.turns))
	}
	return string(key)
}

func (r *simRun) clone() *simRun {
	c := *r
	c.stays = slices.Clone(r.stays)
	return &c
}

func (r *simRun) top() *simStay { return &r.stays[len(r.stays)-1] }

// simMove is something that can happen next.
type simMove struct {
	to    *simRun
	hands int
}

// moves are all that can happen.
func (r *simRun) moves() []simMove {
	var out []simMove
	for i := range r.p.Edges {
		e := &r.p.Edges[i]
		for _, k := range []Kind{Transfer, Call} {
			for _, to := range e.To {
				if slices.Contains(e.From, r.top().agent) && (e.Kinds == nil || slices.Contains(e.Kinds, k)) {
					out = append(out, r.hand(i, to, k, e.Limits.Handoffs, e.Apart)...)
				}
			}
		}
	}
	if r.p.Rules != nil {
		for i, rule := range r.p.Rules.List {
			if slices.Contains(rule.From, r.top().agent) {
				n := rule.Limits.Handoffs
				if rule.Retry != nil {
					n = rule.Retry.Max
				}
				out = append(out, r.hand(len(r.taken)-1-i, rule.To, rule.kind(), n, false)...)
			}
		}
	}
	if len(r.stays) > 1 {
		out = append(out, r.back()...)
	} else {
		out = append(out, r.takeovers()...)
	}
	return out
}

// hand makes a handoff, if the limits allow it.
func (r *simRun) hand(by int, to string, k Kind, quota int, apart bool) []simMove {
	from := r.top().agent
	cap := r.p.Limits.Handoffs
	deepest := r.p.Depth
	if to == from || cap > 0 && !apart && r.made >= cap || quota > 0 && int(r.taken[by]) >= quota || k == Call && deepest > 0 && len(r.stays) > deepest {
		return nil
	}
	c := r.clone()
	for _, loop := range r.p.Loops {
		if (loop.From == "" || loop.From == from) && (loop.To == "" || loop.To == to) {
			pair := int(from[0]-'a')*4 + int(to[0]-'a')
			if int(c.pairs[pair]) >= loop.Threshold {
				return nil
			}
			c.pairs[pair]++
		}
	}
	if cap > 0 && !apart {
		c.made++
	}
	if quota > 0 {
		c.taken[by]++
	}
	c.misses = 0
	stay := simStay{agent: to}
	if c.bounded(to) > 0 {
		stay.turns = 1
	}
	if k == Transfer {
		c.stays = c.stays[:len(c.stays)-1]
	}
	c.stays = append(c.stays, stay)
	return []simMove{{c, 1}}
}

func (r *simRun) bounded(agent string) int {
	p, _ := r.p.Registry.Get(agent)
	return p.Turns
}

// back returns to the caller, which has another turn or has used them up.
func (r *simRun) back() []simMove {
	c := r.clone()
	c.stays = c.stays[:len(c.stays)-1]
	most := c.bounded(c.top().agent)
	if most == 0 {
		return []simMove{{c, 0}}
	}
	if c.top().turns < most {
		c.top().turns++
		return []simMove{{c, 0}}
	}
	if len(c.stays) > 1 {
		return c.back()
	}
	return c.takeovers()
}

// takeovers are what becomes of an agent that nobody called when it fails, or
// when its handoff is rejected.
func (r *simRun) takeovers() []simMove {
	s := r.p.Supervisor
	if s == "" || s == r.top().agent {
		return nil
	}
	out := r.hand(0, s, Transfer, 0, false)
	if r.misses < 2 {
		c := r.clone()
		c.stays, c.misses = []simStay{{agent: s}}, c.misses+1
		out = append(out, simMove{c, 0})
	}
	return out
}

const simEndless = -1

// simSearch finds the most handoffs of any run, or that there is an endless
// one.
type simSearch struct {
	best map[string]int
	open map[string]int
}

func (s *simSearch) longest(r *simRun, made int) int {
	if len(r.stays) > 30 {
		return simEndless
	}
	key := r.key()
	if before, open := s.open[key]; open {
		if made > before {
			return simEndless
		}
		return 0
	}
	if n, done := s.best[key]; done {
		return n
	}
	s.open[key] = made
	best := 0
	for _, m := range r.moves() {
		n := s.longest(m.to, made+m.hands)
		if n == simEndless {
			return simEndless
		}
		best = max(best, n+m.hands)
	}
	delete(s.open, key)
	s.best[key] = best
	return best
}

func simLongest(p *Policy, from string) int {
	s := &simSearch{map[string]int{}, map[string]int{}}
	start := simStart(p, from)
	if start.bounded(from) == 0 {
		start.top().turns = 0
	}
	return s.longest(start, 0)
}

// simPolicy draws a small policy in which no two edges fit one handoff.
func simPolicy(r *rand.Rand) *Policy {
	names := []string{"a", "b", "c", "d"}[:2+r.IntN(3)]
	p := &Policy{Entry: "a", Edges: []Edge{}, Depth: 5, Registry: MustRegistry()}
	for _, n := range names {
		profile := Profile{ID: n}
		if r.IntN(3) == 0 {
			profile.Turns = 1 + r.IntN(2)
		}
		p.Registry = p.Registry.With(profile)
	}
	for _, from := range names {
		for _, to := range names {
			if from != to && r.IntN(2) == 0 {
				p.Edges = append(p.Edges, simEdge(r, from, to))
			}
		}
	}
	if r.IntN(3) == 0 {
		p.Limits.Handoffs = 1 + r.IntN(4)
	}
	if r.IntN(3) == 0 {
		p.Supervisor = names[r.IntN(len(names))]
	}
	if r.IntN(4) == 0 {
		rule := Rule{Name: "r", From: names[:1], To: names[1], Limits: Limits{Handoffs: r.IntN(3)}}
		if r.IntN(2) == 0 {
			rule.Limits, rule.Retry = Limits{}, &Retry{Max: 1 + r.IntN(2)}
		}
		p.Rules = &Rules{List: []Rule{rule}}
	}
	if r.IntN(4) == 0 {
		p.Loops = []LoopRule{{Key: LoopQuota, Threshold: 1 + r.IntN(2), From: []string{"", "a", "b"}[r.IntN(3)]}}
	}
	return p
}

func simEdge(r *rand.Rand, from, to string) Edge {
	e := edge(from, to, [][]Kind{{Transfer}, {Transfer}, {Transfer}, {Call}, nil}[r.IntN(5)]...)
	if r.IntN(2) == 0 {
		e.Limits.Handoffs = 1 + r.IntN(2)
	}
	e.Apart = r.IntN(5) == 0
	return e
}

// TestVerifyAgainstRuns: every run of a policy that Verify has nothing against
// ends, none makes more handoffs than Bound says, and every cycle that Verify
// names can be walked for ever.
func TestVerifyAgainstRuns(t *testing.T) {
	seeds := 1000
	if testing.Short() {
		seeds = 100
	}
	ends, exact := 0, 0
	for seed := range seeds {
		p := simPolicy(rand.New(rand.NewPCG(7, uint64(seed))))
		found, most := Verify(p), simLongest(p, p.Entry)
		require.False(t, len(found) == 0 && most == simEndless, "seed %d: an endless run was missed\n%s", seed, simText(p))
		n, bounded, why := Bound(p)
		for _, f := range found {
			require.False(t, bounded, "seed %d: %v", seed, why)
			require.Equal(t, simEndless, simLongest(p, f.Path[0]), "seed %d: %v", seed, f) // limits may be used up on the way there
			simWalk(t, p, f, fmt.Sprintf("seed %d: %v\n%s", seed, f, simText(p)))
		}
		if most == simEndless {
			continue
		}
		ends++
		if bounded {
			require.LessOrEqual(t, most, n, "seed %d: %v\n%s", seed, why, simText(p))
			if most == n {
				exact++
			}
		}
	}
	require.Greater(t, ends, seeds/5)
	require.Greater(t, exact, ends/4, "the bound is hardly ever reached")
}

// simWalk walks a cycle many times: by transfers, or by calls that return.
func simWalk(t *testing.T, p *Policy, f Finding, why string) {
	path, calls := f.Path, strings.Contains(f.Message, "returns and can be called again")
	run := simStart(p, path[0])
	run.top().turns = 0
	made := 0
	for made < 1000 {
		for i := range path[1:] {
			var next *simRun
			for _, m := range run.moves() {
				if m.to.top().agent == path[i+1] && (next == nil || simBetter(m, next, calls && i == 0)) {
					next = m.to
				}
			}
			require.NotNil(t, next, "%s: from %v to %s after %d handoffs", why, run.stays, path[i+1], made)
			run = next
			made++
		}
		if len(run.stays) > 20 {
			return
		}
	}
}

// simBetter reports whether a move is the one that a walk goes on by: a call,
// or else what leaves the fewest waiting, a handoff if there is one.
func simBetter(m simMove, than *simRun, call bool) bool {
	n, old := len(m.to.stays), len(than.stays)
	if call {
		return n > old
	}
	return n < old || n == old && m.hands == 1
}

func simText(p *Policy) string {
	text := fmt.Sprintf("cap %d, supervisor %q, loops %v\n", p.Limits.Handoffs, p.Supervisor, p.Loops)
	for a := range p.Registry.All() {
		text += fmt.Sprintf("%s: %d turns\n", a.ID, a.Turns)
	}
	for _, e := range p.Edges {
		text += fmt.Sprintf("%v -> %v %v quota %d apart %v\n", e.From, e.To, e.Kinds, e.Limits.Handoffs, e.Apart)
	}
	if p.Rules != nil {
		text += fmt.Sprintf("rule %+v\n", p.Rules.List[0])
	}
	return text
}

// TestMeshReachesItsBound: the bound by the limit of the run is exact.
func TestMeshReachesItsBound(t *testing.T) {
	for n := 1; n < 5; n++ {
		p := &Policy{Registry: agentsABC(), Entry: "a", Depth: 2, Limits: Limits{Handoffs: n}}
		p.Edges = []Edge{{From: []string{"a", "b", "c"}, To: []string{"a", "b", "c"}}}
		require.Equal(t, n, simLongest(p, p.Entry))
		bound, _, _ := Bound(p)
		require.Equal(t, n, bound)
	}
}
