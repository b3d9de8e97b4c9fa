package handoffs_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/bus"
	"github.com/graphrun/graphrun/state"
)

// What the files of testdata/handoffs/X-27 to X-38 do not show: messages,
// figures, payloads, and processes that end in the midst of a run.

// played is a thread of a graph file. Every run and resume reads the file anew,
// as another process would.
type played struct {
	*testing.T
	text  []byte
	store checkpoint.Store
	last  graph.Result[state.Record]
}

// play begins to play a file, with some of its texts replaced.
func play(t *testing.T, file string, replace ...string) *played {
	data, err := os.ReadFile("../testdata/handoffs/" + file)
	require.NoError(t, err)
	for i := 0; i < len(replace); i += 2 {
		require.Contains(t, string(data), replace[i])
	}
	return &played{T: t, text: []byte(strings.NewReplacer(replace...).Replace(string(data))), store: checkpoint.NewMemory(nil)}
}

func (p *played) file() *graphfile.File {
	f, err := graphfile.Parse("played.yaml", p.text, nil)
	require.NoError(p, err)
	return f
}

// run runs the file on an input until the run ends or is paused.
func (p *played) run(input string, stops ...string) *played {
	f := p.file()
	in, err := f.Input([]byte(input))
	require.NoError(p, err)
	p.last, err = f.Graph().On(p.store, nil).Invoke(p.Context(), in, &graph.RunConfig{Thread: "x", InterruptBefore: stops})
	return p.paused(err)
}

// resume goes on in another process.
func (p *played) resume(a graph.Answers, stops ...string) *played {
	var err error
	p.last, err = p.file().Graph().On(p.store, nil).Resume(p.Context(), a, &graph.RunConfig{Thread: "x", InterruptBefore: stops})
	return p.paused(err)
}

func (p *played) paused(err error) *played {
	if err != nil {
		require.ErrorIs(p, err, graph.ErrInterrupted)
	}
	return p
}

func (p *played) done() bool { return p.last.Outcome == graph.OutcomeDone }

// sight is where the thread's handoffs stand.
func (p *played) sight() handoffs.Sight {
	f := p.file()
	snap, err := f.Graph().On(p.store, nil).State(p.Context(), "x", "")
	require.NoError(p, err)
	s, err := handoffs.Records{Schema: f.Schema()}.Look(&snap.Values)
	require.NoError(p, err)
	return s
}

// field returns a field of the state.
func (p *played) field(name string) any {
	snap, err := p.file().Graph().On(p.store, nil).State(p.Context(), "x", "")
	require.NoError(p, err)
	v, _ := snap.Values.Get(name)
	return v
}

// messages are those for a bus, of one type.
func (p *played) messages(typ string) (out []bus.Message) {
	for m := range handoffs.BusMessages("x", p.sight().Log) {
		if m.Type == typ {
			out = append(out, m)
		}
	}
	return out
}

// records are those of the handoffs that were accepted.
func (p *played) records() (out []handoffs.Record) {
	for h := range handoffs.History(p.sight().Log, handoffs.Filter{Accepted: true}) {
		out = append(out, h.Record)
	}
	return out
}

// states are those that the workflow was in.
func (p *played) states(start string) []string {
	out := []string{start}
	for e := range p.sight().Log.All() {
		if e.State != "" && e.Code == "" {
			out = append(out, e.State)
		}
	}
	return out
}

// story tells the log without ids.
func (p *played) story() (out []string) {
	for e := range p.sight().Log.All() {
		line := fmt.Sprint(e.At.UTC().Format(time.DateTime), " ", e.Event, e.Kind, " ", e.From, ">", e.To, " ", e.Stages, " ", e.State, " ", e.Code, " ", e.Message, " ", e.Why)
		if e.Record != nil {
			line += fmt.Sprint(" ", e.Record.Rule, " ", e.Record.Priority, " ", e.Record.Task, " ", e.Record.Payload)
		}
		out = append(out, line)
	}
	return out
}

// targets name whom messages went to.
func targets(ms []bus.Message) (out []string) {
	for _, m := range ms {
		out = append(out, m.Target)
	}
	return out
}

