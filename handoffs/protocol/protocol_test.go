package protocol_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/protocol"
)

// work is what a scripted agent does in a turn.
type work = func(handoffs.Turn, protocol.Update) (protocol.Command, error)

// stage is a team of agents, and what was seen of it.
type stage struct {
	*testing.T
	policy *handoffs.Policy
	kind   handoffs.Kind // of all handoffs; "": as they are
	graph  *graph.Graph[desk]
	team   *handoffs.Team[desk]
	route  []string
	turns  []handoffs.Turn
	end    desk
	err    error
	ask    []graph.Question
}

func newStage(t *testing.T, p *handoffs.Policy, agents map[string]work, names ...string) *stage {
	st := &stage{T: t, policy: p}
	p.Virtual = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	cfg := handoffs.TeamConfig[desk]{Fields: fields, Policy: p}
	for _, id := range names {
		cfg.Agents = append(cfg.Agents, handoffs.Agent[desk]{Profile: handoffs.Profile{ID: id}, Node: st.node(id, agents[id])})
	}
	var err error
	st.team, err = handoffs.NewTeam(cfg)
	require.NoError(t, err)
	st.graph, err = st.team.Compile(schema, &graph.Config{Store: checkpoint.NewMemory(nil), RecursionLimit: 200, MaxConcurrency: 1})
	require.NoError(t, err)
	return st
}

// node is an agent that does what its script says.
func (st *stage) node(id string, script work) graph.Node[desk] {
	return func(ctx context.Context, s desk) (graph.Command[desk], error) {
		st.route, st.turns = append(st.route, id), append(st.turns, s.Turn)
		u, err := protocol.AcceptHandoff(&s.Turn)
		if err != nil || script == nil {
			return graph.Command[desk]{}, err
		}
		c, err := script(s.Turn, u)
		if err != nil || c.Goto.Agent == "" && c.Goto.Sends == nil {
			return graph.Command[desk]{}, err
		}
		h, err := c.Handoff()
		if err != nil {
			return graph.Command[desk]{}, err
		}
		if st.kind != "" {
			h.Kind = st.kind
		}
		return st.team.HandOff(ctx, s, h)
	}
}

func (st *stage) run() *stage {
	st.Helper()
	res, err := st.graph.Invoke(st.Context(), nil, &graph.RunConfig{Thread: "t"})
	return st.saw(res, err)
}

func (st *stage) resume(answer any) *stage {
	st.Helper()
	res, err := st.graph.Resume(st.Context(), graph.Answer(answer), &graph.RunConfig{Thread: "t"})
	return st.saw(res, err)
}

func (st *stage) saw(res graph.Result[desk], err error) *stage {
	snap, at := st.graph.State(st.Context(), "t", "")
	require.NoError(st, at)
	st.end, st.err, st.ask = snap.Values, err, res.Interrupts
	return st
}

func (st *stage) log() handoffs.Log { return handoffs.LogOf(st.end.HandoffLog) }

// to hands on to an agent, with a task.
func to(agent, task string) work {
	return func(_ handoffs.Turn, u protocol.Update) (protocol.Command, error) {
		return u.HandoffToAgent(agent, protocol.Context{TaskDescription: task}), nil
	}
}

// times is to with a task of its own each time.
func times(agent string) work {
	n := 0
	return func(_ handoffs.Turn, u protocol.Update) (protocol.Command, error) {
		n++
		return u.HandoffToAgent(agent, protocol.Context{TaskDescription: fmt.Sprint("try ", n)}), nil
	}
}

// enabled is the policy of the literal protocol.
func enabled() *handoffs.Policy { return (&protocol.Config{EnableHandoffs: true}).Policy() }

