package handoffs_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
)

// byHand works on a session without a graph.
type byHand struct {
	*testing.T
	m       *handoffs.Manager
	desk    *handoffs.Desk
	entries []handoffs.Entry
	steps   int
}

func newByHand(t *testing.T, p handoffs.Policy) *byHand {
	p.Registry = handoffs.MustRegistry(agents("a", "b", "c")...)
	m, err := handoffs.NewManager(&p)
	require.NoError(t, err)
	return &byHand{T: t, m: m, desk: &handoffs.Desk{}}
}

// says ends a turn of an agent with commands.
func (h *byHand) says(agent string, cs ...handoffs.Command) *handoffs.Result {
	h.steps++
	in := &handoffs.Batch{Session: "s", Task: strconv.Itoa(h.steps), Desk: h.desk, Log: handoffs.LogOf(h.entries), Speaker: agent, Now: time.Unix(int64(h.steps), 0)}
	for i, c := range cs {
		data, err := c.Encode()
		require.NoError(h, err)
		in.Executions = append(in.Executions, handoffs.Execution{ID: in.Task + "." + strconv.Itoa(i), Tool: handoffs.ToolName, Input: data, Agent: agent})
	}
	res, err := h.m.Step(h.Context(), in)
	require.NoError(h, err)
	h.desk, h.entries = res.Desk, append(h.entries, res.Entries...)
	return res
}

func (h *byHand) history() (out []string) {
	for x := range handoffs.History(handoffs.LogOf(h.entries), handoffs.Filter{}) {
		out = append(out, x.From+">"+x.To+" "+string(x.Status))
	}
	return out
}

func TestSpeakerHasTheTurn(t *testing.T) {
	h := newByHand(t, handoffs.Policy{Entry: "a"})
	res := h.says("b", to("c"))
	require.Equal(t, "c", res.Turns[0].Agent)
	require.Equal(t, "c", h.desk.Owner)
	h.says("c")
	require.Equal(t, []string{"b>c completed"}, h.history())

	h.says("a", to("c")) // has no place: it takes the conversation over
	require.Equal(t, []string{"b>c completed", "a>c running"}, h.history())
	h.says("b", to("a"))
	require.Equal(t, []string{"b>c completed", "a>c cancelled", "b>a running"}, h.history())
}

func TestSpeakerThatRestsGetsATurn(t *testing.T) {
	h := newByHand(t, handoffs.Policy{Entry: "a"})
	h.says("a")
	before := h.desk.Frames[0]
	require.Equal(t, handoffs.FrameInput, before.State)
	h.says("a", kind(handoffs.Call, "b"))
	require.Equal(t, before.ID, h.desk.Frames[0].ID)
	require.Equal(t, handoffs.FrameCalling, h.desk.Frames[0].State)

	h.says("a", to("c")) // it waits for b: that is no turn of its
	require.Equal(t, handoffs.EventStale, h.entries[len(h.entries)-1].Event)
}

func TestSpeakerBeginsAnewBehindAFault(t *testing.T) {
	h := newByHand(t, handoffs.Policy{Entry: "a", OnReject: map[handoffs.Code]handoffs.Action{"": {Do: handoffs.FailRun}}})
	require.NotNil(t, h.says("a", to("nobody")).Fault)
	res := h.says("a", to("b"))
	require.Nil(t, res.Fault)
	require.Equal(t, "b", res.Turns[0].Agent)
}

// oddRouter fails.
type oddRouter struct{}

func (oddRouter) Route(context.Context, handoffs.Request) (string, error) {
	return "", errors.New("the router is out of order")
}

// An error of the engine, not of a rule, leads to independent agents if the
// policy says so (S2-37, X-26).
func TestS2_37_ErrorsDegradeToAgentsOnTheirOwn(t *testing.T) {
	p := handoffs.Policy{Entry: "a", Router: oddRouter{}, Degrade: true}
	profiles := agents("a", "b")
	profiles[1].Capabilities = []string{"x"}
	ask := kind(handoffs.Transfer, "")
	ask.Capability = "x"
	r := newRig(t, p, map[string]bot{"a": then(one(ask), one(to("b"))), "b": just()}, profiles...).run()
	require.NoError(t, r.err)
	require.Equal(t, "a a a", r.route())
	require.Equal(t, handoffs.CodeDisabled, r.turns[1].Refused.Code)
	require.True(t, r.last.State.Handoffs.Degraded)
	first := r.last.State.HandoffLog[0]
	require.Equal(t, handoffs.EventDegraded, first.Event)
	require.Contains(t, first.Message, "the router is out of order")

	p.Degrade = false
	r = newRig(t, p, map[string]bot{"a": then(one(ask)), "b": just()}, profiles...).run()
	require.ErrorContains(t, r.err, "the router is out of order")
}

func TestDeskUnread(t *testing.T) {
	xs := []handoffs.Execution{{ID: "1"}, {ID: "2"}, {ID: "2"}}
	require.Equal(t, xs, (&handoffs.Desk{}).Unread(xs))
	require.Equal(t, xs[2:], (&handoffs.Desk{Taken: 2, Mark: "2"}).Unread(xs))
	require.Empty(t, (&handoffs.Desk{Taken: 9, Mark: "2"}).Unread(xs)) // the list was cut in front
}

func TestDeskDue(t *testing.T) {
	at := time.Unix(100, 0)
	d := &handoffs.Desk{Frames: []handoffs.Frame{{State: handoffs.FrameWaiting, Wake: at}}}
	require.False(t, d.Due(at.Add(-1)))
	require.True(t, d.Due(at))
	require.False(t, (&handoffs.Desk{}).Due(at))
}
