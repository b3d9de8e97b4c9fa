package handoffs

// Budgets of tokens are a tree. A frame with a limit of tokens has them from the
// frame it works for, the outermost ones from the session's limit. What a frame
// may still promise is its limit, less what it and those it called have spent,
// less what its callees may still spend. Nothing of that is stored: it follows
// from the frames that are open, so that what a frame leaves is free as soon as
// it has ended.
//
// At every time spent + promised <= limit holds for each of them, as far as no
// turn spends more than its frame had left: what a turn costs is known only behind
// it. What was spent too much is missing at all frames above, so it is never
// promised to anybody else.

// remaining is how many tokens a frame may still spend or promise: the least
// that it and the frames above it have left. It may be below 0 if turns cost
// more than they had. Without a bound it is 0 and false. The frame may be nil:
// nothing bounds it then.
func remaining(d *Desk, frame *Frame) (tokens int, bounded bool) {
	return tokensUpTo(d, frame, 0)
}

// tokensLeft is remaining with the limits of the run and its class above, of
// which the least counts.
func (p *Policy) tokensLeft(d *Desk, frame *Frame, class string) (tokens int, bounded bool) {
	return tokensUpTo(d, frame, least(p.Limits.Tokens, p.Classes[class].Tokens))
}

// tokensUpTo is remaining with a limit of the session; 0: none.
func tokensUpTo(d *Desk, frame *Frame, session int) (tokens int, bounded bool) {
	left := &leftover{d: d}
	for f := range d.upward(frame) {
		if f.Limits.Tokens != 0 {
			left.level(f, granted(f)-f.Spent.Tokens)
		}
	}
	if session != 0 {
		left.level(nil, max(0, session)-d.Spent.Tokens)
	}
	return left.tokens, left.bounded
}

// leftover goes up from a frame and keeps the least that is left.
type leftover struct {
	d       *Desk
	inner   *Frame // the last level
	aside   int    // promised to others, on all levels so far
	tokens  int
	bounded bool
}

// level looks at a frame with a limit, or with nil at the session, of which so
// much is not spent.
func (l *leftover) level(f *Frame, unspent int) {
	l.aside = addUp(l.aside, promised(l.d, f))
	if l.inner != nil {
		l.aside -= owed(l.inner)
	}
	if left := unspent - l.aside; !l.bounded || left < l.tokens {
		l.tokens = left
	}
	l.inner, l.bounded = f, true
}

// granted is the number of tokens a frame with a limit was given.
func granted(f *Frame) int { return max(0, f.Limits.Tokens) }

// owed is what a frame with a limit may still spend.
func owed(f *Frame) int { return max(0, granted(f)-f.Spent.Tokens) }

// promised is what frames and waiting handoffs right under a level may still
// spend. The level is a frame with a limit, or nil: the session.
func promised(d *Desk, level *Frame) int {
	n := 0
	for f := range d.all() {
		if f.Limits.Tokens > 0 && under(d, d.open(f.Caller), level) {
			n = addUp(n, owed(f))
		}
	}
	d.held(func(o *Offer) {
		if o.Frame.Limits.Tokens > 0 && under(d, d.sourceOf(o), level) {
			n = addUp(n, owed(&o.Frame))
		}
	})
	return n
}

// under reports whether level is the first one with a limit, from a frame on
// upward.
func under(d *Desk, from, level *Frame) bool {
	for f := range d.upward(from) {
		if f.Limits.Tokens != 0 {
			return level != nil && f.ID == level.ID
		}
	}
	return level == nil
}

// sourceOf is the frame that a waiting handoff has its tokens from: its source
// while that waits for it.
func (d *Desk) sourceOf(o *Offer) *Frame {
	if f := d.open(o.Source); f != nil {
		return f
	}
	return d.open(o.Frame.Caller)
}
