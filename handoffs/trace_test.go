package handoffs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/bus"
)

// traced tells trace events by id, ends, status and code.
func traced(k *logKit) (out []string) {
	for e := range handoffs.TraceEvents(k.session, k.log()) {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s>%s %s %d %s", e.ID, e.From, e.To, e.Status, e.Attempt, e.Decision.Code)))
	}
	return out
}

func TestTraceEvents(t *testing.T) {
	for name, c := range map[string]struct {
		write func(k *logKit)
		want  []string
	}{
		"accepted":   {func(k *logKit) { k.done(k.hand("a", "b", nil), handoffs.Completed) }, []string{"h1/AGENT_HANDOFF a>b accepted 1"}},
		"rejected":   {func(k *logKit) { k.reject("a", "b", handoffs.CodeLoop) }, []string{"h1/HANDOFF_FAILURE a>b rejected 0 loop"}},
		"superseded": {func(k *logKit) { k.ask("a", "b", nil, handoffs.Superseded) }, []string{"h1/HANDOFF_FAILURE a>b superseded 0"}},
		"not approved": {func(k *logKit) {
			k.stage(k.ask("a", "b", nil, handoffs.Validated, handoffs.AwaitingApproval), handoffs.Rejected).Code = handoffs.CodeApproval
		}, []string{"h1/HANDOFF_FAILURE a>b rejected 0 not_approved"}},
		"redirected": {func(k *logKit) {
			k.stage(k.ask("a", "b", nil, handoffs.Validated, handoffs.AwaitingApproval), handoffs.Accepted, handoffs.Running).To = "c"
		}, []string{"h1/AGENT_HANDOFF a>c accepted 1"}},
		"not taken in time": {func(k *logKit) {
			k.stage(k.ask("a", "b", nil, handoffs.Validated, handoffs.PendingAccept), handoffs.TimedOut).Code = handoffs.CodeAcceptTime
		}, []string{"h1/HANDOFF_FAILURE a>b timed_out 0 accept_timeout"}},
		"failed twice": {func(k *logKit) {
			h := k.call("a", "b")
			k.add(handoffs.Entry{Event: handoffs.EventRetry, Handoff: h, From: "a", To: "b", Attempt: 2, Code: handoffs.CodeFailed})
			k.back(h, handoffs.Outcome{Status: handoffs.Failed, Code: handoffs.CodeBudget})
		}, []string{"h1/AGENT_HANDOFF a>b accepted 1", "h1/HANDOFF_FAILURE/1 a>b failed 1 failed", "h1/HANDOFF_FAILURE/2 a>b failed 2 budget"}},
		"begins later and fails": {func(k *logKit) {
			h := k.call("a", "b")
			k.add(handoffs.Entry{Event: handoffs.EventRetry, Handoff: h, From: "a", To: "b"})
			k.back(h, handoffs.Outcome{Status: handoffs.Failed, Code: handoffs.CodeBudget})
		}, []string{"h1/AGENT_HANDOFF a>b accepted 1", "h1/HANDOFF_FAILURE/1 a>b failed 1 budget"}},
		"accepted again for a retry": {func(k *logKit) {
			h := k.hand("a", "b", nil)
			k.stage(h, handoffs.Accepted, handoffs.Running).Attempt = 2
		}, []string{"h1/AGENT_HANDOFF a>b accepted 1"}},
		"cancelled": {func(k *logKit) { k.stage(k.hand("a", "b", nil), handoffs.Cancelled) }, []string{"h1/AGENT_HANDOFF a>b accepted 1"}},
		"unknown": {func(k *logKit) {
			k.add(handoffs.Entry{Event: handoffs.EventRetry, Handoff: "gone", Attempt: 2})
			k.add(handoffs.Entry{Handoff: "gone", Stages: []handoffs.Status{handoffs.Accepted, handoffs.Failed}})
		}, nil},
		"behind the end": {func(k *logKit) {
			h := k.reject("a", "b", handoffs.CodeLoop)
			k.stage(h, handoffs.Failed)
			k.add(handoffs.Entry{Event: handoffs.EventRetry, Handoff: h, Attempt: 2})
		}, []string{"h1/HANDOFF_FAILURE a>b rejected 0 loop"}},
		"two ends at once": {func(k *logKit) { k.ask("a", "b", nil, handoffs.Rejected, handoffs.TimedOut) },
			[]string{"h1/HANDOFF_FAILURE a>b rejected 0"}},
	} {
		t.Run(name, func(t *testing.T) {
			k := newLog()
			c.write(k)
			require.Equal(t, c.want, traced(k))
		})
	}
}

