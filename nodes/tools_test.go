package nodes_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

// Results are in the order of the calls, whatever order the tools end in, and no
// more tools are at work at once than may be.
func TestToolsRunSideBySideInBounds(t *testing.T) {
	for _, tt := range []struct {
		name           string
		parallel, most int
	}{{"by itself eight", 0, 8}, {"three", 3, 3}, {"one", 1, 1}, {"less", -1, 1}, {"more than there are", 40, 12}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var now, peak atomic.Int64
				wait := nodes.MustTool("wait", "Waits.", func(_ context.Context, in struct{ N int }) (string, error) {
					n := now.Add(1)
					for p := peak.Load(); n > p && !peak.CompareAndSwap(p, n); p = peak.Load() {
					}
					time.Sleep(time.Duration(20-in.N) * time.Minute / 20) // the last ends first
					now.Add(-1)
					return strings.Repeat("x", in.N), nil
				})
				var calls []state.ToolCall
				var want []string
				for i := range 12 {
					calls = append(calls, labCall("", "wait", `{"N":`+string(must(json.Marshal(i)))+`}`))
					want = append(want, strings.Repeat("x", i))
				}
				res, err := labRun(t, nodes.AgentConfig[labChat]{Parallel: tt.parallel, Tools: []nodes.Tool{wait}, Model: labRounds(t, labCalls(calls...), labSay("done"))})
				require.NoError(t, err)
				require.Equal(t, want, labResults(res.State.Messages))
				require.EqualValues(t, tt.most, peak.Load())
				labPaired(t, res.State.Messages)
			})
		})
	}
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return data
}

// A tool that is Alone runs beside none of its answer, and those behind it wait.
func TestToolAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var busy, beside atomic.Int64
		work := func(alone bool) func(context.Context) (string, error) {
			return func(context.Context) (string, error) {
				if n := busy.Add(1); alone && n > 1 {
					beside.Add(1)
				}
				time.Sleep(time.Minute)
				if n := busy.Add(-1); alone && n > 0 {
					beside.Add(1)
				}
				return "ok", nil
			}
		}
		alone := labTool("alone", work(true))
		alone.Alone = true
		call := func(name string) state.ToolCall { return labCall("", name, "{}") }
		began := time.Now()
		res, err := labRun(t, nodes.AgentConfig[labChat]{Tools: []nodes.Tool{alone, labTool("free", work(false))},
			Model: labRounds(t, labCalls(call("free"), call("free"), call("alone"), call("free"), call("free"), call("alone")), labSay("done"))})
		require.NoError(t, err)
		require.Zero(t, beside.Load())
		require.Equal(t, 4*time.Minute, time.Since(began), "the others are side by side")
		require.Len(t, labResults(res.State.Messages), 6)
	})
}

// What goes wrong with a tool is told the model, and the run goes on.
func TestWhatGoesWrongIsToldTheModel(t *testing.T) {
	t.Parallel()
	typed := nodes.MustTool("typed", "", func(_ context.Context, in struct{ N int }) (int, error) { return in.N, nil })
	bad := nodes.MustTool("bad", "", func(context.Context, struct{}) (func(), error) { return nil, nil })
	for name, tt := range map[string]struct {
		call state.ToolCall
		want string
	}{
		"it fails":            {labCall("1", "fails", "{}"), "Error: no luck"},
		"it panics":           {labCall("1", "panics", "{}"), "no index"},
		"it panics with nil":  {labCall("1", "nilpanics", "{}"), "panic"},
		"Goexit":              {labCall("1", "exits", "{}"), "Error: the tool called runtime.Goexit"},
		"unknown":             {labCall("1", "nobody", "{}"), `Error: there is no tool "nobody"; there are: fails, panics, nilpanics, exits, typed, bad`},
		"no fit":              {labCall("1", "typed", `{"N":"x"}`), "Error: the arguments do not fit: at '/N': got string, want integer"},
		"a missing key":       {labCall("1", "typed", `{}`), "missing property 'N'"},
		"an unknown key":      {labCall("1", "typed", `{"N":1,"M":2}`), "'M' not allowed"},
		"no arguments":        {labCall("1", "typed", ``), "missing property 'N'"},
		"no form of a result": {labCall("1", "bad", `{}`), "Error: the result has no JSON form"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res, err := labRun(t, nodes.AgentConfig[labChat]{Model: labRounds(t, labCalls(tt.call), labSay("done")), Tools: []nodes.Tool{
				labTool("fails", func(context.Context) (string, error) { return "", errors.New("no luck") }),
				labTool("panics", func(context.Context) (string, error) { panic("no index") }),
				labTool("nilpanics", func(context.Context) (string, error) { panic(nil) }),
				labTool("exits", func(context.Context) (string, error) { runtime.Goexit(); return "", nil }),
				typed, bad,
			}})
			require.NoError(t, err)
			got := labResults(res.State.Messages)
			require.Len(t, got, 1)
			require.Contains(t, got[0], tt.want)
			require.True(t, strings.HasPrefix(got[0], "Error: "), got[0])
			require.NotContains(t, got[0], "goroutine ", "no stack")
			require.Equal(t, "error", res.State.Messages[2].Status)
			require.Equal(t, "done", res.State.Messages[3].Text())
		})
	}
}

