package handoffs

import (
	"cmp"
	"context"
	"math"
)

// FirstMatch is a Router that takes the candidate that was registered first.
// Like all routers here it takes one whose breaker is open only if there is no
// other.
type FirstMatch struct{}

// Route returns the first candidate.
func (FirstMatch) Route(_ context.Context, r Request) (string, error) {
	return leastCandidate(r.Candidates, func(*Candidate, *Candidate) int { return 0 }), nil
}

// LeastLoaded is a Router that takes the candidate with the least load; of
// equals the one that got the fewest handoffs, then the first. An agent that has
// as many frames as it may have comes behind all that have room.
type LeastLoaded struct{}

// Route returns the candidate with the least load.
func (LeastLoaded) Route(_ context.Context, r Request) (string, error) {
	return leastCandidate(r.Candidates, byLoad), nil
}

func byLoad(a, b *Candidate) int {
	full := func(c *Candidate) int {
		if c.MaxConcurrent > 0 && c.Load >= c.MaxConcurrent {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(full(a), full(b)), cmp.Compare(a.Load, b.Load), cmp.Compare(a.Served, b.Served))
}

// Cheapest is a Router that takes the candidate with the least Cost; of equals
// the least loaded one, then the first.
type Cheapest struct{}

// Route returns the cheapest candidate.
func (Cheapest) Route(_ context.Context, r Request) (string, error) {
	return leastCandidate(r.Candidates, func(a, b *Candidate) int {
		return cmp.Or(cmp.Compare(a.Cost, b.Cost), byLoad(a, b))
	}), nil
}

// Weighted is a Router that shares handoffs out by the weights of profiles:
// of weights 2 and 1 the first agent gets two of three. Nothing about it is
// random. The zero Weighted evens out what each agent got in the session.
type Weighted struct {
	// ByHandoff draws by the handoff's id instead of counting, so that sessions
	// with one handoff each share out too. Its shares are those of a lottery.
	ByHandoff bool
}

// Route returns the candidate that is due by its weight.
func (w Weighted) Route(_ context.Context, r Request) (string, error) {
	if w.ByHandoff {
		return drawn(whole(r.Candidates), r.Handoff), nil
	}
	return leastCandidate(r.Candidates, func(a, b *Candidate) int { return cmp.Compare(a.turn(), b.turn()) }), nil
}

// turn says when it is the candidate's turn among others: the middle of its
// next handoff, if each takes the time 1/weight.
func (c *Candidate) turn() float64 {
	w := c.weight()
	if w == 0 {
		return math.Inf(1)
	}
	return (float64(c.Served) + 0.5) / w
}

// weight is what the candidate's weight stands for: not less than 0.
func (c *Candidate) weight() float64 {
	if c.Weight == 0 {
		return 1
	}
	return max(c.Weight, 0)
}

// drawn returns the candidate on whose part of a line, as long as all weights
// together, the hash of a key falls; the first one if nobody has a weight.
func drawn(all []Candidate, key string) string {
	total, last := 0.0, ""
	for i := range all {
		total += all[i].weight()
	}
	if total == 0 {
		return leastCandidate(all, func(*Candidate, *Candidate) int { return 0 })
	}
	at := float64(total * hashShare(key)) // rounded here, whatever the processor could do at once
	for i := range all {
		w := all[i].weight()
		if w == 0 {
			continue
		}
		last = all[i].ID
		if at -= w; at < 0 {
			break
		}
	}
	return last
}

// Sticky is a Router that takes the same candidate for all handoffs of a
// session. It goes by a hash of the session and the agent's id, not by who served
// last: without any memory it is the same on every machine, and when an agent
// comes or goes only the sessions that are its own move. Sessions spread evenly.
type Sticky struct{}

// Route returns the candidate that is the session's own.
func (Sticky) Route(_ context.Context, r Request) (string, error) {
	return leastCandidate(r.Candidates, func(a, b *Candidate) int {
		return cmp.Compare(hashOf(r.Session, a.ID), hashOf(r.Session, b.ID))
	}), nil
}
