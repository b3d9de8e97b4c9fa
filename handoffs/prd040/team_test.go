package prd040_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/prd040"
	"github.com/graphrun/graphrun/state"
)

type talk struct{ prd040.State }

var (
	fields = prd040.FieldsOf(func(s *talk) *prd040.State { return &s.State })
	schema = state.MustSchema(fields)
)

// stage is a team on a store, and what was seen of a run.
type stage struct {
	*testing.T
	team   *handoffs.Team[talk]
	graph  *graph.Graph[talk]
	route  []string
	events []string
	end    talk
}

// plays makes a team whose agents do what their scripts say in their turns.
func plays(t *testing.T, entry string, scripts map[string]func(talk) (prd040.HandoffCommand, error)) *stage {
	st := &stage{T: t}
	p := prd040.Policy()
	p.Entry = entry
	cfg := prd040.TeamConfig[talk]{Fields: fields, Policy: p, Clock: noon}
	for _, a := range office {
		cfg.Agents = append(cfg.Agents, handoffs.Agent[talk]{Profile: a, Node: func(ctx context.Context, s talk) (graph.Command[talk], error) {
			st.route = append(st.route, a.ID)
			var c prd040.HandoffCommand
			var err error
			if script := scripts[a.ID]; script != nil {
				c, err = script(s)
			}
			if err != nil || c.Type == "" {
				return graph.Command[talk]{}, err
			}
			return st.team.HandOff(ctx, s, c)
		}})
	}
	var err error
	st.team, err = prd040.NewTeam(cfg)
	require.NoError(t, err)
	st.graph, err = st.team.Compile(schema, &graph.Config{Store: checkpoint.NewMemory(nil), RecursionLimit: 100})
	require.NoError(t, err)
	return st
}

func (st *stage) run(plan prd040.Plan) *stage {
	st.Helper()
	for e, err := range st.graph.Stream(st.Context(), graph.Input(fields.Plan.Set(plan)), &graph.RunConfig{Thread: "t"}) {
		require.NoError(st, err)
		if c, ok := e.(*graph.Custom); ok {
			if n, ok := c.Value.(handoffs.Notice); ok {
				st.events = append(st.events, n.LineType())
			}
		}
	}
	snap, err := st.graph.State(st.Context(), "t", "")
	require.NoError(st, err)
	st.end = snap.Values
	return st
}

func (st *stage) history() string {
	var out []string
	for _, r := range st.end.Extended().HandoffHistory {
		out = append(out, r.From+">"+r.To+" "+string(r.Reason)+" "+r.PlanStep)
	}
	return strings.Join(out, ", ")
}

// once does something in an agent's first turn of its stay.
func once(c prd040.HandoffCommand) func(talk) (prd040.HandoffCommand, error) {
	return func(s talk) (prd040.HandoffCommand, error) {
		if len(s.Turn.Results) > 0 {
			return prd040.HandoffCommand{}, nil
		}
		return c, nil
	}
}

func figures() prd040.Plan {
	return prd040.Plan{Steps: []prd040.PlanStep{
		{StepID: "s1", Agent: "bc-agent", Task: "sales figures"}, {StepID: "s2", Agent: "rag-agent", Task: "find the contract"}, {StepID: "s3", Agent: "bc-agent", Task: "summary"},
	}}
}

// S0-05, S0-53, S0-54, X-01: the plan hands over, agent by agent.
func TestS0_05_53_54_PlanSteps(t *testing.T) {
	st := plays(t, "bc-agent", nil).run(figures())
	require.Equal(t, "bc-agent rag-agent bc-agent", strings.Join(st.route, " "))
	require.Equal(t, "bc-agent>rag-agent plan_step s2, rag-agent>bc-agent plan_step s3", st.history())
	require.Equal(t, []string{"agent_changed", "agent_handoff", "agent_changed", "agent_handoff"}, st.events)
	require.Equal(t, 2, st.end.Plan.CurrentStepIndex)
}

// S0-01, S0-06, S0-45, S0-62, S0-63, X-02: a detour within a step comes back,
// and leaves the plan's cursor alone.
func TestS0_63_DetourLeavesTheCursorAlone(t *testing.T) {
	var during []int
	st := plays(t, "bc-agent", map[string]func(talk) (prd040.HandoffCommand, error){
		"bc-agent": func(s talk) (prd040.HandoffCommand, error) {
			if s.Plan.CurrentStepIndex > 0 {
				return prd040.HandoffCommand{}, nil
			}
			return once(prd040.CapabilityHandoff("rag-agent", "rag_search", "q"))(s)
		},
		"rag-agent": func(s talk) (prd040.HandoffCommand, error) {
			during = append(during, s.Plan.CurrentStepIndex)
			return prd040.HandoffCommand{}, nil
		},
	}).run(figures())
	require.Equal(t, "bc-agent rag-agent bc-agent rag-agent bc-agent", strings.Join(st.route, " "))
	require.Equal(t, []int{0, 1}, during)
	require.Equal(t, "bc-agent>rag-agent capability_match s1, bc-agent>rag-agent plan_step s2, rag-agent>bc-agent plan_step s3", st.history())
	require.Equal(t, 2, st.end.Plan.CurrentStepIndex)
}

// A step without an agent, or with the one that is at work, is no handoff.
func TestPlanGoesOnWithTheSameAgent(t *testing.T) {
	st := plays(t, "bc-agent", nil).run(prd040.Plan{Steps: []prd040.PlanStep{{StepID: "s1"}, {StepID: "s2"}, {StepID: "s3", Agent: "bc-agent"}}})
	require.Equal(t, "bc-agent bc-agent bc-agent", strings.Join(st.route, " "))
	require.Empty(t, st.history())
	require.Empty(t, st.events)
}

