package handoffs

import "time"

// charge adds what a turn cost to its frame, to the frames that wait for it, and
// to the session. frame finds an open frame by its id, nil if there is none.
// What agents tell below 0 counts as nothing, so that nobody wins back what was
// spent.
func charge(session *Usage, f *Frame, frame func(id string) *Frame, u Usage) {
	session.charge(u)
	for depth := 0; f != nil && depth < mostChain; depth++ {
		f.Spent.charge(u)
		if f.Caller == "" {
			return
		}
		f = frame(f.Caller)
	}
}

// mostChain ends the way upward on a desk whose frames wait for one another in a
// circle.
const mostChain = 10_000

func (u *Usage) charge(more Usage) {
	u.Tokens = addUp(u.Tokens, more.Tokens)
	u.Calls = addUp(u.Calls, more.Calls)
	u.Time = addUp(u.Time, more.Time)
}

// addUp adds b to a, if it is not below 0. Where the sum does not fit it is the
// larger of both, which nobody has anyway.
func addUp[N int | time.Duration](a, b N) N {
	if sum := a + max(0, b); sum >= a {
		return sum
	}
	return max(a, b)
}

// cutLoose takes what a frame may still spend from the limits of the frames that
// it worked for, before it works on for nobody: it keeps its tokens, and they
// must not be there twice.
func cutLoose(f *Frame, frame func(id string) *Frame) {
	if f.Limits.Tokens <= 0 {
		return
	}
	n := owed(f)
	for depth := 0; f.Caller != "" && depth < mostChain; depth++ {
		if f = frame(f.Caller); f == nil {
			return
		}
		if f.Limits.Tokens > 0 {
			f.Limits.Tokens = restLimit(f.Limits.Tokens - n)
		}
	}
}