func TestS2_02_06_CommandInJSON(t *testing.T) {
	c := protocol.Command{Goto: protocol.Goto{Agent: "planner"}, Update: protocol.Update{
		Context:   protocol.Context{PreviousAgent: "docs-researcher", TaskDescription: "plan", Completed: true, ArtifactsCreated: []string{"ResearchPack"}},
		Artifacts: map[string]*string{"ResearchPack": protocol.Path("pack.md"), "ValidationReport": nil},
		WorkflowState: protocol.WorkflowState{
			Phase: "planning", NextPhase: "implementation", CompletedSteps: []string{"research"}, RemainingSteps: []string{"implementation"},
		},
		Metrics: protocol.Metrics{TokensUsed: 1200, TimeElapsed: 2.5, RetryCount: 1, DeepwikiUsed: true},
	}}
	data, err := json.Marshal(c)
	require.NoError(t, err)
	require.JSONEq(t, `{"goto":"planner","update":{
		"context":{"previous_agent":"docs-researcher","task_description":"plan","completed":true,"artifacts_created":["ResearchPack"]},
		"artifacts":{"ResearchPack":"pack.md","ValidationReport":null},
		"workflow_state":{"phase":"planning","next_phase":"implementation","completed_steps":["research"],"remaining_steps":["implementation"]},
		"metrics":{"tokens_used":1200,"time_elapsed":2.5,"retry_count":1,"deepwiki_used":true}}}`, string(data))
	var back protocol.Command
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, c, back)

	h, err := c.Handoff()
	require.NoError(t, err)
	require.Equal(t, handoffs.Transfer, h.Kind)
	require.Equal(t, handoffs.Usage{Tokens: 1200, Time: 2500 * time.Millisecond}, h.Usage)
	require.Equal(t, "plan", h.Task)
	_, err = h.Encode()
	require.NoError(t, err)
}

func TestS2_25_GotoIsANameOrSends(t *testing.T) {
	var g protocol.Goto
	require.NoError(t, json.Unmarshal([]byte(`[{"agent":"a","task":"x"},{"agent":"a","task":"y"}]`), &g))
	require.Equal(t, protocol.Goto{Sends: []protocol.Send{{Agent: "a", Task: "x"}, {Agent: "a", Task: "y"}}}, g)
	data, err := json.Marshal(g)
	require.NoError(t, err)
	require.JSONEq(t, `[{"agent":"a","task":"x"},{"agent":"a","task":"y"}]`, string(data))
	require.Error(t, json.Unmarshal([]byte(`3`), &g))
}

// S2-07, S2-08, S2-23, X-19: what is handed over is there, and phases move on
// when a context says so.
func TestS2_07_08_HandoffAndAccept(t *testing.T) {
	var got protocol.Update
	st := newStage(t, enabled(), map[string]work{
		"docs-researcher": func(_ handoffs.Turn, u protocol.Update) (protocol.Command, error) {
			u.WorkflowState = protocol.NewWorkflow("research", "planning", "implementation")
			u.Artifacts = map[string]*string{"ValidationReport": nil}
			c := u.HandoffToAgent("implementation-planner", protocol.Context{TaskDescription: "plan", Completed: true, ArtifactsCreated: []string{"ResearchPack"}})
			c.Update.Artifacts["ResearchPack"] = protocol.Path("pack.md")
			return c, nil
		},
		"implementation-planner": func(_ handoffs.Turn, u protocol.Update) (protocol.Command, error) {
			got = u
			return protocol.Command{}, nil
		},
	}, "docs-researcher", "implementation-planner").run()
	require.NoError(t, st.err)
	require.Equal(t, protocol.Update{
		Context:   protocol.Context{PreviousAgent: "docs-researcher", TaskDescription: "plan", Completed: true, ArtifactsCreated: []string{"ResearchPack"}},
		Artifacts: map[string]*string{"ResearchPack": protocol.Path("pack.md"), "ValidationReport": nil},
		WorkflowState: protocol.WorkflowState{
			Phase: "planning", NextPhase: "implementation", CompletedSteps: []string{"research"}, RemainingSteps: []string{"implementation"},
		},
	}, got)
	done := got.WorkflowState.Advance().Advance()
	require.Equal(t, protocol.WorkflowState{CompletedSteps: []string{"research", "planning", "implementation"}, RemainingSteps: []string{}}, done)
	require.Equal(t, []string{"research"}, got.WorkflowState.CompletedSteps)
	empty, err := protocol.AcceptHandoff(&handoffs.Turn{})
	require.NoError(t, err)
	require.Equal(t, protocol.Update{}, empty)
}