// TestJetvisionMessages: X-27, S3-39, S3-40, S3-46.
func TestJetvisionMessages(t *testing.T) {
	p := play(t, "jetvision.yaml").run(`{"clientName": "Ada"}`)
	require.True(t, p.done())

	offered := p.messages(bus.AgentHandoff)
	require.Equal(t, []string{"CLIENT_DATA", "FLIGHT_SEARCH", "PROPOSAL_ANALYSIS", "COMMUNICATION"}, targets(offered))
	for _, m := range offered {
		require.Equal(t, bus.Context{Session: "x", Request: "rfp-1"}, m.Context)
		require.Contains(t, m.Payload, "handoff")
	}
	var done []string
	for _, m := range p.messages(bus.TaskCompleted) {
		done = append(done, m.Source)
	}
	require.ElementsMatch(t, []string{"ORCHESTRATOR", "CLIENT_DATA", "FLIGHT_SEARCH", "PROPOSAL_ANALYSIS", "COMMUNICATION"}, done)
	require.Empty(t, p.messages(bus.TaskFailed))

	require.Equal(t, []string{"ANALYZING", "FETCHING_CLIENT_DATA", "SEARCHING_FLIGHTS", "AWAITING_QUOTES", "ANALYZING_PROPOSALS",
		"GENERATING_EMAIL", "SENDING_PROPOSAL", "COMPLETED"}, p.states("ANALYZING"))
	var priorities []handoffs.Priority
	var tasks []string
	for _, r := range p.records() {
		priorities, tasks = append(priorities, r.Priority), append(tasks, r.Task)
	}
	require.Equal(t, []handoffs.Priority{handoffs.High, handoffs.Normal, handoffs.Normal, handoffs.Normal}, priorities)
	require.Equal(t, []string{"fetch_client_data", "search_flights", "analyze_proposals", "send_proposal_email"}, tasks)

	s := p.sight()
	stats := handoffs.Statistics(s.Log, s.Desk)
	require.Equal(t, 4, stats.Handoffs)
	require.Zero(t, stats.Pending)
	got := map[string][2]int{}
	for agent, a := range stats.Agents {
		got[agent] = [2]int{a.Sent, a.Received}
	}
	require.Equal(t, map[string][2]int{"ORCHESTRATOR": {1, 0}, "CLIENT_DATA": {1, 1}, "FLIGHT_SEARCH": {1, 1}, "PROPOSAL_ANALYSIS": {1, 1}, "COMMUNICATION": {0, 1}}, got)
}

// TestJetvisionPayloads: what each rule puts into the payload, S3-14 to S3-27.
func TestJetvisionPayloads(t *testing.T) {
	rfp := map[string]any{"route": "VIE-JFK", "passengers": int64(4), "aircraft": "light"}
	for input, want := range map[string]map[string]map[string]any{
		`{"clientName": "Ada"}`: {
			"1.1": {"clientName": "Ada", "rfpData": rfp},
			"3.1": {"rfpId": "rfp-1", "quotesCount": int64(3)},
		},
		`{}`:                       {"1.2": {"rfpData": rfp}},
		`{"clientName": "Nobody"}`: {"2.1": {"rfpData": rfp}},
		`{"rfp": {}}`:              {"1.3": {"errorType": "validation_error", "missingFields": []any{"route", "passengers"}, "retryable": false}},
		`{"clientName": "Bob"}`:    {"4.2": {"errorType": "insufficient_data", "quotesReceived": int64(1), "minimumRequired": int64(3), "retryable": false}},
		`{"clientName": "Ada", "faults": {"sheets": 1, "avinode": 1}}`: {
			"2.2": {"errorType": "external_service_error", "service": "sheets", "error": "no answer", "retryable": true},
			"6.1": {"retryCount": int64(0), "originalError": "external_service_error", "clientName": "Ada"},
			"3.2": {"rfpId": "rfp-1", "errorType": "avinode_error", "service": "avinode", "error": "no answer", "retryable": true},
			"6.2": {"retryCount": int64(0), "originalError": "avinode_error", "rfpData": rfp},
		},
		`{"clientName": "Ada", "faults": {"gmail": 1}}`: {
			"5.1": {"errorType": "email_delivery_error", "recipient": "ada@example.org", "service": "gmail", "error": "the answer was lost", "retryable": true},
		},
	} {
		p := play(t, "jetvision.yaml").run(input)
		found := 0
		for _, r := range p.records() {
			if want[r.Rule] == nil {
				continue
			}
			found++
			expected := map[string]any{"requestId": "rfp-1", "sessionId": "session-1"}
			for key, v := range want[r.Rule] {
				expected[key] = v
			}
			require.Equal(t, expected, r.Payload, "%s: rule %s", input, r.Rule)
		}
		require.Equal(t, len(want), found, input)
	}
}