// events are linked to the decisions behind them.
func TestTraceLinesTellHowAHandoffWasDecided(t *testing.T) {
	k := newLog()
	k.hand("dojo", "debugger", func(r *handoffs.Record) {
		r.Intent, r.Trace, r.PlanStep, r.Explanation = "two perspectives contradict", "trace-7", "s2", "conflict"
		r.Capability, r.Rule, r.Trigger, r.Actor = "debug", "3.1", "CONFLICT", handoffs.ByRule
		r.Payload = map[string]any{"secret": "not for traces"}
	})
	k.entries[0].Why = []string{"rule 3.1 fired: conflicts = 2"}
	k.entries[0].Context = &handoffs.Sent{Policy: handoffs.ContextFull, Until: 12, Hash: "c0ffee", Tokens: 340}
	k.reject("debugger", "dojo", handoffs.CodeLoop, handoffs.CodeQuota)
	var out bytes.Buffer
	sink := handoffs.NewLineSink(&out)
	for e := range handoffs.TraceEvents("s1", k.log()) {
		require.NoError(t, sink.Log(t.Context(), e))
	}
	viewsGolden(t, "trace.jsonl", out.String())
}

// failingSink is a writer and a sink that fails.
type failingSink struct{ err error }

func (f failingSink) Write([]byte) (int, error)                          { return 0, f.err }
func (f failingSink) Log(_ context.Context, _ handoffs.TraceEvent) error { return f.err }

func TestLineSinkTellsOfErrors(t *testing.T) {
	full := errors.New("the disk is full")
	require.ErrorIs(t, handoffs.NewLineSink(failingSink{full}).Log(t.Context(), handoffs.TraceEvent{ID: "e"}), full)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	require.ErrorIs(t, handoffs.NewLineSink(&out).Log(ctx, handoffs.TraceEvent{}), context.Canceled)
	require.Empty(t, out.String())
}

func TestLineSinkKeepsLinesWhole(t *testing.T) {
	var out bytes.Buffer
	sink := handoffs.NewLineSink(&out)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 50 {
				if err := sink.Log(t.Context(), handoffs.TraceEvent{ID: fmt.Sprint(i), Session: "line\nbreak"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	require.Len(t, lines, 400)
	for _, line := range lines {
		var e handoffs.TraceEvent
		require.NoError(t, json.Unmarshal([]byte(line), &e))
	}
}

// unsteady is a bus that fails now and then, after or instead of publishing.
type unsteady struct {
	*bus.Local
	calls int
}

var errUnsteady = errors.New("the line is down")

func (b *unsteady) Publish(ctx context.Context, m bus.Message) error {
	switch b.calls++; b.calls % 5 {
	case 1:
		return errUnsteady
	case 3:
		return errors.Join(errUnsteady, b.Local.Publish(ctx, m))
	}
	return b.Local.Publish(ctx, m)
}

// noteIDs is a sink that notes what it was given.
type noteIDs struct{ got []string }

func (s *noteIDs) Log(_ context.Context, e handoffs.TraceEvent) error {
	s.got = append(s.got, e.ID)
	return nil
}

// whatever fails meanwhile, and however often it is told again, each
// message goes out once.
func TestOutboxTellsEverythingOnce(t *testing.T) {
	for seed := range uint64(20) {
		k := randomLog(seed, 15)
		var want []string
		for m := range handoffs.BusMessages("s1", k.log()) {
			want = append(want, m.ID)
		}
		local := bus.NewLocal(&bus.LocalConfig{Buffer: 1000})
		got, err := local.Subscribe(t.Context(), bus.Filter{})
		require.NoError(t, err)
		sink := &noteIDs{}
		box := handoffs.Outbox{Bus: &unsteady{Local: local}, Trace: sink}
		failures := 0
		for from, end := 0, 1; from < len(k.entries); end = min(end+1, len(k.entries)) {
			next, err := box.Publish(t.Context(), "s1", handoffs.LogOf(k.entries[:end]), from)
			if err != nil {
				require.ErrorIs(t, err, errUnsteady)
				failures++
				next = max(0, next-1) // what was kept of the position is older
			} else {
				require.Equal(t, end, next)
			}
			from = min(next, len(k.entries))
		}
		require.Positive(t, failures)
		require.NoError(t, local.Close())
		var have []string
		for m := range got {
			have = append(have, m.ID)
		}
		require.Equal(t, want, have)
		var events []string
		for e := range handoffs.TraceEvents("s1", k.log()) {
			events = append(events, e.ID)
		}
		slices.Sort(sink.got)
		slices.Sort(events)
		require.Equal(t, events, slices.Compact(sink.got))
	}
}

func TestOutboxTellsWhereItStopped(t *testing.T) {
	k := newLog()
	k.hand("a", "b", nil)
	k.reject("b", "c", handoffs.CodeLoop)
	full := errors.New("the disk is full")
	next, err := (&handoffs.Outbox{Trace: failingSink{full}}).Publish(t.Context(), "s1", k.log(), 1)
	require.ErrorIs(t, err, full)
	require.EqualError(t, err, `handoffs: outbox: session "s1": entry 2: the disk is full`)
	require.Equal(t, 1, next)
	next, err = (&handoffs.Outbox{}).Publish(t.Context(), "s1", k.log(), 0)
	require.NoError(t, err)
	require.Equal(t, 2, next)
	for _, from := range []int{-1, 3} {
		next, err = (&handoffs.Outbox{}).Publish(t.Context(), "s1", k.log(), from)
		require.EqualError(t, err, fmt.Sprintf(`handoffs: outbox: session "s1": position %d is none of a log of 2 entries`, from))
		require.Equal(t, from, next)
	}
}