func TestS2_07_ToolsOfAModel(t *testing.T) {
	p := enabled()
	p.Registry = handoffs.MustRegistry(handoffs.Profile{ID: "a"}, handoffs.Profile{ID: "b"}, handoffs.Profile{ID: "gone", Unavailable: true})
	tools := protocol.Tools(p, nil, handoffs.Log{}, "a", time.Time{})
	require.Equal(t, "handoff_to_agent", tools[0].Name)
	require.Equal(t, []string{"b"}, tools[0].Targets)
	require.Equal(t, "accept_handoff", tools[1].Name)
	var schema struct {
		Properties map[string]struct{ Enum []string }
		Required   []string
	}
	require.NoError(t, json.Unmarshal(tools[0].Schema, &schema))
	require.Equal(t, []string{"b"}, schema.Properties["agent_name"].Enum)
	require.Equal(t, []string{"agent_name", "context"}, schema.Required)
	p.Disabled = true
	require.Len(t, protocol.Tools(p, nil, handoffs.Log{}, "a", time.Time{}), 1)

	var u protocol.Update
	c, err := u.ParseHandoff([]byte(`{"agent_name":"b","context":{"task_description":"plan","completed":true}}`))
	require.NoError(t, err)
	require.Equal(t, "b", c.Goto.Agent)
	require.True(t, c.Update.Context.Completed)
	for arguments, want := range map[string]string{
		`{}`: "agent_name: it is missing", `{"agent_name":"b"}`: "context.task_description: it is missing",
		`{"agent_name":"b","context":{"task_description":"x"},"more":1}`: "unknown field", `{"agent_name":3}`: "cannot unmarshal", `x`: "invalid character",
		`{"agent_name":"b","context":{"task_description":"x"}} {}`: "behind the arguments",
	} {
		_, err := u.ParseHandoff([]byte(arguments))
		var bad *handoffs.CommandError
		require.True(t, errors.As(err, &bad), arguments)
		require.ErrorContains(t, err, want)
		require.ErrorIs(t, err, handoffs.CodeSyntax)
	}
}

// S2-09: five handoffs, and no more.
func TestS2_09_HandoffLimit(t *testing.T) {
	st := newStage(t, enabled(), map[string]work{"a": times("b"), "b": times("a")}, "a", "b").run()
	require.ErrorIs(t, st.err, protocol.HandoffLimitExceeded)
	require.ErrorIs(t, st.err, handoffs.CodeLimit)
	require.ErrorIs(t, st.err, graph.ErrLimit)
	require.NotErrorIs(t, st.err, protocol.DeadlockDetected)
	var e *protocol.HandoffError
	require.True(t, errors.As(st.err, &e))
	require.Equal(t, "a", e.To)
	require.Equal(t, "a b a b a b", strings.Join(st.route, " "))
	require.Len(t, protocol.HandoffLog(st.log()), protocol.MaxHandoffs)
}

// S2-10..S2-13, X-23: failures open the breaker, which is global.
func TestS2_10_13_CircuitBreaker(t *testing.T) {
	p := enabled()
	p.OnReject[handoffs.CodeBreaker] = handoffs.Action{Do: handoffs.ToSource}
	calls := 0
	st := newStage(t, p, map[string]work{
		"a": func(turn handoffs.Turn, u protocol.Update) (protocol.Command, error) {
			if turn.Refused != nil {
				return protocol.Command{}, nil
			}
			return u.HandoffToAgent("x", protocol.Context{TaskDescription: fmt.Sprint("try ", turn.Number)}), nil
		},
		"x": func(handoffs.Turn, protocol.Update) (protocol.Command, error) {
			calls++
			return protocol.Command{}, errors.New("boom")
		},
	}, "a", "x")
	st.kind = handoffs.Call // so that a goes on behind each failure
	st.run()
	require.NoError(t, st.err)
	require.Equal(t, 3, calls)
	breaker := protocol.CircuitBreakerOf(st.policy, &st.end.Handoffs)
	require.Equal(t, "open", breaker.State)
	require.Equal(t, 3, breaker.FailureCount)
	require.Equal(t, 3, breaker.Threshold)
	require.False(t, breaker.LastFailure.IsZero())
	last, ok := handoffs.Last(st.log(), handoffs.Filter{})
	require.True(t, ok)
	require.Equal(t, protocol.CircuitBreakerOpen, last.Code)
	require.Equal(t, "handoffs temporarily disabled", last.Message)
	require.Equal(t, "open", protocol.MetricsOf(st.policy, &st.end.Handoffs, st.log()).CircuitBreakerStatus)
}

// S2-12: a success forgets the failures before it.
func TestS2_12_SuccessClosesTheBreaker(t *testing.T) {
	n := 0
	st := newStage(t, enabled(), map[string]work{
		"a": func(turn handoffs.Turn, u protocol.Update) (protocol.Command, error) {
			if turn.Number > 5 {
				return protocol.Command{}, nil
			}
			return u.HandoffToAgent("x", protocol.Context{TaskDescription: fmt.Sprint("try ", turn.Number)}), nil
		},
		"x": func(handoffs.Turn, protocol.Update) (protocol.Command, error) {
			if n++; n != 3 {
				return protocol.Command{}, errors.New("boom")
			}
			return protocol.Command{}, nil
		},
	}, "a", "x")
	st.kind = handoffs.Call
	st.run()
	require.NoError(t, st.err)
	require.Equal(t, 5, n)
	require.Equal(t, 2, protocol.CircuitBreakerOf(st.policy, &st.end.Handoffs).FailureCount)
}

