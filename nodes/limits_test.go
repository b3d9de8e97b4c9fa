package nodes_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/nodes/model"
)

// forever is a model that calls a tool whatever it is told, while it has tools.
func forever(t testing.TB) *labModel {
	return &labModel{t: t, answer: func(_ context.Context, r *model.Request) (*model.Response, error) {
		a := labCalls(labCall("", "look", "{}"), labCall("", "look", "{}"))
		if len(r.Tools) == 0 {
			a = labSay("this is what I have")
		}
		return &a, nil
	}}
}

// Each bound ends a turn, by an error that tells which, or by one last answer.
func TestLimits(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		limits nodes.Limits
		what   string
		calls  int
	}{
		"by itself 25":     {nodes.Limits{}, "25 model calls", 25},
		"model calls":      {nodes.Limits{ModelCalls: 3}, "3 model calls", 3},
		"tool calls":       {nodes.Limits{ModelCalls: -1, ToolCalls: 5}, "5 tool calls", 3},
		"tokens":           {nodes.Limits{ModelCalls: -1, Tokens: 46}, "46 tokens", 4},
		"tokens, exactly":  {nodes.Limits{ModelCalls: -1, Tokens: 45}, "45 tokens", 3},
		"the first to be":  {nodes.Limits{ModelCalls: 4, ToolCalls: 100, Tokens: 30}, "30 tokens", 2},
		"less is no bound": {nodes.Limits{ModelCalls: -1, ToolCalls: -1, Tokens: -1, Time: -1}, "", 40},
	} {
		for _, finish := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " finish ", finish), func(t *testing.T) {
				t.Parallel()
				m := forever(t)
				if tt.what == "" { // it ends by itself some time
					answer := m.answer
					m.answer = func(ctx context.Context, r *model.Request) (*model.Response, error) {
						if len(m.requests()) == tt.calls {
							a := labSay("enough")
							return &a, nil
						}
						return answer(ctx, r)
					}
				}
				tt.limits.Finish = finish
				res, err := labRun(t, nodes.AgentConfig[labChat]{Name: "ada", Model: m, Tools: []nodes.Tool{labFixed("look", "seen")}, Limits: tt.limits})
				if finish || tt.what == "" {
					require.NoError(t, err)
					calls := tt.calls
					if tt.what != "" {
						calls++
						require.Equal(t, "this is what I have", res.State.Messages[len(res.State.Messages)-1].Text())
					}
					require.Len(t, m.requests(), calls)
					require.Equal(t, 15*calls, res.State.Tokens)
					labPaired(t, res.State.Messages)
					return
				}
				require.ErrorIs(t, err, graph.ErrLimit)
				var e *nodes.Exceeded
				require.ErrorAs(t, err, &e)
				require.Equal(t, "ada", e.Agent)
				require.Equal(t, tt.what, e.Limit+" "+e.What)
				require.Equal(t, tt.calls, e.Calls)
				require.ErrorContains(t, err, `agent "ada" has reached its limit of `+tt.what)
				require.Len(t, m.requests(), tt.calls)
			})
		}
	}
}

// A model that calls tools although it has none to call does not get round a
// bound.
func TestFinishThatDoesNotFinish(t *testing.T) {
	t.Parallel()
	ran := 0
	look := labTool("look", func(context.Context) (string, error) { ran++; return "seen", nil })
	m := &labModel{t: t, answer: func(context.Context, *model.Request) (*model.Response, error) {
		a := labCalls(labCall("", "look", "{}"))
		return &a, nil
	}}
	_, err := labRun(t, nodes.AgentConfig[labChat]{Model: m, Tools: []nodes.Tool{look}, Limits: nodes.Limits{ModelCalls: 2, Finish: true}})
	require.ErrorIs(t, err, graph.ErrLimit)
	require.Len(t, m.requests(), 3)
	require.Equal(t, 2, ran, "what it was not offered is not run")
}

