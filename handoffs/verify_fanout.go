package handoffs

import "fmt"

// fansOut tells of an agent that FanOut would let hand over to several agents
// at once, by edges that are not declared parallel.
func (p *Policy) fansOut() error {
	if p.OnMultiple != FanOut {
		return nil
	}
	first := map[string]string{} // by agent, a target of it
	bad := map[string]string{}   // by agent, one by an edge that is not parallel
	edges := p.Edges
	if edges == nil {
		edges = []Edge{{}}
	}
	for i := range edges {
		e := &edges[i]
		if !admits(e.Kinds, Transfer) {
			continue
		}
		over := *e
		over.Kinds = []Kind{Transfer}
		for _, a := range p.arcsOf(nil, &over, p.leads(e), "") {
			other, met := first[a.from]
			if !met {
				first[a.from] = a.to
			}
			if !e.Parallel {
				bad[a.from] = a.to
			}
			if to, ok := bad[a.from]; ok && met && (other != a.to || other != to) {
				return fmt.Errorf("handoffs: OnMultiple is fanout, and %s may hand over to %s and %s in one turn: declare the edges Parallel, or take the first", a.from, other, a.to)
			}
		}
	}
	return nil
}