// An error of a Strict tool is the run's, and a panic keeps its stack.
func TestStrictTools(t *testing.T) {
	t.Parallel()
	sentinel := errors.New("no luck")
	strict := func(run func(context.Context) (string, error)) nodes.Tool {
		tool := labTool("strict", run)
		tool.Strict = true
		return tool
	}
	script := func() model.Model { return labRounds(t, labCalls(labCall("1", "strict", "{}")), labSay("done")) }
	_, err := labRun(t, nodes.AgentConfig[labChat]{Model: script(), Tools: []nodes.Tool{strict(func(context.Context) (string, error) { return "", sentinel })}})
	require.ErrorIs(t, err, sentinel)
	require.ErrorContains(t, err, `tool "strict"`)
	_, err = labRun(t, nodes.AgentConfig[labChat]{Model: script(), Tools: []nodes.Tool{strict(func(context.Context) (string, error) { panic("no index") })}})
	var p *graph.PanicError
	require.ErrorAs(t, err, &p)
	require.Contains(t, string(p.Stack), "TestStrictTools")
}

// A tool that Ends makes its result the end of the turn, unless it fails.
func TestToolThatEnds(t *testing.T) {
	t.Parallel()
	ends := nodes.MustTool("ends", "", func(_ context.Context, in struct{ Fail bool }) (string, error) {
		if in.Fail {
			return "", errors.New("not yet")
		}
		return "all is done", nil
	})
	ends.Ends = true
	res, err := labRun(t, nodes.AgentConfig[labChat]{Tools: []nodes.Tool{ends, labFixed("other", "beside")}, Model: labRounds(t,
		labCalls(labCall("1", "ends", `{"Fail":true}`)), labCalls(labCall("2", "ends", `{"Fail":false}`), labCall("3", "other", "{}")))})
	require.NoError(t, err)
	require.Equal(t, []string{"Error: not yet", "all is done", "beside"}, labResults(res.State.Messages))
	labPaired(t, res.State.Messages)
}

// A tool has a time. One that heeds its context is told of as one that does not.
func TestToolTimeout(t *testing.T) {
	for want, run := range map[string]func(context.Context) (string, error){
		"Error: the tool has not ended within 1s":                                        func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() },
		"Error: the tool has not ended within 1s (left behind: it may still be at work)": func(context.Context) (string, error) { time.Sleep(time.Hour); return "late", nil },
	} {
		t.Run(want, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				slow := labTool("slow", run)
				slow.Timeout = time.Second
				res, err := labRun(t, nodes.AgentConfig[labChat]{Tools: []nodes.Tool{slow}, Model: labRounds(t, labCalls(labCall("1", "slow", "{}")), labSay("done"))})
				require.NoError(t, err)
				require.Equal(t, []string{want}, labResults(res.State.Messages))
				time.Sleep(2 * time.Hour) // the tool ends
			})
		})
	}
}

// A run that is cancelled does not wait for a tool that is deaf to that: it is
// named in the error.
func TestDeafToolIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer time.Sleep(2 * time.Hour) // the tool ends
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("the user has left")
		deaf := labTool("deaf", func(context.Context) (string, error) { cancel(why); time.Sleep(time.Hour); return "late", nil })
		deaf.Timeout = -1
		g := labAgent(t, nodes.AgentConfig[labChat]{Tools: []nodes.Tool{deaf}, Model: labRounds(t, labCalls(labCall("1", "deaf", "{}")), labSay("done"))}, nil)
		began := time.Now()
		_, err := g.Invoke(ctx, labHuman("Go."), nil)
		require.Less(t, time.Since(began), time.Minute)
		require.ErrorIs(t, err, why)
		require.ErrorIs(t, err, graph.ErrLeftBehind)
		require.ErrorContains(t, err, `tool "deaf"`)
	})
}

