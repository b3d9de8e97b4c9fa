package handoffs

import "slices"

// loopHop is a handoff from one agent to another.
type loopHop struct{ from, to string }

// periods returns limit if the case's handoff completes that many full periods
// in a row, of any length up to Longest: the sequence of hops repeats itself.
func (r *LoopRule) periods(c *Case, limit int) int {
	longest := orElse(r.Longest, 8)
	most := limit * longest
	if r.Window > 0 {
		most = min(most, r.Window+1)
	}
	var room [32]loopHop
	s := r.scan(c)
	hops := s.hops(append(room[:0], loopHop{c.From, c.Target.ID}), min(longest+1, most))
	if !slices.Contains(hops[1:], hops[0]) {
		return 0 // no period ends with the same hop
	}
	hops = s.hops(hops, most)
	for period := 1; period <= longest && period*limit <= len(hops); period++ {
		if repeats(hops[:period*limit], period) {
			return limit
		}
	}
	return 0
}

// hops appends older handoffs until there are so many.
func (s *logScan) hops(list []loopHop, most int) []loopHop {
	for len(list) < most {
		e, _ := s.back()
		if e == nil {
			break
		}
		list = append(list, loopHop{e.From, e.To})
	}
	return list
}

// repeats reports whether hops repeat with a period.
func repeats(hops []loopHop, period int) bool {
	for i := period; i < len(hops); i++ {
		if hops[i] != hops[i-period] {
			return false
		}
	}
	return true
}
