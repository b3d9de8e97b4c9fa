package handoffs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func routed(t *testing.T, r Router, q Request) string {
	t.Helper()
	id, err := r.Route(context.Background(), q)
	require.NoError(t, err)
	return id
}

func threeAgents(change func(a, b, c *Candidate)) Request {
	cs := []Candidate{{Profile: Profile{ID: "a"}}, {Profile: Profile{ID: "b"}}, {Profile: Profile{ID: "c"}}}
	if change != nil {
		change(&cs[0], &cs[1], &cs[2])
	}
	return Request{Session: "s", Handoff: "h", Candidates: cs}
}

func everyRouter() map[string]Router {
	return map[string]Router{
		"FirstMatch": FirstMatch{}, "LeastLoaded": LeastLoaded{}, "Weighted": Weighted{}, "ByHandoff": Weighted{ByHandoff: true},
		"Sticky": Sticky{}, "Cheapest": Cheapest{}, "FirstOf": FirstOf(nil),
		"ByTask": ByTask{Ask: func(context.Context, string) (string, error) { return "a", nil }, Fallback: FirstMatch{}},
	}
}

func TestRoutersWithoutCandidates(t *testing.T) {
	t.Parallel()
	for name, r := range everyRouter() {
		require.Empty(t, routed(t, r, Request{Session: "s", Handoff: "h"}), name)
	}
}

func TestRoutersPassOverTheBroken(t *testing.T) {
	t.Parallel()
	for name, r := range everyRouter() {
		for i := range 50 {
			q := threeAgents(func(a, b, c *Candidate) { a.Broken, c.Broken = true, true; b.Load, b.Cost, b.Served = 9, 9, 99 })
			q.Session, q.Handoff = fmt.Sprint("s", i), fmt.Sprint("h", i)
			require.Equal(t, "b", routed(t, r, q), name)
			q.Candidates[1].Broken = true
			require.Contains(t, []string{"a", "b", "c"}, routed(t, r, q), "%s: better a broken one than none", name)
		}
	}
}

func TestRoutersKeepTheirCandidatesAsTheyAre(t *testing.T) {
	t.Parallel()
	for name, r := range everyRouter() {
		q, same := threeAgents(func(a, _, _ *Candidate) { a.Broken = true }), threeAgents(func(a, _, _ *Candidate) { a.Broken = true })
		routed(t, r, q)
		require.Equal(t, same, q, name)
	}
}

//
func TestRouterFirstMatchIsTheFirst(t *testing.T) {
	t.Parallel()
	q := threeAgents(func(a, _, _ *Candidate) { a.Load, a.Cost, a.Served = 99, 99, 99 })
	require.Equal(t, "a", routed(t, FirstMatch{}, q))
}

//
func TestRouterLeastLoaded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		change     func(a, b, c *Candidate)
	}{
		{"all alike: the first", "a", nil},
		{"the idle one", "b", func(a, _, c *Candidate) { a.Load, c.Load = 1, 2 }},
		{"of equals who got the fewest", "c", func(a, b, c *Candidate) { a.Served, b.Served, c.Served = 3, 2, 1 }},
		{"a full one comes last", "b", func(a, b, c *Candidate) { a.Load, a.MaxConcurrent, b.Load, c.Load, c.MaxConcurrent = 1, 1, 3, 2, 2 }},
		{"all full: the least loaded", "c", func(a, b, c *Candidate) {
			a.Load, b.Load, c.Load = 3, 2, 1
			a.MaxConcurrent, b.MaxConcurrent, c.MaxConcurrent = 1, 1, 1
		}},
	} {
		require.Equal(t, c.want, routed(t, LeastLoaded{}, threeAgents(c.change)), c.name)
	}
}

func TestRouterCheapest(t *testing.T) {
	t.Parallel()
	require.Equal(t, "c", routed(t, Cheapest{}, threeAgents(func(a, b, c *Candidate) { a.Cost, b.Cost, c.Cost = 2, 1.5, 0.5 })))
	require.Equal(t, "b", routed(t, Cheapest{}, threeAgents(func(a, b, c *Candidate) { a.Cost, b.Cost, c.Cost = 1, 1, 2; a.Load = 1 })))
	require.Equal(t, "a", routed(t, Cheapest{}, threeAgents(nil)))
}

func TestRouterWeightedSequence(t *testing.T) {
	t.Parallel()
	q := threeAgents(func(a, b, c *Candidate) { a.Weight, b.Weight, c.Weight = 4, 2, 1 })
	got := ""
	for range 14 {
		id := routed(t, Weighted{}, q)
		got += id
		q.Candidates[id[0]-'a'].Served++
	}
	require.Equal(t, "abacabaabacaba", got, "smooth, and the same again after each round")
}