func TestS2_14_CircuitBreakerView(t *testing.T) {
	at := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	p := enabled()
	require.Equal(t, protocol.CircuitBreaker{State: "closed", Threshold: 3}, protocol.CircuitBreakerOf(p, &handoffs.Desk{}))
	half := &handoffs.Desk{Breakers: map[string]handoffs.Breaker{"all": {State: handoffs.BreakerHalfOpen, Failures: 3, Last: at}}}
	data, err := json.Marshal(protocol.CircuitBreakerOf(p, half))
	require.NoError(t, err)
	require.JSONEq(t, `{"state":"half-open","failure_count":3,"last_failure":"2026-05-04T12:00:00Z","threshold":3}`, string(data))
}

// S2-15, S2-33: what a log and its figures tell.
func TestS2_15_33_LogAndMetrics(t *testing.T) {
	st := newStage(t, enabled(), map[string]work{
		"a": func(_ handoffs.Turn, u protocol.Update) (protocol.Command, error) {
			c := u.HandoffToAgent("b", protocol.Context{TaskDescription: "x"})
			c.Update.Metrics = protocol.Metrics{TokensUsed: 700, TimeElapsed: 3}
			return c, nil
		},
	}, "a", "b").run()
	require.NoError(t, st.err)
	log := protocol.HandoffLog(st.log())
	data, err := json.Marshal(log)
	require.NoError(t, err)
	require.JSONEq(t, `[{"from":"a","to":"b","context_hash":"`+log[0].ContextHash+`","timestamp":"2026-05-04T12:00:03Z"}]`, string(data))
	require.Len(t, log[0].ContextHash, 32)
	m := protocol.MetricsOf(st.policy, &st.end.Handoffs, st.log())
	require.Equal(t, protocol.WorkflowMetrics{HandoffsPerWorkflow: 1, TokensPerAgent: map[string]int{"a": 700}, CircuitBreakerStatus: "closed"}, m)
}

// S2-16, S2-22, X-22: the same handoff with the same context is a deadlock,
// whatever it cost; one with another task is not.
func TestS2_16_Deadlock(t *testing.T) {
	cost := 0
	same := func(agent string) work {
		return func(_ handoffs.Turn, u protocol.Update) (protocol.Command, error) {
			cost += 100
			c := u.HandoffToAgent(agent, protocol.Context{TaskDescription: "same"})
			c.Update.Metrics.TokensUsed, c.Update.Metrics.TimeElapsed = cost, float64(cost)/7
			return c, nil
		}
	}
	st := newStage(t, enabled(), map[string]work{"a": same("b"), "b": same("a")}, "a", "b").run()
	require.ErrorIs(t, st.err, protocol.DeadlockDetected)
	require.Equal(t, "a b a", strings.Join(st.route, " "))
	require.Equal(t, 1, protocol.MetricsOf(st.policy, &st.end.Handoffs, st.log()).DeadlockCount)

	st = newStage(t, enabled(), map[string]work{"a": times("b"), "b": times("a")}, "a", "b").run()
	require.NotErrorIs(t, st.err, protocol.DeadlockDetected)
	st = newStage(t, enabled(), map[string]work{"a": to("b", "x"), "b": to("c", "x"), "c": to("a", "x")}, "a", "b", "c").run()
	require.ErrorIs(t, st.err, protocol.DeadlockDetected, "the fourth is within three of the first")
}

// S2-17, X-24: a person approves with "yes"; everything else ends the run.
func TestS2_17_HumanApproval(t *testing.T) {
	cfg := protocol.Config{EnableHandoffs: true, RequiresHumanApproval: func(agent string, c protocol.Context) bool {
		return agent == "implementer" && c.TaskDescription == "deploy"
	}}
	for answer, want := range map[string]string{"YES": "planner implementer", "yes": "planner implementer", "no": "planner", "maybe": "planner"} {
		st := newStage(t, cfg.Policy(), map[string]work{"planner": to("implementer", "deploy")}, "planner", "implementer").run()
		require.ErrorIs(t, st.err, graph.ErrInterrupted)
		require.Len(t, st.ask, 1)
		question, err := json.Marshal(st.ask[0].Value)
		require.NoError(t, err)
		require.Contains(t, string(question), `"task":"deploy"`)
		require.Contains(t, string(question), `"to":"implementer"`)
		st.resume(answer)
		require.NoError(t, st.err, answer)
		require.Equal(t, want, strings.Join(st.route, " "), answer)
	}
	st := newStage(t, cfg.Policy(), map[string]work{"planner": to("implementer", "sketch")}, "planner", "implementer").run()
	require.NoError(t, st.err)
	require.Equal(t, "planner implementer", strings.Join(st.route, " "))
}

