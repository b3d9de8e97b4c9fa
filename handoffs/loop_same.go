package handoffs

// countSame is how often the window has the same handoff, as the rule's key
// compares them. It stops at limit.
func (r *LoopRule) countSame(c *Case, limit int) int {
	s, n := r.scan(c), 0
	for seen := 0; n < limit && (r.Window <= 0 || seen < r.Window); seen++ {
		e, at := s.back()
		if e == nil {
			break
		}
		if r.same(c, e, at) {
			n++
		}
	}
	return n
}

// same reports whether a handoff of the log is like the case's.
func (r *LoopRule) same(c *Case, e *Entry, at int) bool {
	if e.To != c.Target.ID {
		return false
	}
	switch r.Key {
	case LoopEdge:
		return e.From == c.From
	case LoopDuplicate:
		return e.From == c.From && c.Hash != "" && hashAt(c.Log, at) == c.Hash
	}
	return true
}

// hashAt returns the context hash of the handoff that entry i is about. It is
// in the handoff's first entry, which is this one unless the handoff had to wait.
func hashAt(l Log, i int) string {
	id := l.At(i).Handoff
	for ; i >= 0; i-- {
		if e := l.At(i); e.Record != nil && e.Record.ID == id {
			return e.Record.Hash
		}
	}
	return ""
}
