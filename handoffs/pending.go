package handoffs

import (
	"cmp"
	"slices"
)

// Pending returns the handoffs to an agent that are open: first those that
// wait, for an approval, for the agent to accept them, to be free or to be
// tried again, by the level of their priority and then by age; then those that
// it works on. An empty agent asks for all of them. What was set aside by a
// switch is not among them. The desk and the log are of one session; a nil desk
// has nothing open.
func Pending(log Log, desk *Desk, agent string) []Handoff {
	if desk == nil {
		return nil
	}
	var out []Handoff
	queue := slices.Clone(desk.Queue)
	slices.SortStableFunc(queue, func(a, b Offer) int { return cmp.Or(cmp.Compare(a.Level, b.Level), a.Since.Compare(b.Since)) })
	for i := range queue {
		if o := &queue[i]; o.Record != nil && (agent == "" || o.To == agent) {
			out = append(out, o.handoff())
		}
	}
	for i := range desk.Frames {
		f := &desk.Frames[i]
		if f.Handoff == "" || f.Settled || agent != "" && f.Agent != agent {
			continue
		}
		if at := beginning(log, f.Handoff); at >= 0 {
			var h Handoff
			h.read(log, at)
			out = append(out, h.explained(log, at))
		}
	}
	return out
}

// handoff is an offer as a handoff.
func (o *Offer) handoff() Handoff {
	return Handoff{Record: *o.Record, To: o.To, Status: o.Status, Attempts: max(0, o.Attempt-1)}
}

// beginning returns the place of a handoff's first entry, or -1.
func beginning(log Log, handoff string) int {
	for i := log.Len() - 1; i >= 0; i-- {
		if e := log.At(i); e.Record != nil && e.Record.ID == handoff {
			return i
		}
	}
	return -1
}