func TestS2_18_22_EconomicClasses(t *testing.T) {
	tests := map[string]struct {
		class string
		used  protocol.Used
		ok    bool
	}{
		"S2-18 simple makes no handoff":   {"simple", protocol.Used{}, false},
		"S2-19 medium, its second":        {"medium", protocol.Used{Handoffs: 1, Tokens: 24_999, Agents: 2}, true},
		"S2-19 medium, a third":           {"medium", protocol.Used{Handoffs: 2}, false},
		"S2-19 medium, tokens":            {"medium", protocol.Used{Tokens: 25_000}, false},
		"S2-20 complex, its fifth":        {"complex", protocol.Used{Handoffs: 4, Tokens: 149_999, Agents: 4}, true},
		"S2-20 complex, a sixth":          {"complex", protocol.Used{Handoffs: 5}, false},
		"S2-20 complex, tokens":           {"complex", protocol.Used{Tokens: 150_000}, false},
		"S2-22 medium, a fourth agent":    {"medium", protocol.Used{Agents: 3}, false},
		"S2-22 complex, a sixth agent":    {"complex", protocol.Used{Agents: 5}, false},
		"S2-21 a class that there is not": {"huge", protocol.Used{}, false},
		"S2-21 no class":                  {"", protocol.Used{Handoffs: 99, Tokens: 1 << 30, Agents: 9}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := protocol.CheckEconomicViability(tt.class, tt.used)
			if tt.ok {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, protocol.EconomicLimitExceeded)
			require.ErrorIs(t, err, handoffs.CodeEconomic)
			var e *protocol.HandoffError
			require.True(t, errors.As(err, &e))
		})
	}
}

// S2-21, X-21: a run is held to its class, also by tokens that turns told.
func TestS2_21_ARunIsHeldToItsClass(t *testing.T) {
	p := (&protocol.Config{EnableHandoffs: true, Class: protocol.ClassMedium}).Policy()
	st := newStage(t, p, map[string]work{"a": times("b"), "b": times("a")}, "a", "b").run()
	require.ErrorIs(t, st.err, protocol.EconomicLimitExceeded)
	require.Equal(t, "a b a", strings.Join(st.route, " "))

	p = (&protocol.Config{EnableHandoffs: true, Class: protocol.ClassComplex}).Policy()
	st = newStage(t, p, map[string]work{"a": func(_ handoffs.Turn, u protocol.Update) (protocol.Command, error) {
		c := u.HandoffToAgent("b", protocol.Context{TaskDescription: "x"})
		c.Update.Metrics.TokensUsed = 150_000
		return c, nil
	}}, "a", "b").run()
	require.ErrorIs(t, st.err, protocol.EconomicLimitExceeded)
	require.Equal(t, 150_000, st.end.Handoffs.Spent.Tokens)
}

// S2-25, X-25: several agents side by side, one of them twice.
func TestS2_25_Parallel(t *testing.T) {
	st := newStage(t, enabled(), map[string]work{
		"chief-architect": func(turn handoffs.Turn, u protocol.Update) (protocol.Command, error) {
			if len(turn.Results) > 0 {
				return protocol.Command{}, nil
			}
			return u.HandoffToAgents(protocol.Context{TaskDescription: "look around"},
				protocol.Send{Agent: "docs-researcher", Task: "Redis"}, protocol.Send{Agent: "docs-researcher", Task: "caching"}, protocol.Send{Agent: "brahma-scout", Task: "code"}), nil
		},
	}, "chief-architect", "docs-researcher", "brahma-scout").run()
	require.NoError(t, st.err)
	require.Equal(t, "chief-architect docs-researcher docs-researcher brahma-scout chief-architect", strings.Join(st.route, " "))
	require.Equal(t, []string{"Redis", "caching"}, []string{st.turns[1].Task, st.turns[2].Task})
	require.Len(t, st.turns[4].Results[0].Parts, 3)
}

