package handoffs_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/handoffs"
)

// shortly tells handoffs by id, ends and status.
func shortly(all ...handoffs.Handoff) (out []string) {
	for _, h := range all {
		out = append(out, fmt.Sprintf("%s %s>%s %s", h.ID, h.From, h.To, h.Status))
	}
	return out
}

// mixedLog is a log with a bit of everything.
func mixedLog() *logKit {
	k := newLog()
	h1 := k.hand("dojo", "librarian", nil)
	h2 := k.call("librarian", "scout")
	k.back(h2, completedWith("found"))
	h3 := k.reject("librarian", "nobody", handoffs.CodeNotFound)
	h4 := k.ask("librarian", "debugger", nil, handoffs.Validated, handoffs.AwaitingApproval)
	k.add(handoffs.Entry{Event: handoffs.EventSignal, Message: "quote"})
	e := k.stage(h4, handoffs.Accepted, handoffs.Running)
	e.To, e.Why = "dojo", []string{"redirect by ada"}
	k.done(h1, handoffs.Completed)
	h5 := k.ask("dojo", "debugger", nil, handoffs.Superseded)
	h6 := k.call("dojo", "scout")
	k.back(h6, handoffs.Outcome{Status: handoffs.Failed, Code: handoffs.CodeFailed, Error: "out of paper"})
	k.ask("dojo", "printer", nil, handoffs.Validated, handoffs.PendingAccept)
	k.ask("dojo", "", func(r *handoffs.Record) { r.Kind = handoffs.Return }, handoffs.Rejected)
	k.add(handoffs.Entry{Event: handoffs.EventSuspend, Handoff: h4, From: "dojo", Stages: []handoffs.Status{handoffs.Suspended}})
	_, _ = h3, h5
	return k
}

func TestHistory(t *testing.T) {
	all := []string{
		"h1 dojo>librarian completed", "h2 librarian>scout returned", "h3 librarian>nobody rejected", "h4 librarian>dojo suspended",
		"h5 dojo>debugger superseded", "h6 dojo>scout failed", "h7 dojo>printer pending",
	}
	for name, c := range map[string]struct {
		filter handoffs.Filter
		want   []string
	}{
		"all":               {handoffs.Filter{}, all},
		"from":              {handoffs.Filter{From: "dojo"}, []string{all[0], all[4], all[5], all[6]}},
		"to, where it went": {handoffs.Filter{To: "dojo"}, []string{all[3]}},
		"to, as it was asked, is not what counts": {handoffs.Filter{From: "librarian", To: "debugger"}, nil},
		"status":             {handoffs.Filter{Status: []handoffs.Status{handoffs.Failed, handoffs.Suspended}}, []string{all[3], all[5]}},
		"no status":          {handoffs.Filter{Status: []handoffs.Status{}}, nil},
		"accepted":           {handoffs.Filter{Accepted: true}, []string{all[0], all[1], all[3], all[5]}},
		"kinds":              {handoffs.Filter{Kinds: []handoffs.Kind{handoffs.Call, handoffs.Return}}, []string{all[1], all[5], "h8 dojo> rejected"}},
		"since":              {handoffs.Filter{Since: viewsNoon.Add(10 * time.Second)}, []string{all[6]}},
		"since, to the nano": {handoffs.Filter{Since: viewsNoon.Add(time.Second)}, all},
		"returns":            {handoffs.Filter{From: "scout", IncludeReturns: true}, []string{"h2 scout>librarian returned", "h6 scout>dojo failed"}},
		"returns in their place": {handoffs.Filter{Kinds: []handoffs.Kind{handoffs.Call}, IncludeReturns: true},
			[]string{all[1], "h2 scout>librarian returned", all[5], "h6 scout>dojo failed"}},
	} {
		t.Run(name, func(t *testing.T) {
			log := mixedLog().log()
			got := slices.Collect(handoffs.History(log, c.filter))
			require.Equal(t, c.want, shortly(got...))
			require.Equal(t, len(c.want), handoffs.Count(log, c.filter))
			last, ok := handoffs.Last(log, c.filter)
			require.Equal(t, len(got) > 0, ok)
			if ok {
				require.Equal(t, got[len(got)-1], last)
			}
		})
	}
}

