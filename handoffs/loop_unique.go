package handoffs

import "slices"

// tooFew reports whether a full window, of which the case's handoff is the last
// one, has fewer different targets than it must have.
func (r *LoopRule) tooFew(c *Case) (n, want int, found bool) {
	window := orElse(r.Window, 8)
	want = orElse(r.Threshold, 3)
	var room [8]string
	agents := append(room[:0], c.Target.ID)
	s := r.scan(c)
	for seen := 1; seen < window && len(agents) < want; seen++ {
		e, _ := s.back()
		if e == nil {
			return len(agents), want, false
		}
		if !slices.Contains(agents, e.To) {
			agents = append(agents, e.To)
		}
	}
	return len(agents), want, len(agents) < want
}
