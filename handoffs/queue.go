package handoffs

import "time"

// QueuePolicy orders the handoffs that wait for a free target.
type QueuePolicy struct {
	// Levels are the places of priorities; nil: urgent 1, high 2, normal 5,
	// low 10. The lowest goes first, of equals the one that waits longest.
	Levels map[Priority]int
	// Ageing lowers a waiting handoff's level by one for each such time, so
	// that none waits for ever; 0 or less: no ageing.
	Ageing time.Duration
	Most   int // that may wait; 0: no bound; more are rejected with CodeLimit
}

// Level returns the place of a priority in the queue. A priority that Levels
// leave out has the place that it has without Levels; one that is not known at
// all counts as Normal.
func (p QueuePolicy) Level(priority Priority) int {
	if level, ok := p.Levels[priority]; ok {
		return level
	}
	switch priority {
	case Urgent:
		return 1
	case High:
		return 2
	case Low:
		return 10
	}
	if level, ok := p.Levels[Normal]; ok {
		return level
	}
	return 5
}

// next returns the index of the offer that begins next, -1 if none can: of
// those whose target is free and that are in time the one with the lowest
// level, of equals the one that waits longest, then the first. Offers that wait
// for a person, for a retry or for their target's word are passed over.
func (p QueuePolicy) next(q []Offer, now time.Time, free func(agent string) bool) int {
	best, least := -1, 0
	for i := range q {
		o := &q[i]
		if !o.waitsForRoom(now) {
			continue
		}
		level := p.aged(o, now)
		if best >= 0 && (level > least || level == least && !o.Since.Before(q[best].Since)) {
			continue
		}
		if free(o.To) {
			best, least = i, level
		}
	}
	return best
}

// waitsForRoom reports whether an offer waits for nothing but a free target.
func (o *Offer) waitsForRoom(now time.Time) bool {
	late := !o.Due.IsZero() && !o.Due.After(now)
	return o.Status == PendingAccept && !o.External && !late && !o.Next.After(now)
}

// aged returns the level of an offer after the time that it has waited.
func (p QueuePolicy) aged(o *Offer, now time.Time) int {
	waited := now.Sub(o.Since)
	if p.Ageing <= 0 || waited <= 0 {
		return o.Level
	}
	return o.Level - int(waited/p.Ageing)
}
