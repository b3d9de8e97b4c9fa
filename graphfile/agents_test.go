package graphfile_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/handoffs"
)

// runTeam runs a file once and returns what happened and the fields of the
// state.
func runTeam(t *testing.T, text string) (string, map[string]any) {
	t.Helper()
	s := newSession(t, parse(t, text, nil))
	s.do(op{input: "{}"})
	data, err := s.state.MarshalJSON()
	require.NoError(t, err)
	var fields map[string]any
	require.NoError(t, json.Unmarshal(data, &fields))
	return s.out.String(), fields
}

func TestAgentsFailAsOftenAsTheFileSays(t *testing.T) {
	t.Parallel()
	const clock = "\nhandoffs: {clock: 2026-01-01T00:00:00Z}"
	for _, tt := range []struct{ name, text, want string }{
		{"a node's retry", `agents: {a: {retry: {initial_interval: 0, jitter: false}, turns: [{fail: {error: down, attempts: 2}, say: up}]}}`, `"up"`},
		{"an edge's retry", `agents:
  a: {turns: [{handoff: {to: b, kind: call}}, {say: "${turn.results[0].outcome.text}"}]}
  b: {turns: [{fail: {error: "down ${turn.attempt}", attempts: 2}, return: "attempt ${turn.attempt}"}]}
handoffs: {clock: 2026-01-01T00:00:00Z, edges: [{retry: {max_attempts: 3, initial_interval: 1s}}]}`, `"attempt 3"`},
		{"no more than the edge allows", `agents:
  a: {turns: [{handoff: {to: b, kind: call}}, {say: "${turn.results[0].outcome.error}"}]}
  b: {turns: [{fail: {error: "down ${turn.attempt}"}}]}
handoffs: {clock: 2026-01-01T00:00:00Z, edges: [{retry: {max_attempts: 2, initial_interval: 1s}}]}`, `"down 2"`},
		{"time and tokens", `agents: {a: {turns: [{takes: 90s, tokens: "${6 * 7}", calls: 2, wait: {for: 30s}}, {say: "${handoffs.clock / 1000000000} ${handoffs.spent.tokens} ${handoffs.spent.calls}"}]}}` + clock, `"120 42 2"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, _ := runTeam(t, tt.text)
			assert.Contains(t, out, tt.want)
			assert.Contains(t, out, "  done\n")
		})
	}
}

// TestMistakesInScriptsFailTheRun shows that they are no failures of agents,
// which others recover from.
func TestMistakesInScriptsFailTheRun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ turns, want string }{
		{"{when: turn.number == 2}", `1:55: turns: none of the entries of agent "a" holds for its turn 1`},
		{"{say: '${turn.results[0].agent}'}", "1:62: say: index 0 is outside the list of 0 elements"},
		{"{say: x, handoff: {to: boss, priority: \"${'soon'}\"}}", "priority: \"soon\" is none of urgent, high, normal, low"},
		{"{tokens: '${turn.number - 2}'}", "tokens: a whole number of at least 0 is needed, this is -1"},
		{"{update: {n: '${int(turn.task)}'}}", `update of "n": `},
	} {
		out, _ := runTeam(t, `{state: {n: {type: int}}, agents: {boss: , a: {turns: [`+tt.turns+`]}}, handoffs: {supervisor: boss, entry: a}}`)
		assert.Contains(t, out, tt.want, tt.turns)
		assert.NotContains(t, out, "boss", tt.turns)
		assert.Contains(t, out, "  failed", tt.turns)
	}
}

func TestToolsAndCallsArePartOfTheConversation(t *testing.T) {
	t.Parallel()
	_, fields := runTeam(t, `agents:
  a: {turns: [{say: I ask, tool: {name: look, input: {q: 1}, error: no such thing}, handoff: {to: b, kind: call}}, {say: thanks}]}
  b: {turns: [{return: found}]}`)
	var told []string
	for _, m := range fields["messages"].([]any) {
		m := m.(map[string]any)
		text, _ := m["content"].(string)
		told = append(told, strings.TrimSpace(m["type"].(string)+" "+text))
		if calls, ok := m["tool_calls"].([]any); ok {
			told[len(told)-1] += " calls " + calls[0].(map[string]any)["name"].(string)
		}
	}
	assert.Equal(t, []string{"ai calls look", "tool no such thing", "ai I ask calls __handoff__", "tool found", "ai thanks"}, told)
	assert.Len(t, fields["tool_executions"], 3)
}

// TestTeamsInsideOneAnother shows that a team in a node of another one keeps
// its handoffs for itself, and shares the conversation.
func TestTeamsInsideOneAnother(t *testing.T) {
	t.Parallel()
	out, fields := runTeam(t, `
nodes:
  inner:
    graph:
      agents: {x: {turns: [{say: x, handoff: {to: y}}]}, y: {turns: [{say: y}]}}
agents: {a: {turns: [{say: a, handoff: {to: b}}]}, b: {turns: [{say: b}]}}
edges: [START -> inner -> agents]`)
	assert.Contains(t, out, "x => y")
	assert.Contains(t, out, "a => b")
	assert.Len(t, fields["messages"], 4)
	assert.Equal(t, "b", fields["active_agent"])
	look := fields["handoffs"].(map[string]any)["counts"].(map[string]any)
	assert.EqualValues(t, 1, look["handoffs"])
}

func TestEveryPresetCanBeUsed(t *testing.T) {
	t.Parallel()
	for _, preset := range []string{"prd040", "stored", "protocol", "rules", "specialist"} {
		_, err := graphfile.Parse("x.yaml", []byte("state: {artifacts: {type: map}}\nagents: {boss: , a: }\nhandoffs: {preset: "+preset+", supervisor: boss}"), nil)
		assert.NoError(t, err, preset)
	}
	_, err := graphfile.Parse("x.yaml", []byte("agents: {a: }\nhandoffs: {preset: prd040}"), nil)
	assert.ErrorContains(t, err, `the preset "prd040" needs an agent that is the supervisor`)
	f := parse(t, "agents: {boss: , a: }\nhandoffs: {preset: prd040, supervisor: boss, on_reject: {loop: fail}}", nil)
	p := f.Team().Manager().Policy()
	assert.Equal(t, handoffs.Action{Do: handoffs.RouteTo, Target: "boss"}, p.OnReject[""])
	assert.Equal(t, handoffs.Action{Do: handoffs.FailRun}, p.OnReject[handoffs.CodeLoop])
	assert.Equal(t, "boss", p.OnFailure.Target)
}

func TestPolicyOfAFile(t *testing.T) {
	t.Parallel()
	f := parse(t, `
agents: {a: {accepts: false, available: false, weight: 0, grants: []}, b: {capabilities: x}}
handoffs:
  checks: [self, exists, limits]
  limits: {handoffs: 0, time: 1h}
  router: cheapest
  on_multiple: first
  on_switch: branch
  breaker: {key: all}
  approve: false
  on_reject: {default: source, loop: {route: b}}
  context: last
  edges: [a -> b -> a, {to: b, kinds: call, retry: {max_attempts: 1, initial_interval: 0}, when: payload.n > 2}]`, nil)
	p := f.Team().Manager().Policy()
	assert.Equal(t, "a", p.Entry)
	assert.Equal(t, []string{"self", "exists", "limits"}, []string{p.Checks[0].Name, p.Checks[1].Name, p.Checks[2].Name})
	assert.Equal(t, handoffs.Limits{Handoffs: -1, Time: time.Hour}, p.Limits)
	assert.Equal(t, handoffs.Cheapest{}, p.Router)
	assert.Equal(t, handoffs.TakeFirst, p.OnMultiple)
	assert.Equal(t, handoffs.BranchOff, p.OnSwitch)
	assert.Equal(t, handoffs.BreakAll, p.Breaker.Key)
	assert.Nil(t, p.Approve)
	assert.Equal(t, handoffs.ContextLast, p.Context.Mode)
	require.Len(t, p.Edges, 3)
	assert.Equal(t, []string{"b"}, p.Edges[1].From)
	assert.Equal(t, handoffs.Retry{Max: -1, Initial: -1}, *p.Edges[2].Retry)
	holds, because, err := p.Edges[2].Guard.Holds(func(name string) (any, bool) { return map[string]any{"n": int64(3)}, name == "payload" })
	assert.NoError(t, err)
	assert.True(t, holds)
	assert.Equal(t, "payload.n = 3", because)
	assert.Equal(t, [][]handoffs.Comparison{{{Field: "payload.n", Op: ">", Value: int64(2)}}}, p.Edges[2].Guard.Range)
	a, _ := p.Registry.Get("a")
	assert.True(t, a.Refuses && a.Unavailable)
	assert.Equal(t, -1.0, a.Weight)
	assert.NotNil(t, a.Grants)
}

// TestSendsAndGotosToAgentsAreErrors shows that agents get their turns by
// handoffs alone.
func TestSendsAndGotosToAgentsAreErrors(t *testing.T) {
	t.Parallel()
	for _, node := range []string{"send: {to: a}", "goto: a", "goto: agents", "send: {to: process_handoff}"} {
		_, err := graphfile.Parse("x.yaml", []byte("agents: {a: }\nnodes: {n: {"+node+"}}\nedges: [START -> n -> agents]"), nil)
		require.Error(t, err, node)
		assert.Contains(t, err.Error(), "agents", node)
	}
	_, err := graphfile.Parse("x.yaml", []byte("agents: {a: }\nnodes: {n: {send: {to: m, input: {turn: 1}}}, m: }\nedges: [START -> n]"), nil)
	assert.ErrorContains(t, err, `the input of a send is named "turn"`)
}

// TestBranchesThatMeetAreWarnedOf shows that two branches of a spawn which
// write one field are found before they run.
func TestBranchesThatMeetAreWarnedOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ branches, want string }{
		{"{to: b}, {to: c}", `"b" and "c" may write "best" in one step`},
		{"{to: b, each: [1, 2]}", `two branches of "b" may write "best" in one step`},
		{"{to: b}, {to: d}", ""},
	} {
		f := parse(t, `state: {best: {type: string}, all: {reduce: append}}
agents:
  a: {turns: [{spawn: {branches: [`+tt.branches+`]}}, {say: done}]}
  b: {turns: [{update: {best: b, all: b}}]}
  c: {turns: [{update: {best: c}}]}
  d: {turns: [{update: {all: d}}]}`, nil)
		if tt.want == "" {
			assert.Empty(t, f.Warnings(), tt.branches)
			continue
		}
		require.Len(t, f.Warnings(), 1, tt.branches)
		assert.Contains(t, f.Warnings()[0].Message, tt.want)
	}
}

// TestOddPoliciesAreFound shows that what is found in a policy is told where it
// stands, as an error if the file cannot be run with it.
func TestOddPoliciesAreFound(t *testing.T) {
	t.Parallel()
	_, err := graphfile.Parse("x.yaml", []byte(`agents: {a: , b: , c: }
handoffs:
  limits: {}
  loops: [{key: target, window: 5, threshold: 2}]`), nil)
	require.Error(t, err)
	assert.Contains(t, err.Error(), "x.yaml:3:3: error: ")
	assert.Contains(t, err.Error(), "(endless)")

	f := parse(t, `agents: {a: {turns: [{emit: FOUND}]}, b: }
rules:
  - {name: one, on: FOUND, to: b}
  - {name: two, on: FOUND, to: b, order: 1}
  - {name: three, on: LOST, to: b}`, nil)
	var found []string
	for _, w := range f.Warnings() {
		found = append(found, codeOf(w.Message))
		assert.NotZero(t, w.Pos.Line)
	}
	assert.Contains(t, found, "never_fires")
	_, err = graphfile.Parse("x.yaml", []byte("agents: {a: {turns: [{emit: FUOND}]}, b: }\nrules: [{on: FOUND, to: b}]"), nil)
	assert.ErrorContains(t, err, "x.yaml:1:29: error: ")
	assert.ErrorContains(t, err, "(unanswered)")
}

// TestMessagesTellTheirTime shows that it is that of the virtual clock behind
// the turn.
func TestMessagesTellTheirTime(t *testing.T) {
	t.Parallel()
	_, fields := runTeam(t, `agents: {a: {turns: [{takes: 1m, say: one, wait: {for: 1h}}, {takes: 1s, say: two, tool: {name: x}}]}}
handoffs: {clock: 2026-01-01T00:00:00Z}`)
	var times []string
	for _, m := range fields["messages"].([]any) {
		times = append(times, m.(map[string]any)["time"].(string))
	}
	assert.Equal(t, []string{"2026-01-01T00:01:00Z", "2026-01-01T01:01:01Z", "2026-01-01T01:01:01Z", "2026-01-01T01:01:01Z"}, times)
}