func TestHistoryTellsTheWholeLifeOfAHandoff(t *testing.T) {
	k := newLog()
	id := k.ask("a", "b", func(r *handoffs.Record) { r.Kind, r.Task = handoffs.Call, "count" }, handoffs.Validated, handoffs.AwaitingApproval)
	k.entries[0].Why = []string{"edge a->b"}
	e := k.wait(time.Minute).stage(id, handoffs.PendingAccept)
	e.Why = []string{"approve by ada: fine"}
	e = k.stage(id, handoffs.Accepted, handoffs.Running)
	e.Context = &handoffs.Sent{Policy: handoffs.ContextLast, Tokens: 9}
	k.add(handoffs.Entry{Event: handoffs.EventRetry, Handoff: id, From: "a", To: "b", Attempt: 2, Code: handoffs.CodeFailed, Message: "once more"})
	open, ok := handoffs.Last(k.log(), handoffs.Filter{})
	require.True(t, ok)
	require.Equal(t, handoffs.Running, open.Status)
	require.Equal(t, 2, open.Attempts)
	require.Empty(t, open.Code, "a retry is no failure of the handoff")
	require.Zero(t, open.Duration())
	require.Equal(t, 62*time.Second, open.Latency())

	k.wait(time.Hour).back(id, handoffs.Outcome{Status: handoffs.Partial, Text: "7", Code: handoffs.CodeJoin, Error: "one is missing"})
	k.stage(id, handoffs.Cancelled) // a last status is the last one
	h, _ := handoffs.Last(k.log(), handoffs.Filter{})
	require.Equal(t, handoffs.Handoff{
		Record: *k.entries[0].Record, To: "b", Status: handoffs.Partial,
		Accepted: viewsNoon.Add(63 * time.Second), Started: viewsNoon.Add(63 * time.Second), Ended: viewsNoon.Add(time.Hour + 64*time.Second),
		Attempts: 2, Code: handoffs.CodeJoin, Message: "one is missing", Why: []string{"edge a->b", "approve by ada: fine"},
		Result: k.entries[5].Result, Context: e.Context, Usage: handoffs.Usage{Tokens: 70},
	}, h)
	require.Equal(t, time.Hour+time.Second, h.Duration())
}

//
func TestHistoryOfDojoAndLibrarian(t *testing.T) {
	k := newLog()
	h1 := k.hand("dojo", "librarian", func(r *handoffs.Record) { r.Intent = "what did we decide?" })
	k.done(h1, handoffs.Completed)
	k.hand("librarian", "dojo", func(r *handoffs.Record) { r.Intent = "what did we decide?" })
	log := k.log()
	require.Equal(t, []string{"h1 dojo>librarian completed", "h2 librarian>dojo running"}, shortly(slices.Collect(handoffs.History(log, handoffs.Filter{}))...))
	last, ok := handoffs.Last(log, handoffs.Filter{})
	require.True(t, ok)
	require.Equal(t, "h2", last.ID)
	require.Equal(t, "what did we decide?", last.Intent)
	require.Equal(t, 2, handoffs.Count(log, handoffs.Filter{}))
	require.Equal(t, 1, handoffs.Count(log, handoffs.Filter{From: "dojo"}))
	require.Equal(t, 1, handoffs.Count(log, handoffs.Filter{To: "librarian"}))
	require.Zero(t, handoffs.Count(log, handoffs.Filter{From: "dojo", To: "dojo"}))
}

//
func TestRejectedHandoffsAreInTheLogAndNotAmongTheAccepted(t *testing.T) {
	k := newLog()
	for _, code := range []handoffs.Code{handoffs.CodeNotFound, handoffs.CodeSelf, handoffs.CodeSystem, handoffs.CodeCapability} {
		k.reject("bc", "x", code)
	}
	require.Equal(t, 4, handoffs.Count(k.log(), handoffs.Filter{}))
	require.Zero(t, handoffs.Count(k.log(), handoffs.Filter{Accepted: true}))
}

