package cli

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/state"
)

const twoAgents = `
agents:
  ada: {name: Ada, turns: [{say: "x"}]}
  bob: {turns: [{say: "x"}]}
handoffs: {entry: ada}
`

// told shows events of a chat, without colours, on a terminal or not.
func told(t *testing.T, terminal bool, events ...graph.Event) string {
	t.Helper()
	f, err := graphfile.Parse("two.yaml", []byte(twoAgents), nil)
	require.NoError(t, err)
	var out bytes.Buffer
	env := Env{Stdout: &out, Terminal: Terminal{Stdout: terminal}, Now: func() time.Time { return time.Unix(0, 0) }}.filled()
	env.Getenv = func(name string) string { return map[string]string{"NO_COLOR": "1"}[name] }
	s := newChatShow(newRunner(&app{Env: env}), f)
	s.field = "messages"
	s.begin(true)
	for _, e := range events {
		require.NoError(t, s.event(e))
	}
	s.end()
	return out.String()
}

// of is an event of a task.
func of(task string, value any) graph.Event {
	return &graph.Custom{TaskRef: graph.TaskRef{Task: task}, Value: value}
}

func text(id, agent, text string) graph.Event {
	return of(agent, nodes.MessageEvent{ID: id, Agent: agent, Kind: nodes.TellsText, Text: text})
}

func kind(id, agent string, k nodes.ChunkKind, text string) graph.Event {
	return of(agent, nodes.MessageEvent{ID: id, Agent: agent, Kind: k, Text: text})
}

func calls(id, agent, call, args string) graph.Event {
	return of(agent, nodes.MessageEvent{ID: id, Agent: agent, Kind: nodes.TellsCall, Call: &nodes.CallEvent{ID: call, Name: "look", Args: args}})
}

func works(call string, phase nodes.ToolPhase, text string) graph.Event {
	return of("ada", nodes.ToolEvent{ID: call, Agent: "ada", Tool: "look", Phase: phase, Text: text})
}

// committed is a step that leaves a conversation.
func committed(t *testing.T, messages string) graph.Event {
	t.Helper()
	f, err := graphfile.Parse("two.yaml", []byte(twoAgents), nil)
	require.NoError(t, err)
	st, err := f.Schema().Layout().LoadState([]byte(`{"messages":` + messages + `}`))
	require.NoError(t, err)
	require.IsType(t, &state.Record{}, st)
	return &graph.StepCommitted{State: st}
}

