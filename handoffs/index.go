package handoffs

import "github.com/graphrun/graphrun/checkpoint"

// IndexTable is the table of IndexRows.
const IndexTable = "agent_handoffs"

// IndexRows returns a row for each handoff that a session's log tells
// something new about, before being the log as it was: the handoff as it stands
// now, in place of the row that it had. Its key is the handoff's id. What it
// reads of the log is what is new, and back to where the handoffs that this is
// about began. It is for graph.Builder.AddIndex.
//
// The column session_id is the session, or, if that is "", the thread that the
// row is stored with: what a fork has taken over into a thread of its own is one
// of that thread's handoffs. Durations are in
// milliseconds, the payload is a text of JSON, times are texts as RFC 3339 has
// them, in UTC; a column of which nothing is known is NULL. Where the store has
// indexes the history of a session and its counts by agents are found by them.
func IndexRows(session string, before, after Log) []checkpoint.Row {
	from := before.Len()
	if !continues(before, after) {
		from = 0
	}
	var rows []checkpoint.Row
	for i := from; i < after.Len(); i++ {
		at := firstTold(after, i, from)
		if at < 0 {
			continue
		}
		var h Handoff
		h.read(after, at)
		rows = append(rows, indexRow(session, &h))
	}
	return rows
}

// continues reports whether a log goes on where another one ends.
func continues(before, after Log) bool {
	n := before.Len()
	if n == 0 || n > after.Len() {
		return n == 0
	}
	a, b := before.At(n-1), after.At(n-1)
	return a == b || a.Seq == b.Seq && a.Handoff == b.Handoff && a.At.Equal(b.At)
}

// firstTold returns the place where the handoff of entry i begins; -1 if the
// entry is about none, or one between from and i is about the same. It reads
// backwards, no further than that.
func firstTold(log Log, i, from int) int {
	e := log.At(i)
	switch {
	case e.Handoff == "":
		return -1
	case e.Record != nil:
		return i
	}
	for j := i - 1; j >= 0; j-- {
		o := log.At(j)
		if o.Handoff != e.Handoff {
			continue
		}
		if j >= from {
			return -1
		}
		if o.Record != nil {
			return j
		}
	}
	return -1
}
