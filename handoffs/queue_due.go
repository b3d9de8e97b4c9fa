package handoffs

import "time"

// nextDue returns the earliest time at which something on the desk is due by
// itself, and whether there is such a time. What is due then may be in the
// past already. Work that was parked is not looked at: its clocks stand still.
func nextDue(d *Desk) (time.Time, bool) {
	var first time.Time
	sooner := func(at time.Time) {
		if !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	for i := range d.Queue {
		sooner(d.Queue[i].due())
	}
	for i := range d.Groups {
		sooner(d.Groups[i].Due)
	}
	for i := range d.Frames {
		f := &d.Frames[i]
		if f.State == FrameWaiting {
			sooner(f.Wake)
		}
		if f.Limits.Time > 0 && !f.Begun.IsZero() {
			sooner(f.Begun.Add(f.Limits.Time))
		}
	}
	return first, !first.IsZero()
}

// due is when something becomes of an offer by itself: its next attempt, if it
// waits for a retry, else the end of the time in which its target must accept or a
// person must answer; zero: never.
func (o *Offer) due() time.Time {
	if o.Status == Failed {
		return o.Next
	}
	return o.Due
}

// Due reports whether something of a session is due by a time: an offer that was
// not accepted in time, a wait that is over, another attempt.
func (d *Desk) Due(now time.Time) bool {
	at, ok := nextDue(d)
	return ok && !now.Before(at)
}
