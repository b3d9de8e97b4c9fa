package rules_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/rules"
	"github.com/graphrun/graphrun/state"
)

type desk struct{ handoffs.State }

// S3-46: the same rules lead agents that are nodes of a graph.
func TestS3_46_InAGraph(t *testing.T) {
	fields := handoffs.FieldsOf(func(d *desk) *handoffs.State { return &d.State })
	p := rules.Workflow()
	p.Virtual = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for i := range rules.MinimumQuotes {
		p.Script = append(p.Script, handoffs.Scheduled{After: time.Duration(i+1) * time.Hour, Signal: handoffs.Signal{Type: "quote"}})
	}
	known := map[string]any{"requestId": request, "clientName": "Ada", "rfpData": map[string]any{"route": "VIE-JFK"}, "rfpId": "a-1"}
	cfg := handoffs.TeamConfig[desk]{Fields: fields, Policy: p, Facts: func(*desk) handoffs.Facts {
		return func(name string) (any, bool) { v, ok := known[name]; return v, ok }
	}}
	var team *handoffs.Team[desk]
	var route []string
	report := func(trigger string, payload map[string]any, states ...string) (cs []handoffs.Command) {
		for _, s := range states {
			cs = append(cs, handoffs.Command{Type: handoffs.CommandType, Kind: handoffs.Report, State: s})
		}
		if trigger != "" {
			cs = append(cs, handoffs.Command{Type: handoffs.CommandType, Kind: handoffs.Report, Trigger: trigger, Payload: payload})
		}
		return cs
	}
	turns := map[string]func(handoffs.Turn) []handoffs.Command{
		rules.Orchestrator: func(handoffs.Turn) []handoffs.Command { return report(rules.AnalyzingComplete, nil) },
		rules.ClientData:   func(handoffs.Turn) []handoffs.Command { return report(rules.ClientDataComplete, nil) },
		rules.FlightSearch: func(turn handoffs.Turn) []handoffs.Command {
			if n := len(turn.Signals); n > 0 {
				return report(rules.QuotesReceived, map[string]any{"quotesCount": int64(n)})
			}
			wait := handoffs.Command{Type: handoffs.CommandType, Kind: handoffs.Wait, Until: &handoffs.Until{Signals: []string{"quote"}, Count: 3, For: rules.QuoteTimeout}}
			return append(report("", nil, rules.AwaitingQuotes), wait)
		},
		rules.ProposalAnalysis: func(handoffs.Turn) []handoffs.Command {
			return report(rules.AnalysisComplete, map[string]any{"topProposals": []any{"a", "b", "c"}})
		},
		rules.Communication: func(handoffs.Turn) []handoffs.Command {
			return report("", nil, rules.SendingProposal, rules.Completed)
		},
		rules.ErrorMonitor: func(handoffs.Turn) []handoffs.Command { return nil },
	}
	for _, a := range rules.Agents() {
		cfg.Agents = append(cfg.Agents, handoffs.Agent[desk]{Profile: a, Node: func(ctx context.Context, s desk) (graph.Command[desk], error) {
			route = append(route, a.ID)
			if s.Turn.Handoff != "" && s.Turn.Number == 1 {
				require.Equal(t, handoffs.ContextFields, s.Turn.Context.Policy)
			}
			ws, err := team.Emit(ctx, s, turns[a.ID](s.Turn)...)
			return graph.Commands[desk]{}.Update(ws...), err
		}})
	}
	team, err := handoffs.NewTeam(cfg)
	require.NoError(t, err)
	g, err := team.Compile(state.MustSchema(fields), nil)
	require.NoError(t, err)
	res, err := g.Invoke(t.Context(), nil, nil)
	require.NoError(t, err)
	require.Equal(t, []string{rules.Orchestrator, rules.ClientData, rules.FlightSearch, rules.FlightSearch, rules.ProposalAnalysis, rules.Communication}, route)
	require.Equal(t, rules.Completed, res.State.Handoffs.Machine)
	require.Equal(t, 3*time.Hour, res.State.Handoffs.Clock)
}