// By counts nobody is ever more than two handoffs away from its share; by the
// handoff's id only the shares of many come near.
func TestRouterWeightedShares(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		q, total := Request{}, 0.0
		for i := range 2 + rnd.IntN(6) {
			w := float64(1 + rnd.IntN(9))
			total += w
			q.Candidates = append(q.Candidates, Candidate{Profile: Profile{ID: fmt.Sprint(i), Weight: w}})
		}
		drawn := map[string]int{}
		for n := 1; n <= 300; n++ {
			q.Handoff = fmt.Sprint(seed, "/", n)
			drawn[routed(t, Weighted{ByHandoff: true}, q)]++
			id := routed(t, Weighted{}, q)
			for i := range q.Candidates {
				c := &q.Candidates[i]
				if c.ID == id {
					c.Served++
				}
				require.InDelta(t, float64(n)*c.Weight/total, c.Served, 2)
			}
		}
		for _, c := range q.Candidates {
			require.InDelta(t, 300*c.Weight/total, drawn[c.ID], 60, "seed %d", seed)
		}
	}
}

func TestRouterWeightedWithoutWeight(t *testing.T) {
	t.Parallel()
	for _, r := range []Router{Weighted{}, Weighted{ByHandoff: true}} {
		count := map[string]int{}
		for i := range 200 {
			q := threeAgents(func(a, b, c *Candidate) { a.Weight, c.Weight = -1, -3; a.Served, b.Served = 0, i })
			q.Handoff = fmt.Sprint(i)
			count[routed(t, r, q)]++
		}
		require.Equal(t, map[string]int{"b": 200}, count, "less than 0: only if no other is there")
		q := threeAgents(func(a, b, c *Candidate) { a.Weight, b.Weight, c.Weight = -1, -1, -1 })
		require.Equal(t, "a", routed(t, r, q))
	}
}

func TestRouterStickyKeepsTheSession(t *testing.T) {
	t.Parallel()
	count := map[string]int{}
	for i := range 3000 {
		q := threeAgents(nil)
		q.Session = fmt.Sprint("session-", i)
		own := routed(t, Sticky{}, q)
		count[own]++

		q.Handoff, q.Candidates[0].Load, q.Candidates[1].Served = "other", 7, 7
		require.Equal(t, own, routed(t, Sticky{}, q), "nothing but the session counts")
		q.Candidates = append(q.Candidates[:2:2], Candidate{Profile: Profile{ID: "new"}}, q.Candidates[2])
		require.Contains(t, []string{own, "new"}, routed(t, Sticky{}, q), "sessions move to a new agent only")
		q.Candidates = q.Candidates[:2]
		if own != "c" {
			require.Equal(t, own, routed(t, Sticky{}, q), "sessions of others stay")
		}
	}
	for _, n := range count {
		require.InDelta(t, 1000, n, 100)
	}
}

type noRouter struct{ err error }

func (r noRouter) Route(context.Context, Request) (string, error) { return "", r.err }

func TestRouterFirstOf(t *testing.T) {
	t.Parallel()
	q := threeAgents(nil)
	require.Equal(t, "a", routed(t, FirstOf(noRouter{}, FirstMatch{}, noRouter{errors.New("not asked")}), q))
	require.Equal(t, "a", routed(t, FirstOf(noRouter{}, nil), q))
	require.Empty(t, routed(t, FirstOf(), q))
	boom := errors.New("boom")
	_, err := FirstOf(noRouter{}, noRouter{boom}, FirstMatch{}).Route(context.Background(), q)
	require.ErrorIs(t, err, boom)
	require.ErrorContains(t, err, "router 2 of 3")

	list := []Router{FirstMatch{}}
	r := FirstOf(list...)
	list[0] = noRouter{boom}
	require.Equal(t, "a", routed(t, r, q), "the list is copied")
}

func TestRouterCandidates(t *testing.T) {
	t.Parallel()
	p := &Policy{Registry: MustRegistry(bcTeam()...)}
	d := &Desk{
		Frames: []Frame{{Agent: "second"}, {Agent: "second"}, {Agent: "rag-agent"}},
		Queue:  []Offer{{To: "second"}},
		Counts: map[string]int{"to:rag-agent": 4, "to:second": 3, "from:second": 9},
	}
	var got []string
	for _, c := range candidates(p, d, registryNow, "rag_search", nil) {
		got = append(got, fmt.Sprintf("%s load %d served %d broken %v", c.ID, c.Load, c.Served, c.Broken))
	}
	require.Equal(t, []string{"rag-agent load 1 served 4 broken false", "second load 3 served 3 broken false"}, got)
	require.Len(t, candidates(p, d, registryNow, "rag_search", []string{"citations"}), 1)
	require.Empty(t, candidates(p, d, registryNow, "rag_search", []string{"citations", "sales"}))
	require.Empty(t, candidates(p, d, registryNow, "quantum", nil))
	require.Len(t, candidates(p, &Desk{}, registryNow, "", nil), 4, "without a capability: all that accept and are there")
	require.Empty(t, candidates(&Policy{}, d, registryNow, "rag_search", nil))
}
