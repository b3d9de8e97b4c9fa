package handoffs

import "slices"

// read folds the life of the handoff that begins with entry i: the entries
// behind it up to its last status, which nothing changes any more.
func (h *Handoff) read(log Log, i int) {
	first := log.At(i)
	*h = Handoff{Record: *first.Record, To: first.Record.To}
	h.add(first)
	for i++; i < log.Len() && h.Ended.IsZero(); i++ {
		if e := log.At(i); e.Handoff == h.ID {
			h.add(e)
		}
	}
}

// add folds one entry.
func (h *Handoff) add(e *Entry) {
	if e.Event == "" && e.To != "" { // those of events have ends of their own
		h.To = e.To
	}
	if e.Context != nil {
		h.Context = e.Context
	}
	if changes := e.edits(); changes != nil {
		h.Record = *h.edited(changes)
	}
	h.Attempts = max(h.Attempts, e.Attempt)
	if len(e.Stages) == 0 {
		return
	}
	for _, s := range e.Stages {
		h.pass(s, e)
	}
	h.Code, h.Codes, h.Message = e.Code, e.Codes, e.Message
	if e.Result != nil {
		h.Result = e.Result
	}
	if e.Usage != (Usage{}) {
		h.Usage = e.Usage
	}
}

// pass notes a status that an entry tells of.
func (h *Handoff) pass(s Status, e *Entry) {
	h.Status = s
	switch {
	case s == Accepted && h.Accepted.IsZero():
		h.Accepted = e.At
	case s == Running && h.Started.IsZero():
		h.Started = e.At
		h.Attempts = max(h.Attempts, 1)
	case s.ends():
		h.Ended = e.At
	}
}

// ends reports whether a status is a last one.
func (s Status) ends() bool {
	switch s {
	case Completed, Returned, Partial, Failed, Rejected, TimedOut, Cancelled, Superseded:
		return true
	}
	return false
}

// readReturn reads the row of a return.
func (h *Handoff) readReturn(e *Entry) {
	*h = Handoff{
		Record: Record{ID: e.Handoff, From: e.From, To: e.To, Kind: Return, At: e.At},
		To:     e.To, Status: e.Status(), Accepted: e.At, Started: e.At, Ended: e.At,
		Code: e.Code, Message: e.Message, Result: e.Result, Usage: e.Usage,
	}
}

// explained returns the handoff with what is told of how it came about, which
// several entries may tell. Entry i is its first.
func (h Handoff) explained(log Log, i int) Handoff {
	for ; i < log.Len() && (h.Ended.IsZero() || !log.At(i).At.After(h.Ended)); i++ {
		if e := log.At(i); e.Handoff == h.ID && len(e.Why) > 0 {
			h.Why = slices.Concat(h.Why, e.Why)
		}
	}
	return h
}
