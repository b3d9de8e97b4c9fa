package handoffs

import "slices"

// logScan reads the handoffs of a log that a rule counts, newest first.
type logScan struct {
	rule    *LoopRule
	returns bool // count returns where the rule does not name its kinds
	log     Log
	next    int // the entry to be looked at
}

func (r *LoopRule) scan(c *Case) logScan {
	return logScan{rule: r, returns: c.Policy.CountReturns, log: c.Log, next: c.Log.Len() - 1}
}

// back returns the next older handoff and its place in the log; nil: there is
// none any more.
func (s *logScan) back() (*Entry, int) {
	for s.next >= 0 {
		i := s.next
		s.next--
		if e := s.log.At(i); e.To != "" && s.counts(e) {
			return e, i
		}
	}
	return nil, -1
}

// counts reports whether an entry is a handoff that the rule counts: one that
// begins in it, or an attempt to repeat one, or a return.
func (s *logScan) counts(e *Entry) bool {
	switch e.Event {
	case "":
		return e.Attempt <= 1 && slices.Contains(e.Stages, Accepted) && s.kind(e.Kind)
	case EventRetry:
		return e.Attempt > 1 && s.rule.Retries && s.kind(e.Kind)
	case EventReturn:
		return s.kind(Return)
	}
	return false
}

// kind reports whether the rule counts a kind. An entry that tells none is
// counted.
func (s *logScan) kind(k Kind) bool {
	switch {
	case k == "":
		return true
	case s.rule.Kinds != nil:
		return slices.Contains(s.rule.Kinds, k)
	case k == Return:
		return s.returns
	}
	return k == Transfer || k == Call || k == Escalate || k == Spawn
}