// TestJetvisionRetries: X-31, S3-33: with 0, 1 and 2 retries made there is one
// more, each behind a longer wait.
func TestJetvisionRetries(t *testing.T) {
	p := play(t, "jetvision.yaml").run(`{"clientName": "Ada", "faults": {"sheets": 9}}`)
	var counts []any
	for _, r := range p.records() {
		if r.Rule == "6.1" {
			counts = append(counts, r.Payload["retryCount"])
		}
	}
	require.Equal(t, []any{int64(0), int64(1), int64(2)}, counts)
	var waits []any
	for e := range p.sight().Log.All() {
		if e.Event == handoffs.EventRetry {
			waits = append(waits, e.Detail["after"])
		}
	}
	require.Equal(t, []any{"1s", "2s", "4s"}, waits)
	require.Equal(t, "FAILED", p.sight().Desk.Machine)
}

// TestJetvisionRestarts: a process that ends in front of every step, and
// another one that goes on: nothing differs, X-31, X-33.
func TestJetvisionRestarts(t *testing.T) {
	every := []string{handoffs.NodeProcess, handoffs.NodeComplete, "CLIENT_DATA", "FLIGHT_SEARCH", "PROPOSAL_ANALYSIS", "COMMUNICATION", "ERROR_MONITOR"}
	for _, input := range []string{
		`{"clientName": "Ada"}`,
		`{"clientName": "Ada", "faults": {"sheets": 2, "gmail": 1}}`,
		`{"clientName": "Ada", "faults": {"sheets": 9}}`,
		`{"clientName": "Ada", "rfp": {"route": "VIE-JFK", "passengers": 9, "aircraft": "heavy"}}`,
	} {
		whole := play(t, "jetvision.yaml").run(input)
		parts := play(t, "jetvision.yaml").run(input, every...)
		n := 0
		for ; !parts.done(); n++ {
			require.Less(t, n, 100)
			parts.resume(graph.Answers{}, every...)
		}
		require.Greater(t, n, 8)
		require.Equal(t, whole.story(), parts.story())
		require.Equal(t, whole.sight().Desk.Counts, parts.sight().Desk.Counts)
		require.Equal(t, whole.field("mails"), parts.field("mails"))
		require.Equal(t, whole.field("failures"), parts.field("failures"))
	}
}

// inRealTime is jetvision.yaml without its virtual clock: quotes come as
// answers, and hours pass.
func inRealTime(t *testing.T) *played {
	p := play(t, "jetvision.yaml")
	p.text = regexp.MustCompile(`(?m)^  clock: .*\n  signals:\n(    - .*\n)*`).ReplaceAll(p.text, nil)
	require.NotContains(t, string(p.text), "after:")
	return p
}

func quote() graph.Answers {
	return graph.Answer(map[string]any{"type": "quote", "payload": map[string]any{
		"id": "q", "operator": "Alpine", "aircraft": "CJ4", "price": int64(50000), "safety": int64(9), "speed": int64(7), "comfort": int64(6)}})
}

func tick() graph.Answers { return graph.Answer("tick") }

// rules name those that made handoffs, in order.
func (p *played) rules() string {
	var out []string
	for _, r := range p.records() {
		out = append(out, r.Rule)
	}
	return strings.Join(out, " ")
}

