package handoffs

import (
	"math"
	"time"
)

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
	u.Tokens = int(sumUsage(int64(u.Tokens), int64(more.Tokens)))
	u.Calls = int(sumUsage(int64(u.Calls), int64(more.Calls)))
	u.Time = time.Duration(sumUsage(int64(u.Time), int64(more.Time)))
}

// sumUsage adds what was used, up to the most that a number holds.
func sumUsage(a, b int64) int64 {
	if b = max(0, b); a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
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