// A huge result is cut for the model, the state and the events.
func TestHugeResults(t *testing.T) {
	t.Parallel()
	const size = 50 << 20
	huge := strings.Repeat("é", size/2)
	for name, tt := range map[string]struct {
		most, want int
		fail       bool
	}{
		"by itself 64 KiB": {0, 64 << 10, false}, "a bound": {1000, 1000, false}, "within a character": {1001, 1000, false},
		"an error": {0, 64 << 10, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := labTool("huge", func(context.Context) (string, error) {
				if tt.fail {
					return "", errors.New(huge)
				}
				return huge, nil
			})
			tool.MaxResult = tt.most
			m := labRounds(t, labCalls(labCall("1", "huge", "{}")), labSay("done"))
			store := labStore()
			g := labAgent(t, nodes.AgentConfig[labChat]{Tools: []nodes.Tool{tool}, Model: m}, &graph.Config{Store: store})
			told := 0
			for e, err := range g.Stream(t.Context(), labHuman("Go."), &graph.RunConfig{Thread: "t"}) {
				require.NoError(t, err)
				if c, ok := e.(*graph.Custom); ok {
					told += len(must(json.Marshal(c.Value)))
				}
			}
			snap, err := g.State(t.Context(), "t", "")
			require.NoError(t, err)
			got := labResults(snap.Values.Messages)[0]
			body, tail, ok := strings.Cut(strings.TrimPrefix(got, "Error: "), "\n[cut off")
			require.True(t, ok)
			require.Len(t, body, tt.want)
			require.True(t, utf8.ValidString(body))
			require.Equal(t, ": these are the first "+string(must(json.Marshal(tt.want)))+" of 52428800 bytes]", tail)
			require.Less(t, told, 200<<10)
			sent := m.requests()[1]
			require.Less(t, len(must(sent.MarshalJSON())), 200<<10)
		})
	}
}

// What is no text is made one, the same whether it was kept or not.
func TestResultsAreText(t *testing.T) {
	t.Parallel()
	res, err := labRun(t, nodes.AgentConfig[labChat]{Tools: []nodes.Tool{labFixed("bytes", "a\xff\xfeb"), labTool("bad", func(context.Context) (string, error) { return "", errors.New("\xc3") })},
		Model: labRounds(t, labCalls(labCall("1", "bytes", "{}"), labCall("2", "bad", "{}")), labSay("done"))})
	require.NoError(t, err)
	require.Equal(t, []string{"a\uFFFDb", "Error: \uFFFD"}, labResults(res.State.Messages))
}

// A result without a word is one all the same.
func TestEmptyResult(t *testing.T) {
	t.Parallel()
	res, err := labRun(t, nodes.AgentConfig[labChat]{Tools: []nodes.Tool{labFixed("quiet", "")}, Model: labRounds(t, labCalls(labCall("1", "quiet", "{}")), labSay("done"))})
	require.NoError(t, err)
	require.Equal(t, []string{""}, labResults(res.State.Messages))
	labPaired(t, res.State.Messages)
}

// What a tool finds in its context.
func TestContextOfTools(t *testing.T) {
	t.Parallel()
	var call nodes.ToolCall
	var seen labChat
	look := nodes.MustTool("look", "", func(ctx context.Context, in struct{ N int }) (string, error) {
		var ok bool
		if call, ok = nodes.CallOf(ctx); !ok {
			return "", errors.New("no call")
		}
		if seen, ok = nodes.StateOf[labChat](ctx); !ok {
			return "", errors.New("no state")
		}
		if _, ok := nodes.StateOf[labDesk](ctx); ok {
			return "", errors.New("a foreign state")
		}
		return "ok", nodes.Progress(ctx, map[string]int{"percent": 50})
	})
	g := labAgent(t, nodes.AgentConfig[labChat]{Name: "ada", Tools: []nodes.Tool{look}, Model: labRounds(t, labCalls(labCall("c1", "look", `{"N":7}`)), labSay("done"))}, nil)
	var told []nodes.ToolEvent
	for e, err := range g.Stream(t.Context(), labHuman("Go."), nil) {
		require.NoError(t, err)
		if c, ok := e.(*graph.Custom); ok {
			if te, ok := c.Value.(nodes.ToolEvent); ok {
				require.Equal(t, "tool", c.Type)
				told = append(told, te)
			}
		}
	}
	require.Equal(t, labCall("c1", "look", `{"N":7}`), call.ToolCall)
	require.Equal(t, "ada", call.Agent)
	require.Len(t, seen.Messages, 1, "as the turn began")
	require.Equal(t, []nodes.ToolEvent{
		{ID: "c1", Agent: "ada", Tool: "look", Phase: nodes.ToolBegins, Args: `{"N":7}`},
		{ID: "c1", Agent: "ada", Tool: "look", Phase: nodes.ToolProgress, Value: map[string]int{"percent": 50}},
		{ID: "c1", Agent: "ada", Tool: "look", Phase: nodes.ToolEnds, Text: "ok"},
	}, told)

	_, ok := nodes.CallOf(t.Context())
	require.False(t, ok)
	_, ok = nodes.StateOf[labChat](t.Context())
	require.False(t, ok)
	require.Error(t, nodes.Progress(t.Context(), 1))
}