// events counts the entries of an event.
func (p *played) events(name string) (n int) {
	for e := range p.sight().Log.All() {
		if e.Event == name {
			n++
		}
	}
	return n
}

// TestQuoteTimer: X-33, S3-52: the process that waits for quotes ends, another
// one is there when the day is over, and the timer fires once.
func TestQuoteTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := inRealTime(t).run(`{"clientName": "Ada"}`)
		require.False(t, p.done())
		require.Equal(t, "AWAITING_QUOTES", p.sight().Desk.Machine)
		time.Sleep(23 * time.Hour)
		p.resume(tick())
		require.Equal(t, "1.1 2.1", p.rules(), "it is not yet time")
		time.Sleep(time.Hour)
		p.resume(tick())
		require.Equal(t, "1.1 2.1 3.2", p.rules(), "and 6.2 waits a second")
		p.resume(tick())
		require.Equal(t, 1, p.events(handoffs.EventTimer))
		time.Sleep(time.Second)
		p.resume(tick())
		require.Equal(t, "1.1 2.1 3.2 6.2", p.rules())
		for range 3 {
			time.Sleep(time.Minute)
			p.resume(quote())
		}
		require.True(t, p.done())
		require.Equal(t, "1.1 2.1 3.2 6.2 3.1 4.1", p.rules())
		require.Equal(t, 1, p.events(handoffs.EventTimer))
		require.Equal(t, "COMPLETED", p.sight().Desk.Machine)
	})
}

// TestQuoteAgainstTimer: the third quote and the timer come together: one of
// them wins, and what the other one brings has no effect, X-33.
func TestQuoteAgainstTimer(t *testing.T) {
	for name, c := range map[string]struct {
		at    time.Duration // of the third quote
		rules string
		timer int
		stale int
	}{
		"a second before":  {24*time.Hour - time.Second, "1.1 2.1 3.1 4.1", 0, 0},
		"at the same time": {24 * time.Hour, "1.1 2.1 3.2", 1, 1},
		"later":            {24*time.Hour + time.Minute, "1.1 2.1 3.2", 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := inRealTime(t).run(`{"clientName": "Ada"}`).resume(quote()).resume(quote())
				time.Sleep(c.at)
				p.resume(quote())
				require.Equal(t, c.rules, p.rules())
				require.Equal(t, c.timer, p.events(handoffs.EventTimer))
				require.Equal(t, c.stale, p.events(handoffs.EventStale))
				time.Sleep(48 * time.Hour)
				if !p.done() {
					p.resume(tick())
				}
				require.Equal(t, c.timer, p.events(handoffs.EventTimer))
			})
		})
	}
}

// TestRefusedTaskFails: X-36, S3-41: the bus is told that the task failed, with
// the target's reason, and the queued one that it is completed.
func TestRefusedTaskFails(t *testing.T) {
	p := play(t, "X-36-refuse.yaml").run(`{}`)
	failed := p.messages(bus.TaskFailed)
	require.Len(t, failed, 1)
	require.Equal(t, "FLIGHT_SEARCH", failed[0].Source)
	require.Equal(t, "search_flights", failed[0].Payload["task"])
	require.Contains(t, failed[0].Payload["error"], "3 of 3 tasks at work")
	require.Equal(t, []string{"FLIGHT_SEARCH", "FLIGHT_SEARCH"}, targets(p.messages(bus.AgentHandoff)))
}

// TestWithoutAgeingTheLowStarves: X-36: it is the ageing that lets the low
// task in.
func TestWithoutAgeingTheLowStarves(t *testing.T) {
	place := func(p *played) (at, of int) {
		done := p.run(`{}`).field("done").([]any)
		t.Log(done)
		for i, task := range done {
			if task == "low" {
				at = i + 1
			}
		}
		return at, len(done)
	}
	at, of := place(play(t, "X-36-ageing.yaml"))
	require.Equal(t, []int{9, 17}, []int{at, of})
	at, of = place(play(t, "X-36-ageing.yaml", "{ageing: 1m}", "{}"))
	require.Equal(t, []int{17, 17}, []int{at, of})
}
