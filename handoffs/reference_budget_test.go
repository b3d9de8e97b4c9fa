package handoffs_test

// full reports whether the agent, or one that waits for it, has made all
// handoffs that it may make.
func (s *refStack) full() bool {
	for ; s != nil; s = s.caller {
		if s.most < 0 || s.most > 0 && s.handed >= s.most {
			return true
		}
	}
	return false
}

// spend charges a turn's tokens to the stack and to all that wait for it.
func (s *refStack) spend() {
	n := s.does.Tokens
	if s.does.Fail != "" {
		return // nobody told
	}
	if left, bounded := s.left(); bounded {
		s.run.over += max(0, n-max(0, left))
	}
	s.run.tokens += n
	for o := s; o != nil; o = o.caller {
		o.spent += n
	}
}

// owed is what a stack may still use of what it was given.
func (s *refStack) owed() int { return max(0, s.grant-s.spent) }

// left is how many tokens the stack may still use or give away: what it was
// given and what those above it have left, less what it cost and less what was
// promised to others.
func (s *refStack) left() (n int, bounded bool) {
	aside := 0
	var inner *refStack
	level := func(at *refStack, unspent int) {
		aside += s.run.promised(at)
		if inner != nil {
			aside -= inner.owed()
		}
		if left := unspent - aside; !bounded || left < n {
			n = left
		}
		inner, bounded = at, true
	}
	for o := s; o != nil; o = o.caller {
		if o.grant != 0 {
			level(o, max(0, o.grant)-o.spent)
		}
	}
	if s.run.p.Tokens > 0 {
		level(nil, s.run.p.Tokens-s.run.tokens)
	}
	return n, bounded
}

// promised is what others may still use of a stack's tokens; nil: of the
// session's.
func (r *refRun) promised(of *refStack) (n int) {
	for _, s := range r.open {
		if s.grant > 0 && s.caller.bounding() == of {
			n += s.owed()
		}
	}
	for _, o := range r.queue {
		from := o.source
		if o.child != nil {
			from = o.child.caller
		}
		if o.grant > 0 && from.bounding() == of {
			n += o.grant
		}
	}
	return n
}

// bounding is the first of a stack and those above it that was given a number
// of tokens; nil: none was.
func (s *refStack) bounding() *refStack {
	for ; s != nil; s = s.caller {
		if s.grant != 0 {
			return s
		}
	}
	return nil
}

// inherited is what the next agent of a stack may use: what it is given, and, as
// it owes the stack's result, at most what the stack has left.
func (s *refStack) inherited(op *rndOp) (grant, most int) {
	grant, most = op.Budget, op.Most
	if !s.owes {
		return grant, most
	}
	if s.grant != 0 {
		left, _ := s.left()
		if left = rest(left); grant == 0 || left < grant {
			grant = left
		}
	}
	if s.most > 0 {
		if left := rest(s.most - s.handed - 1); most == 0 || left < most {
			most = left
		}
	}
	return grant, most
}

// rest is a limit of so much; one of 0 would be none.
func rest(n int) int {
	if n <= 0 {
		return -1
	}
	return n
}

// cutLoose takes the tokens that a stack keeps from those that it worked for.
func (s *refStack) cutLoose(grant int) {
	if grant <= 0 {
		return
	}
	n := max(0, grant-s.spent)
	for o := s.caller; o != nil; o = o.caller {
		if o.grant > 0 {
			o.grant = rest(o.grant - n)
		}
	}
}