func TestChatShowsWhatComes(t *testing.T) {
	t.Parallel()
	end := nodes.TellsEnd
	for _, c := range []struct {
		name   string
		events []graph.Event
		want   string
	}{
		{"pieces", []graph.Event{text("1", "ada", "Hel"), text("1", "ada", "lo."), kind("1", "ada", end, "")}, "Ada: Hello.\n"},
		{"the same agent is named once", []graph.Event{
			text("1", "ada", "One."), kind("1", "ada", end, ""), text("2", "ada", "Two."), kind("2", "ada", end, ""),
			text("3", "bob", "Three."), kind("3", "bob", end, "")}, "Ada: One.\nTwo.\nbob: Three.\n"},
		{"what is streamed is not said again", []graph.Event{
			text("1", "ada", "Hello."), kind("1", "ada", end, ""),
			committed(t, `[{"type":"ai","id":"1","name":"ada","content":"Hello."},{"type":"ai","name":"bob","content":"Hi."}]`)},
			"Ada: Hello.\nbob: Hi.\n"},
		{"what is committed is said once", []graph.Event{
			committed(t, `[{"type":"ai","name":"bob","content":"Hi."}]`),
			committed(t, `[{"type":"ai","name":"bob","content":"Hi."},{"type":"ai","name":"bob","content":"Hi."}]`),
			committed(t, `[{"type":"ai","name":"bob","content":"Hi."}]`)}, "bob: Hi.\nHi.\n"},
		{"side by side", []graph.Event{
			text("1", "ada", "A1 "), text("2", "bob", "B1 "), text("1", "ada", "A2"), text("2", "bob", "B2"),
			kind("2", "bob", end, ""), kind("1", "ada", end, "")}, "Ada: A1 A2\nbob: B1 B2\n"},
		{"the second goes on live", []graph.Event{
			text("1", "ada", "A"), text("2", "bob", "B1 "), kind("1", "ada", end, ""), text("2", "bob", "B2")}, "Ada: A\nbob: B1 B2\n"},
		{"begun anew", []graph.Event{
			text("1", "ada", "Hel"), kind("1", "ada", nodes.TellsAgain, "cut off"), text("1", "ada", "Hello."), kind("1", "ada", end, "")},
			"Ada: Hel\n  (the answer is begun anew: cut off)\nAda: Hello.\n"},
		{"begun anew before it was shown", []graph.Event{
			text("1", "ada", "A"), text("2", "bob", "B"), kind("2", "bob", nodes.TellsAgain, ""), text("2", "bob", "C"), kind("1", "ada", end, "")},
			"Ada: A\nbob: C\n"},
		{"begun anew by another attempt", []graph.Event{
			text("1", "ada", "Hel"), &graph.TaskRetried{TaskRef: graph.TaskRef{Node: "ada", Task: "ada"}, Attempt: 1, Err: errors.New("x")}, text("1", "ada", "Hello.")},
			"Ada: Hel\n  ada: attempt 1 failed, trying again: x\n  (the answer is begun anew)\nAda: Hello.\n"},
		{"commands for the terminal", []graph.Event{text("1", "ada", "a\x1b[2J\x07\u009b\u202eb\r\n\tc\n")}, "Ada: a[2Jb\n\tc\n"},
		{"reasoning is not shown", []graph.Event{kind("1", "ada", nodes.TellsReasoning, "hm")}, ""},
		{"tools", []graph.Event{
			text("1", "ada", "I look."), calls("1", "ada", "c1", `{"q":1}`), calls("1", "ada", "c2", ""), kind("1", "ada", end, ""),
			works("c1", nodes.ToolBegins, ""), works("c2", nodes.ToolBegins, ""), works("c2", nodes.ToolFails, "it\nis down"), works("c1", nodes.ToolEnds, "3"),
			committed(t, `[{"type":"ai","id":"1","name":"ada","content":"I look.","tool_calls":[{"id":"c1","name":"look","args":{}}]},{"type":"tool","tool_call_id":"c1","content":"3"}]`)},
			"Ada: I look.\n  look → error: it is down\n  look {\"q\":1} → ok\n"},
		{"tools of agents that are not streamed", []graph.Event{
			committed(t, `[{"type":"ai","name":"ada","content":"","tool_calls":[{"id":"c1","name":"look","args":{"q":1}},{"id":"c2","name":"__handoff__","args":{}}]},{"type":"tool","tool_call_id":"c1","status":"error","content":"down"}]`)},
			"  look {\"q\":1} → error: down\n"},
		{"handoffs", []graph.Event{
			of("p", &handoffs.HandoffNotice{From: "ada", To: "bob", Reason: handoffs.UserRequest}),
			of("p", &handoffs.RejectedNotice{From: "ada", To: "x", Message: "There is no x."}),
			committed(t, `[{"type":"system","content":"There is no x."},{"type":"system","content":"More."}]`)},
			"  ada → bob: user_request\n  ada ⇏ x: There is no x.\n  More.\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, told(t, false, c.events...))
		})
	}
}

func TestToolsOnATerminal(t *testing.T) {
	t.Parallel()
	got := told(t, true, works("c1", nodes.ToolBegins, ""), works("c1", nodes.ToolEnds, ""))
	require.Equal(t, "  look → ok (<1ms)\n", got)
	got = told(t, true, works("c1", nodes.ToolBegins, ""), text("1", "bob", "Meanwhile"), works("c1", nodes.ToolEnds, ""))
	require.Equal(t, "  look →\nbob: Meanwhile\n  look → ok (<1ms)\n", got)
}

func TestColoursOfAgents(t *testing.T) {
	t.Parallel()
	c, deep := &cast{}, &cast{deep: true}
	for _, test := range []struct{ color, want, deep string }{
		{"#06c", "1;38;5;26", "1;38;2;0;102;204"},
		{"#FF8000", "1;38;5;208", "1;38;2;255;128;0"},
		{"Red", "1;31", "1;31"},
		{"", "1", "1"}, {"#12", "1", "1"}, {"#ggg", "1", "1"}, {"mauve", "1", "1"}, {"#+12345", "1", "1"},
	} {
		require.Equal(t, test.want, c.code(test.color), test.color)
		require.Equal(t, test.deep, deep.code(test.color), test.color)
	}
}
