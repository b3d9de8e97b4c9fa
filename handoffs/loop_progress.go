package handoffs

// detailDigest is the key of Entry.Detail that holds the state's digest, a
// text, in the entry in which a handoff begins.
const detailDigest = "digest"

// wantsDigest reports whether a policy needs digests of the state: in the case
// and in the log.
func (p *Policy) wantsDigest() bool {
	for i := range p.Loops {
		if p.Loops[i].Key == LoopProgress {
			return true
		}
	}
	return false
}

// still is for how many of the last handoffs the state has been as it is now. It
// stops at limit.
func (r *LoopRule) still(c *Case, limit int) int {
	if c.Digest == "" {
		return 0
	}
	s, n := r.scan(c), 0
	for ; n < limit; n++ {
		e, _ := s.back()
		if e == nil || e.Detail[detailDigest] != c.Digest {
			break
		}
	}
	return n
}
