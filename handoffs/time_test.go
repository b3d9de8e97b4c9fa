package handoffs_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
)

// TestTimePassesOnlyIfSomebodyWaits: behind the last turn nobody waits for the
// signals that are left, and work that has ended does not time out.
func TestTimePassesOnlyIfSomebodyWaits(t *testing.T) {
	wait := kind(handoffs.Wait, "")
	wait.Until = &handoffs.Until{Signals: []string{"go"}}
	p := handoffs.Policy{
		Entry: "a", Limits: handoffs.Limits{Handoffs: 9}, Edges: []handoffs.Edge{{To: []string{"b"}, Limits: handoffs.Limits{Time: 5 * time.Hour}}},
		Script: []handoffs.Scheduled{
			{After: time.Hour, Signal: handoffs.Signal{Type: "go"}}, {After: 2 * time.Hour, Signal: handoffs.Signal{Type: "late"}},
		},
	}
	r := newRig(t, p, map[string]bot{"a": then(one(wait), one(to("b"))), "b": just()}, agents("a", "b")...).run()
	require.NoError(t, r.err)
	require.Equal(t, "a a b", r.route())
	require.Equal(t, []string{"signal a>", "transfer a>b requested validated accepted running", "task a>", "transfer a>b completed", "task b>"}, r.log())
	require.Equal(t, time.Hour, r.last.State.Handoffs.Clock)
}

// TestScheduledSignalsMayHaveConditions: what does not hold does not come, and
// leaves nothing in the log.
func TestScheduledSignalsMayHaveConditions(t *testing.T) {
	wait := kind(handoffs.Wait, "")
	wait.Until = &handoffs.Until{Signals: []string{"go"}, For: 5 * time.Hour}
	answers := func(yes bool, err error) *handoffs.Guard {
		return &handoffs.Guard{Holds: func(handoffs.Facts) (bool, string, error) { return yes, "", err }}
	}
	p := handoffs.Policy{Entry: "a", Script: []handoffs.Scheduled{
		{After: time.Hour, When: answers(false, nil), Signal: handoffs.Signal{Type: "go"}},
		{After: 2 * time.Hour, When: answers(true, nil), Signal: handoffs.Signal{Type: "go"}},
	}}
	r := newRig(t, p, map[string]bot{"a": then(one(wait))}, agents("a")...).run()
	require.NoError(t, r.err)
	require.Equal(t, []string{"signal a>", "task a>"}, r.log())
	require.Equal(t, 2*time.Hour, r.last.State.Handoffs.Clock)

	broken := errors.New("no such field")
	p.Script[0].When = answers(false, broken)
	r = newRig(t, p, map[string]bot{"a": then(one(wait))}, agents("a")...).run()
	require.ErrorIs(t, r.err, broken)
}

// TestStateThatIsThereAlready: a workflow that is in the state that it is to
// move to does not move.
func TestStateThatIsThereAlready(t *testing.T) {
	report := kind(handoffs.Report, "")
	report.State = "WORK"
	p := handoffs.Policy{Entry: "a", Machine: &handoffs.Machine{Start: "NEW", States: map[string]string{"NEW": "", "WORK": ""}, Allowed: map[string][]string{"NEW": {"WORK"}}}}
	r := newRig(t, p, map[string]bot{"a": just(report, report)}, agents("a")...).run()
	require.NoError(t, r.err)
	require.Equal(t, []string{"state a>", "task a>"}, r.log())
}

// TestWhoTakesOverKnowsTheTask: the agent that gets what was rejected is told
// what was to be done, by whoever and whenever it was rejected.
func TestWhoTakesOverKnowsTheTask(t *testing.T) {
	ask := to("b")
	ask.Task, ask.Payload = "build", map[string]any{"n": int64(3)}
	refuse := kind(handoffs.Refuse, "")
	refuse.Explanation = "no"
	profiles := agents("a", "b", "boss")
	for name, c := range map[string]struct {
		target   handoffs.Profile
		agent    bot
		rejected handoffs.Code
	}{
		"by a rule":     {target: handoffs.Profile{ID: "b", Refuses: true}, rejected: handoffs.CodeAccepts},
		"by the target": {target: handoffs.Profile{ID: "b"}, agent: just(refuse), rejected: handoffs.CodeRefused},
		"by the time":   {target: handoffs.Profile{ID: "b", External: true}, rejected: handoffs.CodeAcceptTime},
	} {
		t.Run(name, func(t *testing.T) {
			p := handoffs.Policy{Entry: "a", Accept: time.Second, OnReject: map[handoffs.Code]handoffs.Action{"": {Do: handoffs.RouteTo, Target: "boss"}}}
			profiles[1] = c.target
			r := newRig(t, p, map[string]bot{"a": just(ask), "b": c.agent, "boss": just()}, profiles...).run()
			require.NoError(t, r.err)
			got := r.turns[len(r.turns)-1]
			require.Equal(t, "boss", got.Agent)
			require.Equal(t, c.rejected, got.Refused.Code)
			require.Equal(t, "build", got.Refused.Task)
			require.Equal(t, map[string]any{"n": int64(3)}, got.Refused.Payload)
		})
	}
}

// TestSignalKeepsItsNumbers: a whole number in a signal's payload is one for
// the agent that waits, also behind a store.
func TestSignalKeepsItsNumbers(t *testing.T) {
	p := &played{T: t, store: checkpoint.NewMemory(nil), text: []byte(`
state: {got: {type: int}}
agents:
  a: {turns: [{wait: {signals: [go]}}, {update: {got: "${turn.signals[0].payload.n}"}}]}
`)}
	require.False(t, p.run("{}").done())
	f := p.file()
	in, err := f.Team().Signal(handoffs.Signal{Type: "go", Payload: map[string]any{"n": int64(3)}})
	require.NoError(t, err)
	p.last, err = f.Graph().On(p.store, nil).Invoke(t.Context(), in, &graph.RunConfig{Thread: "x"})
	require.NoError(t, err)
	require.Equal(t, int64(3), p.field("got"))
}