// S0-03, S0-08, X-08: what crashes goes to the supervisor, who may route anew.
func TestS0_08_CrashGoesToTheSupervisor(t *testing.T) {
	tries := 0
	st := plays(t, "bc-agent", map[string]func(talk) (prd040.HandoffCommand, error){
		"rag-agent": func(talk) (prd040.HandoffCommand, error) {
			if tries++; tries == 1 {
				return prd040.HandoffCommand{}, errors.New("index is gone")
			}
			return prd040.HandoffCommand{}, nil
		},
		"bc-agent": once(prd040.CreateHandoffCommand("rag-agent", prd040.ReasonCapabilityMatch, "search", nil)),
		"supervisor": func(s talk) (prd040.HandoffCommand, error) {
			if s.Turn.Reason != prd040.ReasonErrorRecovery || s.Turn.Payload["error"] != "index is gone" {
				t.Errorf("unexpected turn %+v", s.Turn)
			}
			return prd040.CreateHandoffCommand("rag-agent", prd040.ReasonErrorRecovery, "again", nil), nil
		},
	}).run(prd040.Plan{})
	require.Equal(t, "bc-agent rag-agent supervisor rag-agent", strings.Join(st.route, " "))
}

// S0-09, S0-64, X-09: an agent that asks another one gets its answer.
func TestS0_64_Clarification(t *testing.T) {
	var answer string
	st := plays(t, "rag-agent", map[string]func(talk) (prd040.HandoffCommand, error){
		"rag-agent": func(s talk) (prd040.HandoffCommand, error) {
			if len(s.Turn.Results) > 0 {
				answer = s.Turn.Results[0].Outcome.Text
			}
			return once(prd040.ClarificationHandoff("bc-agent", "which customer?"))(s)
		},
		"bc-agent": func(s talk) (prd040.HandoffCommand, error) {
			c := handoffs.NewCommand("", "", "")
			c.Kind, c.Result = handoffs.Return, &handoffs.Outcome{Text: "customer 7 for " + s.Turn.Task}
			return c, nil
		},
	}).run(prd040.Plan{})
	require.Equal(t, "rag-agent bc-agent rag-agent", strings.Join(st.route, " "))
	require.Equal(t, "customer 7 for which customer?", answer)
	require.Equal(t, "rag-agent>bc-agent clarification ", st.history())
}

// S0-04, S0-07, X-06: a user's choice is an input of the run.
func TestS0_07_UserChoosesInAGraph(t *testing.T) {
	st := plays(t, "bc-agent", nil).run(prd040.Plan{})
	in, err := st.team.Select("rag-agent")
	require.NoError(t, err)
	res, err := st.graph.Invoke(t.Context(), in, &graph.RunConfig{Thread: "t"})
	require.NoError(t, err)
	require.Equal(t, "bc-agent rag-agent", strings.Join(st.route, " "))
	require.Equal(t, "directed", res.State.Extended().OperationMode)
	require.Equal(t, prd040.ReasonUserRequest, res.State.Extended().HandoffHistory[0].Reason)
}

// S0-44: the state as front ends know it.
func TestS0_44_ExtendedState(t *testing.T) {
	st := plays(t, "bc-agent", nil).run(figures())
	got := asJSON(t, st.end.Extended())
	for _, key := range []string{"activeAgent", "currentAgentIdentity", "handoffHistory", "plan", "toolExecutions"} {
		require.Contains(t, got, key)
	}
	require.Equal(t, map[string]any{"stepId": "s2", "agentId": "rag-agent", "task": "find the contract"}, got["plan"].(map[string]any)["steps"].([]any)[1])
	require.Equal(t, "__handoff__", got["toolExecutions"].([]any)[0].(map[string]any)["toolName"])
	require.Equal(t, "bc-agent", (&prd040.State{State: handoffs.State{Conversation: state.Conversation{ActiveAgent: "bc-agent"}}}).Extended().ActiveAgent)
}

// What is no command goes to process_handoff in a graph, and is told.
func TestGraphRejectsWhatIsNoCommand(t *testing.T) {
	st := &stage{T: t}
	p := prd040.Policy()
	p.Entry = "bc-agent"
	var err error
	st.team, err = prd040.NewTeam(prd040.TeamConfig[talk]{Fields: fields, Policy: p, Clock: noon, Agents: []handoffs.Agent[talk]{
		{Profile: office[0], Node: func(_ context.Context, s talk) (graph.Command[talk], error) {
			st.route = append(st.route, "supervisor", string(s.Turn.Refused.Code))
			return graph.Command[talk]{}, nil
		}},
		{Profile: office[1], Node: func(context.Context, talk) (graph.Command[talk], error) {
			return graph.Commands[talk]{}.Update(fields.Executions.Append(prd040.ToolExecution{Tool: prd040.ToolName, Input: []byte(`{"type":"other"}`)})), nil
		}},
	}})
	require.NoError(t, err)
	g, err := st.team.Compile(schema, nil)
	require.NoError(t, err)
	_, err = g.Invoke(t.Context(), nil, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"supervisor", "syntax"}, st.route)
}

func TestTeamNeedsFields(t *testing.T) {
	_, err := prd040.NewTeam(prd040.TeamConfig[talk]{})
	require.ErrorContains(t, err, "needs Fields")
}