// Tools that a stay does not grant are neither offered nor run.
func TestGrants(t *testing.T) {
	t.Parallel()
	ran := map[string]bool{}
	tool := func(name, grant string) nodes.Tool {
		x := labTool(name, func(context.Context) (string, error) { ran[name] = true; return "ok", nil })
		x.Grant = grant
		return x
	}
	worker := labScript(t, labCalls(labCall("w1", "read", "{}"), labCall("w2", "write", "{}"), labCall("w3", "list", "{}")), labSay("done"))
	w := labMember("worker", worker)
	w.Profile.Grants = []string{"read", "fs.list"}
	w.Agent.Tools, w.Agent.Parallel = []nodes.Tool{tool("read", ""), tool("write", ""), tool("list", "fs.list")}, 1
	g := labTeam(t, &handoffs.Policy{Entry: "boss"}, nil, labMember("boss", labScript(t, labCalls(labHand("h1", "worker", true)), labSay("over"))), w)
	res := labAsk(t, g, "Go.")
	var offered []string
	for _, x := range worker.requests()[0].Tools {
		offered = append(offered, x.Name)
	}
	require.Contains(t, offered, "read")
	require.Contains(t, offered, "list")
	require.NotContains(t, offered, "write")
	require.Equal(t, map[string]bool{"read": true, "list": true}, ran)
	require.Contains(t, labLines(res.State.Messages), `there is no tool "write"`)
}

// NewTool and NewAgent tell what is wrong.
func TestWrongTools(t *testing.T) {
	t.Parallel()
	run := func(context.Context, json.RawMessage) (string, error) { return "", nil }
	m := labScript(t)
	for name, tt := range map[string]struct {
		tools []nodes.Tool
		want  string
	}{
		"no name":      {[]nodes.Tool{{Run: run}}, `has the name ""`},
		"a blank":      {[]nodes.Tool{{Name: "a b", Run: run}}, `"a b"`},
		"too long":     {[]nodes.Tool{{Name: strings.Repeat("a", 65), Run: run}}, "at most 64"},
		"no function":  {[]nodes.Tool{{Name: "a"}}, `tool "a" has no Run`},
		"no object":    {[]nodes.Tool{{Name: "a", Run: run, Schema: json.RawMessage(`{"type":"string"}`)}}, "must be that of an object"},
		"no schema":    {[]nodes.Tool{{Name: "a", Run: run, Schema: json.RawMessage(`{"type":"object","properties":7}`)}}, `the schema of tool "a"`},
		"twice":        {[]nodes.Tool{{Name: "a", Run: run}, {Name: "a", Run: run}}, `two tools have the name "a"`},
		"the team's":   {[]nodes.Tool{{Name: "handoff_to_specialist", Run: run}}, "one that the team offers"},
		"the team's 2": {[]nodes.Tool{{Name: "finish", Run: run}}, "one that the team offers"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := nodes.NewAgent(nodes.AgentConfig[labChat]{Name: "ada", Model: m, Tools: tt.tools})
			require.ErrorContains(t, err, tt.want)
			require.ErrorContains(t, err, `agent "ada"`)
		})
	}
	_, err := nodes.NewTool("a", "", func(context.Context, int) (string, error) { return "", nil })
	require.ErrorContains(t, err, "must be that of an object")
	_, err = nodes.NewTool("a", "", func(context.Context, chan int) (string, error) { return "", nil })
	require.Error(t, err)
	_, err = nodes.NewAgent(nodes.AgentConfig[labChat]{})
	require.ErrorContains(t, err, "it needs a Model")
}
