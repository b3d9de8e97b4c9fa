package handoffs

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Router chooses an agent for a capability or a task among those that may
// get it.
type Router interface {
	// Route returns the id of one of the candidates, or "" if none fits. It
	// may ask a model; then it is called once per handoff and its answer kept.
	Route(ctx context.Context, r Request) (string, error)
}

// Request is what a Router is asked.
type Request struct {
	Session    string
	Handoff    string // its id
	From       string
	Capability string
	Needs      []string
	Task       string
	Candidates []Candidate // registered, available, accepting, with the capability; in the order of registration
}

// Candidate is an agent that could get a handoff.
type Candidate struct {
	Profile
	Load   int  // open frames and waiting offers of the agent in the session
	Served int  // handoffs it got in the session
	Broken bool // its breaker is open
}

// FirstOf returns a router that asks several in their order and takes the
// first answer that is not "". An error ends it. A nil router is FirstMatch;
// without routers the answer is "".
func FirstOf(routers ...Router) Router { return firstOf(slices.Clone(routers)) }

type firstOf []Router

// Route asks the routers in their order.
func (f firstOf) Route(ctx context.Context, r Request) (string, error) {
	for i, router := range f {
		if router == nil {
			router = FirstMatch{}
		}
		id, err := router.Route(ctx, r)
		if err != nil {
			return "", fmt.Errorf("router %d of %d: %w", i+1, len(f), err)
		}
		if id != "" {
			return id, nil
		}
	}
	return "", nil
}

// candidates returns the agents that could get a handoff for a capability, all
// of needs included, in the order of registration. Whether their breakers are
// open is not filled in: that takes a source.
func candidates(p *Policy, d *Desk, now time.Time, capability string, needs []string) []Candidate {
	var out []Candidate
	for _, a := range p.Registry.ForCapability(capability, now) {
		if len(a.Lacks(needs)) > 0 {
			continue
		}
		out = append(out, Candidate{Profile: *a, Load: busy(d, a.ID) + offered(d, a.ID), Served: d.Counts["to:"+a.ID]})
	}
	return out
}

// busy counts the open frames of an agent.
func busy(d *Desk, agent string) int {
	n := 0
	for i := range d.Frames {
		if d.Frames[i].Agent == agent {
			n++
		}
	}
	return n
}

// offered counts the handoffs that wait for an agent.
func offered(d *Desk, agent string) int {
	n := 0
	for i := range d.Queue {
		if d.Queue[i].To == agent {
			n++
		}
	}
	return n
}

// whole returns the candidates whose breakers are not open; all of them if
// there is no such one.
func whole(all []Candidate) []Candidate {
	if ok := slices.DeleteFunc(slices.Clone(all), func(c Candidate) bool { return c.Broken }); len(ok) > 0 {
		return ok
	}
	return all
}

// leastCandidate returns the id of the first candidate of which none is less; "" if
// there are no candidates. Those whose breakers are open count only if there
// is no other.
func leastCandidate(all []Candidate, compare func(a, b *Candidate) int) string {
	var best *Candidate
	left := whole(all)
	for i := range left {
		if best == nil || compare(&left[i], best) < 0 {
			best = &left[i]
		}
	}
	if best == nil {
		return ""
	}
	return best.ID
}
