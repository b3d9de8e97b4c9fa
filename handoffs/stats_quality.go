package handoffs

import "time"

// Quality tells how well work was handed over, as far as a log shows it.
type Quality struct {
	// Bounces are handoffs back to whom the work came from, as the first thing
	// that its target handed on; BounceRate is their share of the accepted ones.
	Bounces    int     `json:"bounces"`
	BounceRate float64 `json:"bounceRate"`
	// AskedBack are handoffs back to whom the work came from for the reason
	// Clarification: the source had not told enough.
	AskedBack int `json:"askedBack"`
	// Repeats are accepted handoffs from and to the same agents with the same
	// context as one before.
	Repeats int `json:"repeats"`
	// EmptyReturns are returns that did not fail and brought nothing: no text,
	// no value, no outputs.
	EmptyReturns int `json:"emptyReturns"`
	// TimeToOwner is how long the work looked for its owner: from the first
	// request until the last transfer or escalation began; 0 if none has.
	TimeToOwner time.Duration `json:"timeToOwner"`
}

// qualityOf computes the figures of a session.
func qualityOf(log Log) Quality {
	var q Quality
	hops := hopsOf(log)
	seen := map[[3]string]bool{}
	for i := range hops {
		h := &hops[i]
		q.back(h, hops)
		if key := [3]string{h.From, h.To, h.Hash}; h.Hash != "" {
			if seen[key] {
				q.Repeats++
			}
			seen[key] = true
		}
		if h.Kind == Transfer || h.Kind == Escalate {
			q.TimeToOwner = h.Started.Sub(hops[0].At)
		}
	}
	if len(hops) > 0 {
		q.BounceRate = float64(q.Bounces) / float64(len(hops))
	}
	for e := range log.All() {
		if r := e.Result; e.Event == EventReturn && r != nil && r.Status != Failed && r.Text == "" && r.Value == nil && len(r.Outputs) == 0 {
			q.EmptyReturns++
		}
	}
	return q
}

// back counts a handoff that goes back to where its source's work came from.
func (q *Quality) back(h *statsHop, hops []statsHop) {
	if h.before < 0 || hops[h.before].From != h.To {
		return
	}
	if h.first {
		q.Bounces++
	}
	if h.Reason == Clarification {
		q.AskedBack++
	}
}