func TestHandoffAsJSONNamesWhomItWentTo(t *testing.T) {
	k := newLog()
	k.stage(k.ask("a", "b", nil, handoffs.Validated, handoffs.AwaitingApproval), handoffs.Accepted, handoffs.Running).To = "c"
	h, _ := handoffs.Last(k.log(), handoffs.Filter{})
	require.Equal(t, "b", h.Record.To)
	require.JSONEq(t, `{"handoffId": "h1", "fromAgentId": "a", "toAgentId": "c", "kind": "transfer", "reason": "delegation", "sessionId": "s1",
		"timestamp": "2026-05-04T12:00:01Z", "status": "running", "acceptedAt": "2026-05-04T12:00:02Z", "startedAt": "2026-05-04T12:00:02Z", "attempts": 1}`,
		indented(t, h))
	k.ask("a", "b", nil, handoffs.Validated, handoffs.AwaitingApproval)
	h, _ = handoffs.Last(k.log(), handoffs.Filter{})
	require.Zero(t, h.Latency())
}

func TestViewsEndWhenTheirLoopDoes(t *testing.T) {
	log := mixedLog().log()
	n := 0
	for range handoffs.History(log, handoffs.Filter{}) {
		n++
		break
	}
	for range handoffs.BusMessages("s", log) {
		n++
		break
	}
	for range handoffs.TraceEvents("s", log) {
		n++
		break
	}
	require.Equal(t, 3, n)
}

func TestViewsOfAnEmptyLog(t *testing.T) {
	var log handoffs.Log
	require.Empty(t, slices.Collect(handoffs.History(log, handoffs.Filter{IncludeReturns: true})))
	_, ok := handoffs.Last(log, handoffs.Filter{})
	require.False(t, ok)
	require.Zero(t, handoffs.Count(log, handoffs.Filter{}))
	require.Empty(t, handoffs.Patterns(log))
	require.Empty(t, slices.Collect(handoffs.BusMessages("s", log)))
	require.Empty(t, slices.Collect(handoffs.TraceEvents("s", log)))
	require.Empty(t, handoffs.IndexRows("s", log, log))
}

// a view knows the log that it is given and nothing else.
func TestViewsShowOneSessionOnly(t *testing.T) {
	a, b := newLog(), newLog()
	b.session = "s2"
	a.hand("x", "y", nil)
	b.hand("x", "z", nil)
	require.Equal(t, []string{"h1 x>y running"}, shortly(slices.Collect(handoffs.History(a.log(), handoffs.Filter{}))...))
	require.Equal(t, []string{"h1 x>z running"}, shortly(slices.Collect(handoffs.History(b.log(), handoffs.Filter{}))...))
	for m := range handoffs.BusMessages("s2", b.log()) {
		require.Equal(t, "s2", m.Context.Session)
	}
	require.Equal(t, checkpoint.ThreadName{}, cell(handoffs.IndexRows("", handoffs.Log{}, b.log())[0], "session_id"))
}

func TestPending(t *testing.T) {
	k := newLog()
	h1 := k.hand("a", "b", nil)
	h2 := k.call("b", "c")
	ask := func(to string, s handoffs.Status) *handoffs.Record {
		return k.record(k.ask("b", to, nil, handoffs.Validated, s))
	}
	offer := func(r *handoffs.Record, level int, after time.Duration) handoffs.Offer {
		return handoffs.Offer{Record: r, To: r.To, Status: handoffs.PendingAccept, Level: level, Since: viewsNoon.Add(after)}
	}
	low, late, early := ask("c", handoffs.PendingAccept), ask("c", handoffs.PendingAccept), ask("c", handoffs.AwaitingApproval)
	desk := &handoffs.Desk{
		Frames: []handoffs.Frame{
			{Agent: "c", Handoff: h2},
			{Agent: "a"},
			{Agent: "c", Handoff: "h0", Settled: true},
			{Agent: "c", Handoff: "gone"},
			{Agent: "b", Handoff: h1},
		},
		Queue: []handoffs.Offer{offer(low, 10, 0), offer(late, 1, 2), offer(early, 1, 1)},
	}
	desk.Queue[2].Status = handoffs.AwaitingApproval
	require.Equal(t, []string{"h5 b>c awaiting_approval", "h4 b>c pending", "h3 b>c pending", "h2 b>c running"}, shortly(handoffs.Pending(k.log(), desk, "c")...))
	require.Equal(t, []string{"h1 a>b running"}, shortly(handoffs.Pending(k.log(), desk, "b")...))
	require.Len(t, handoffs.Pending(k.log(), desk, ""), 5)
	require.Empty(t, handoffs.Pending(k.log(), desk, "a"))
	require.Empty(t, handoffs.Pending(k.log(), nil, ""))
	require.Equal(t, "h3", desk.Queue[0].Record.ID, "the desk is as it was")
}

