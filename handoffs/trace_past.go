package handoffs

import (
	"cmp"
	"slices"
	"strconv"
)

// handoffPast is what the log tells of a handoff up to one of its entries.
type handoffPast struct {
	record *Record        // nil: the log does not have it
	to     string         // with the entry itself
	edits  map[string]any // that a person has made
	why    []string

	// Before the entry:
	announced bool // it was offered to its target or accepted
	accepted  bool
	ended     bool
	attempts  int // that had begun
}

// pastOf reads backwards from entry i to the first one of its handoff.
func pastOf(log Log, i int) (p handoffPast) {
	e := log.At(i)
	p.see(e)
	for id := e.Handoff; p.record == nil && i > 0; {
		i--
		if e = log.At(i); e.Handoff == id {
			p.see(e)
			p.note(e)
		}
	}
	if p.record != nil {
		p.to, p.record = cmp.Or(p.to, p.record.To), p.record.edited(p.edits)
	}
	return p
}

// see takes what counts with the entry that is asked about. It is called for
// newer entries first.
func (p *handoffPast) see(e *Entry) {
	p.record = e.Record
	if e.Event == "" && p.to == "" {
		p.to = e.To
	}
	if p.edits == nil {
		p.edits = e.edits()
	}
	p.why = slices.Concat(e.Why, p.why)
}

// note takes what an earlier entry tells.
func (p *handoffPast) note(e *Entry) {
	p.attempts = max(p.attempts, e.Attempt)
	for _, s := range e.Stages {
		p.pass(s)
	}
}

// pass takes a status that was passed.
func (p *handoffPast) pass(s Status) {
	p.accepted = p.accepted || s == Accepted
	p.announced = p.announced || s == Accepted || s == PendingAccept
	p.ended = p.ended || s.ends()
	if s == Running {
		p.attempts = max(p.attempts, 1)
	}
}

// attemptID makes the id of what happened in one attempt.
func attemptID(id string, attempt int) string { return id + "/" + strconv.Itoa(attempt) }
