package handoffs_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
)

// anyLog makes a log of bytes, sound or not: three of them are an entry.
func anyLog(data []byte) *logKit {
	stages := []handoffs.Status{
		handoffs.Requested, handoffs.Validated, handoffs.AwaitingApproval, handoffs.PendingAccept, handoffs.Accepted, handoffs.Running,
		handoffs.Completed, handoffs.Returned, handoffs.Partial, handoffs.Failed, handoffs.Rejected, handoffs.TimedOut,
		handoffs.Cancelled, handoffs.Superseded, handoffs.Suspended, "unknown",
	}
	events := []string{"", "", "", "", handoffs.EventReturn, handoffs.EventTask, handoffs.EventRetry, handoffs.EventBreaker}
	kinds := []handoffs.Kind{handoffs.Transfer, handoffs.Call, handoffs.Resume, handoffs.Wait}
	k, seen := newLog(), map[string]bool{}
	for ; len(data) >= 3; data = data[3:] {
		a, b, c := int(data[0]), int(data[1]), int(data[2])
		e := handoffs.Entry{Handoff: fmt.Sprint("h", a%4), From: string(rune('a' + b%3)), To: string(rune('a' + b/3%3)), Kind: kinds[b/9%4],
			Event: events[c%8], Attempt: c / 128, Stages: []handoffs.Status{stages[a/4%16], stages[c/8%16]}[:a/64%3]}
		if !seen[e.Handoff] && a%8 < 6 {
			seen[e.Handoff] = true
			e.Event = ""
			e.Record = &handoffs.Record{ID: e.Handoff, From: e.From, To: e.To, Kind: e.Kind, Session: "s", At: k.at}
		}
		k.add(e)
		k.wait(1)
	}
	return k
}

// FuzzViews looks at logs that nobody would write: views agree with one
// another, tell nothing twice and do not depend on how a log was cut.
func FuzzViews(f *testing.F) {
	f.Add([]byte("\x00\x01\x00\x80\x01\x28\x40\x01\x0c"))
	f.Add([]byte("\x51\x22\x20\x91\x22\x28\x01\x22\x05\x59\x22\x04"))
	f.Add([]byte("handoffs there and back again, all over the place!"))
	f.Fuzz(func(t *testing.T, data []byte) {
		k := anyLog(data)
		log := k.log()
		for _, filter := range []handoffs.Filter{{}, {IncludeReturns: true, To: "b"}, {Accepted: true}, {Status: []handoffs.Status{handoffs.Failed, ""}}} {
			all := slices.Collect(handoffs.History(log, filter))
			require.Equal(t, len(all), handoffs.Count(log, filter))
			last, ok := handoffs.Last(log, filter)
			require.Equal(t, len(all) > 0, ok)
			if ok {
				require.Equal(t, all[len(all)-1], last)
			}
		}
		s := handoffs.Statistics(log, nil)
		require.Equal(t, handoffs.Count(log, handoffs.Filter{Accepted: true}), s.Accepted)
		handoffs.Patterns(log)
		_, err := handoffs.Flow(log, graph.Mermaid)
		require.NoError(t, err)
		seen := map[string]bool{}
		for m := range handoffs.BusMessages("s", log) {
			require.False(t, seen[m.ID], m.ID)
			seen[m.ID] = true
		}
		for e := range handoffs.TraceEvents("s", log) {
			require.NotEmpty(t, e.Handoff)
			if e.Type == handoffs.TraceHandoff {
				require.False(t, seen[e.ID], e.ID)
				seen[e.ID] = true
			}
		}
		whole := handoffs.IndexRows("s", handoffs.Log{}, log)
		require.NoError(t, checkpoint.CheckRows(whole))
		half := len(k.entries) / 2
		parts := append(handoffs.IndexRows("s", handoffs.Log{}, handoffs.LogOf(k.entries[:half])), handoffs.IndexRows("s", handoffs.LogOf(k.entries[:half]), log)...)
		require.Equal(t, byKey(whole), byKey(parts))
	})
}

// byKey returns the rows as they stand in the table.
func byKey(rows []checkpoint.Row) map[string]checkpoint.Row {
	table := map[string]checkpoint.Row{}
	for _, r := range rows {
		table[r.Key] = r
	}
	return table
}