// S2-34, S2-35, S2-36, X-26: handoffs are opted in; else agents work alone.
func TestS2_34_36_IndependentMode(t *testing.T) {
	alone := func(cfg protocol.Config) *stage {
		return newStage(t, cfg.Policy(), map[string]work{"a": func(turn handoffs.Turn, u protocol.Update) (protocol.Command, error) {
			if turn.Refused != nil {
				return protocol.Command{}, nil
			}
			return u.HandoffToAgent("b", protocol.Context{TaskDescription: "x"}), nil
		}}, "a", "b").run()
	}
	rollout := []string{protocol.ClassMedium}
	for want, cfgs := range map[string][]protocol.Config{
		"a a": {{}, {Class: protocol.ClassMedium}, {EnableHandoffs: true, Rollout: rollout, Class: protocol.ClassComplex}, {EnableHandoffs: true, Rollout: rollout}},
		"a b": {{EnableHandoffs: true}, {EnableHandoffs: true, Rollout: rollout, Class: protocol.ClassMedium}},
	} {
		for _, cfg := range cfgs {
			st := alone(cfg)
			require.NoError(t, st.err)
			require.Equal(t, want, strings.Join(st.route, " "), "%+v", cfg)
			if want == "a a" {
				require.Equal(t, handoffs.CodeDisabled, st.turns[1].Refused.Code)
			}
		}
	}
}

// S2-37: a handoff that is rejected leads to the independent mode.
func TestS2_37_Fallback(t *testing.T) {
	tries := 0
	st := newStage(t, (&protocol.Config{EnableHandoffs: true, Fallback: true}).Policy(), map[string]work{
		"a": func(handoffs.Turn, protocol.Update) (protocol.Command, error) {
			if tries++; tries == 3 {
				return protocol.Command{}, nil
			}
			return to(map[int]string{1: "nobody", 2: "b"}[tries], "x")(handoffs.Turn{}, protocol.Update{})
		},
	}, "a", "b").run()
	require.NoError(t, st.err)
	require.Equal(t, "a a a", strings.Join(st.route, " "))
	require.Equal(t, handoffs.CodeNotFound, st.turns[1].Refused.Code)
	require.Equal(t, handoffs.CodeDisabled, st.turns[2].Refused.Code)
	require.True(t, st.end.Handoffs.Degraded)
}

// S2-24, S2-39, X-20: quality loops, with and without a quota of their own.
func TestS2_39_LoopbackQuota(t *testing.T) {
	quality := func(cfg protocol.Config, scores ...float64) *stage {
		n := 0
		return newStage(t, cfg.Policy(), map[string]work{
			"docs-researcher":        times("implementation-planner"),
			"implementation-planner": times("brahma-analyzer"),
			"brahma-analyzer": func(_ handoffs.Turn, u protocol.Update) (protocol.Command, error) {
				score := scores[min(n, len(scores)-1)]
				n++
				c := protocol.Context{TaskDescription: fmt.Sprint("round ", n), QualityScore: &score}
				if score < 80 {
					c.Reason = "the score is below 80"
					return u.HandoffToAgent("docs-researcher", c), nil
				}
				return u.HandoffToAgent("code-implementer", c), nil
			},
		}, "docs-researcher", "implementation-planner", "brahma-analyzer", "code-implementer").run()
	}
	literal := protocol.Config{EnableHandoffs: true}
	st := quality(literal, 85)
	require.NoError(t, st.err)
	require.Equal(t, "code-implementer", st.route[len(st.route)-1])
	st = quality(literal, 72, 85)
	require.ErrorIs(t, st.err, protocol.HandoffLimitExceeded)
	var e *protocol.HandoffError
	require.True(t, errors.As(st.err, &e))
	require.Equal(t, "code-implementer", e.To)

	quota := protocol.Config{EnableHandoffs: true, Loopbacks: []protocol.Loopback{{From: "brahma-analyzer", To: "docs-researcher", Quota: 2}}}
	st = quality(quota, 72, 85)
	require.NoError(t, st.err)
	require.Equal(t, "code-implementer", st.route[len(st.route)-1])
	quota.Loopbacks[0].Quota = 1
	st = quality(quota, 70, 71, 72)
	require.ErrorIs(t, st.err, handoffs.CodeQuota)
	require.NotContains(t, st.route, "code-implementer")
	quota.Loopbacks[0].Quota = 0
	require.ErrorIs(t, quality(quota, 70).err, handoffs.CodeQuota)
}