// Time bounds models and tools that do not end.
func TestTimeOfATurn(t *testing.T) {
	for name, hangs := range map[string]string{"a model": "model", "a tool": "tool", "a deaf tool": "deaf"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				defer time.Sleep(2 * time.Hour)
				script := labRounds(t, labCalls(labCall("1", "slow", "{}")), labSay("done"))
				answer := script.answer
				script.answer = func(ctx context.Context, r *model.Request) (*model.Response, error) {
					if hangs == "model" && len(script.requests()) == 2 {
						<-ctx.Done()
						return nil, ctx.Err()
					}
					return answer(ctx, r)
				}
				slow := labTool("slow", func(ctx context.Context) (string, error) {
					switch hangs {
					case "tool":
						<-ctx.Done()
					case "deaf":
						time.Sleep(time.Hour)
					}
					return "ok", ctx.Err()
				})
				_, err := labRun(t, nodes.AgentConfig[labChat]{Name: "ada", Model: script, Tools: []nodes.Tool{slow}, Limits: nodes.Limits{Time: time.Minute, Finish: true}})
				require.ErrorIs(t, err, graph.ErrLimit)
				var e *nodes.Exceeded
				require.ErrorAs(t, err, &e)
				require.Equal(t, "time", e.What)
				require.Equal(t, "1m0s", e.Limit)
				require.Equal(t, 1, e.Calls, "that were made")
			})
		})
	}
}

// A called agent that reaches a bound has failed, and its caller goes on with
// that: it is told the code, and what it cost is counted.
func TestLimitsInATeamX43(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		limits nodes.Limits
		code   handoffs.Code
		calls  int
	}{
		"iterations": {nodes.Limits{ModelCalls: 15}, handoffs.CodeTurns, 15},
		"tools":      {nodes.Limits{ToolCalls: 6}, handoffs.CodeTurns, 3},
		"tokens":     {nodes.Limits{Tokens: 30}, handoffs.CodeBudget, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := labMember("digger", forever(t))
			d.Agent.Tools, d.Agent.Limits = []nodes.Tool{labFixed("look", "seen")}, tt.limits
			boss := labScript(t, labCalls(labHand("h", "digger", true)), labSay("then without"))
			g := labTeam(t, &handoffs.Policy{Entry: "boss", Limits: handoffs.Limits{Handoffs: 5, Tokens: 1000}}, nil, labMember("boss", boss), d)
			res := labAsk(t, g, "Dig.")
			require.Equal(t, []string{"call boss>digger failed !" + string(tt.code)}, labLog(&res.State))
			out := deskOutcome(t, &res.State)
			require.Equal(t, handoffs.Failed, out.Status)
			require.Equal(t, tt.code, out.Code)
			require.Contains(t, out.Error, `agent "digger" has reached its limit`)
			require.Contains(t, labResults(boss.requests()[1].Messages)[0], "has reached its limit", "the caller is told")
			require.Equal(t, "then without", res.State.Messages[len(res.State.Messages)-1].Text())
			require.Equal(t, 15*(tt.calls+2), res.State.Handoffs.Spent.Tokens, "what the failed turn cost too")
			require.Equal(t, tt.calls+2, res.State.Handoffs.Spent.Calls)
		})
	}
}

// A turn that is out of time fails by the deadline's code.
func TestTimeInATeam(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := &labModel{t: t, answer: func(ctx context.Context, _ *model.Request) (*model.Response, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		d := labMember("digger", hang)
		d.Agent.Limits.Time = time.Minute
		g := labTeam(t, &handoffs.Policy{Entry: "boss"}, nil, labMember("boss", labScript(t, labCalls(labHand("h", "digger", true)), labSay("then without"))), d)
		res := labAsk(t, g, "Dig.")
		require.Equal(t, []string{"call boss>digger failed !deadline"}, labLog(&res.State))
	})
}

// A model that fails fails its agent, and no more than that.
func TestFailingModelInATeam(t *testing.T) {
	t.Parallel()
	broken := &labModel{t: t, answer: func(context.Context, *model.Request) (*model.Response, error) {
		return nil, &model.Error{Class: model.Overloaded, Provider: "lab", Text: "come back later"}
	}}
	boss := labScript(t, labCalls(labHand("h", "digger", true)), labSay("then without"))
	res := labAsk(t, labTeam(t, &handoffs.Policy{Entry: "boss"}, nil, labMember("boss", boss), labMember("digger", broken)), "Dig.")
	require.Equal(t, []string{"call boss>digger failed !failed"}, labLog(&res.State))
	require.Contains(t, labResults(boss.requests()[1].Messages)[0], "come back later")

	_, err := labRun(t, nodes.AgentConfig[labChat]{Model: broken})
	require.ErrorIs(t, err, model.Overloaded)
	require.ErrorContains(t, err, `agent "agent": call 1 of the model`)
}
