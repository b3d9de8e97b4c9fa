package handoffs

import (
	"iter"
	"slices"
	"time"
)

// Handoff is a handoff as it stands, read from the log of its session. Its
// Record is what was asked for, the rest is what came of it. What it refers to
// belongs to the log and must not be changed.
type Handoff struct {
	Record
	To       string    `json:"toAgentId"` // whom it went to; Record.To is whom it was asked for
	Status   Status    `json:"status"`
	Accepted time.Time `json:"acceptedAt,omitzero"` // zero: it was not
	Started  time.Time `json:"startedAt,omitzero"`  // when its target began; zero: it has not
	Ended    time.Time `json:"endedAt,omitzero"`    // when it got its last status; zero: it is open
	Attempts int       `json:"attempts,omitempty"`  // of its target; 0: none

	Code    Code     `json:"code,omitempty"`  // why it was rejected or failed
	Codes   []Code   `json:"codes,omitempty"` // all codes that spoke against it
	Message string   `json:"message,omitempty"`
	Why     []string `json:"why,omitempty"` // how rules and people came to it
	Result  *Outcome `json:"result,omitempty"`
	Context *Sent    `json:"context,omitempty"`
	Usage   Usage    `json:"usage,omitzero"` // of its target and those that it called
}

// Latency is the time from the request until the target began, with all
// approvals and queues between; 0 if it has not begun.
func (h *Handoff) Latency() time.Duration {
	if h.Started.IsZero() {
		return 0
	}
	return h.Started.Sub(h.At)
}

// Duration is the time that the target worked, with its retries; 0 if it has
// not begun or not ended.
func (h *Handoff) Duration() time.Duration {
	if h.Started.IsZero() || h.Ended.IsZero() {
		return 0
	}
	return h.Ended.Sub(h.Started)
}

// Filter chooses handoffs. The zero Filter takes all that were asked for,
// those that were rejected among them.
type Filter struct {
	From, To string    // agents; "": any. To is whom a handoff went to in the end
	Status   []Status  // where it stands; nil: anywhere
	Kinds    []Kind    // nil: all but Return, Refuse, Wait and Report, which hand nothing over
	Since    time.Time // only those asked for then or later; zero: from the first on
	// Accepted takes only those that were accepted, whatever came of them.
	Accepted bool
	// IncludeReturns adds a row for every return, whatever Kinds and Accepted
	// say: of the Kind Return, from who was called to who called, with the ID
	// of the call.
	IncludeReturns bool
}

// History yields the handoffs of a session that the filter takes, in the order
// in which they were asked for. The log is one session's: those of others have
// logs of their own, of which this one knows nothing.
func History(log Log, f Filter) iter.Seq[Handoff] {
	return func(yield func(Handoff) bool) {
		for i := range log.Len() {
			var h Handoff
			if f.row(&h, log, i) && !yield(h.explained(log, i)) {
				return
			}
		}
	}
}

// Last returns the newest of the handoffs that History yields; false: there is
// none. It reads the log from its end.
func Last(log Log, f Filter) (Handoff, bool) {
	var h Handoff
	for i := log.Len() - 1; i >= 0; i-- {
		if f.row(&h, log, i) {
			return h.explained(log, i), true
		}
	}
	return Handoff{}, false
}

// Count returns how many handoffs History yields. It allocates nothing.
func Count(log Log, f Filter) (n int) {
	var h Handoff
	for i := range log.Len() {
		if f.row(&h, log, i) {
			n++
		}
	}
	return n
}

// row reads the handoff, or the return, that begins with entry i, and reports
// whether there is one that the filter takes.
func (f *Filter) row(h *Handoff, log Log, i int) bool {
	e := log.At(i)
	switch {
	case e.Record != nil && f.asks(e.Record):
		h.read(log, i)
		if f.Accepted && h.Accepted.IsZero() {
			return false
		}
	case e.Event == EventReturn && f.IncludeReturns:
		h.readReturn(e)
	default:
		return false
	}
	return (f.From == "" || f.From == h.From) && (f.To == "" || f.To == h.To) &&
		!h.At.Before(f.Since) && (f.Status == nil || slices.Contains(f.Status, h.Status))
}

// asks reports whether the filter may take a handoff of this record, before
// its life is read.
func (f *Filter) asks(r *Record) bool {
	if f.From != "" && f.From != r.From {
		return false
	}
	if f.Kinds != nil {
		return slices.Contains(f.Kinds, r.Kind)
	}
	switch r.Kind {
	case Return, Refuse, Wait, Report:
		return false
	}
	return true
}