// randomLog writes n handoffs between a few agents.
func randomLog(seed uint64, n int) *logKit {
	r, k := rand.New(rand.NewPCG(seed, 1)), newLog()
	var open []string
	agent := func() string { return string(rune('a' + r.IntN(4))) }
	for range n {
		switch from, to := agent(), agent(); r.IntN(5) {
		case 0:
			k.reject(from, to, handoffs.CodeLoop)
		case 1:
			open = append(open, k.ask(from, to, nil, handoffs.Validated, handoffs.AwaitingApproval))
		case 2:
			open = append(open, k.call(from, to))
		default:
			open = append(open, k.hand(from, to, nil))
		}
		for len(open) > 3 || len(open) > 0 && r.IntN(2) == 0 {
			i := r.IntN(len(open))
			id := open[i]
			open = slices.Delete(open, i, i+1)
			if k.record(id).Kind == handoffs.Call {
				k.back(id, completedWith("x"))
			} else {
				k.done(id, handoffs.Completed)
			}
		}
	}
	return k
}

// Last and Count agree with History, whatever the filter.
func TestLastAndCountAgreeWithHistory(t *testing.T) {
	for seed := range uint64(200) {
		log := randomLog(seed, 12).log()
		for _, f := range []handoffs.Filter{
			{}, {From: "a"}, {To: "b"}, {From: "a", To: "b"}, {IncludeReturns: true}, {Accepted: true},
			{Status: []handoffs.Status{handoffs.Completed}}, {Status: []handoffs.Status{handoffs.AwaitingApproval, handoffs.Running}},
			{Kinds: []handoffs.Kind{handoffs.Call}, To: "c"}, {Since: viewsNoon.Add(9 * time.Second)},
		} {
			all := slices.Collect(handoffs.History(log, f))
			require.Equal(t, len(all), handoffs.Count(log, f))
			last, ok := handoffs.Last(log, f)
			require.Equal(t, len(all) > 0, ok)
			if ok {
				require.Equal(t, all[len(all)-1], last)
			}
		}
	}
}

func TestCountAllocatesNothing(t *testing.T) {
	log := randomLog(1, 100).log()
	f := handoffs.Filter{To: "b", Status: []handoffs.Status{handoffs.Completed, handoffs.Running}}
	require.Positive(t, handoffs.Count(log, f))
	require.Zero(t, testing.AllocsPerRun(10, func() { handoffs.Count(log, f) }))
}

func BenchmarkViews(b *testing.B) {
	log := randomLog(1, 1000).log()
	status := handoffs.Filter{Status: []handoffs.Status{handoffs.Completed}}
	b.Run("last", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			handoffs.Last(log, handoffs.Filter{})
		}
	})
	b.Run("count", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			handoffs.Count(log, handoffs.Filter{})
		}
	})
	b.Run("count of a status", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			handoffs.Count(log, status)
		}
	})
	b.Run("history", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for range handoffs.History(log, handoffs.Filter{}) {
			}
		}
	})
	b.Run("statistics", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			handoffs.Statistics(log, nil)
		}
	})
	b.Run("bus messages", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for range handoffs.BusMessages("s", log) {
			}
		}
	})
	b.Run("index rows of a step", func(b *testing.B) {
		b.ReportAllocs()
		before := handoffs.LogOf(randomLog(1, 1000).entries[:log.Len()-2])
		for b.Loop() {
			handoffs.IndexRows("s", before, log)
		}
	})
}
