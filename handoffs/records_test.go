package handoffs_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// What a state without a struct keeps of handoffs comes back as it was: whole
// numbers stay whole and floats stay floats, in what an agent is told, in the
// desk and in the log.
func TestRecordsKeepKindsOfNumbers(t *testing.T) {
	schema, err := state.NewRecordSchema(handoffs.RecordFields()...)
	require.NoError(t, err)
	values := map[string]any{"whole": int64(17), "float": 81.0, "list": []any{int64(1), 2.0}}
	binding := handoffs.Records{Schema: schema}
	var team *handoffs.Team[state.Record]
	var told []handoffs.Turn
	agent := func(c handoffs.Command, turns int) graph.Node[state.Record] {
		return func(ctx context.Context, r state.Record) (graph.Command[state.Record], error) {
			look, err := binding.Look(&r)
			if err != nil {
				return graph.Command[state.Record]{}, err
			}
			if told = append(told, look.Turn); look.Turn.Number > turns {
				return graph.Command[state.Record]{}, nil
			}
			return team.HandOff(ctx, r, c)
		}
	}
	call, back := kind(handoffs.Call, "b"), kind(handoffs.Return, "")
	call.Payload, back.Result = values, &handoffs.Outcome{Status: handoffs.Completed, Value: values, Outputs: values}
	team, err = handoffs.NewTeam(handoffs.TeamConfig[state.Record]{Fields: binding, Agents: []handoffs.Agent[state.Record]{
		{Profile: handoffs.Profile{ID: "a"}, Node: agent(call, 1)}, {Profile: handoffs.Profile{ID: "b"}, Node: agent(back, 1)}}})
	require.NoError(t, err)
	g, err := team.Compile(schema.Schema, &graph.Config{Store: checkpoint.NewMemory(nil)})
	require.NoError(t, err)
	out, err := g.Invoke(t.Context(), nil, &graph.RunConfig{Thread: "t"})
	require.NoError(t, err)

	require.Len(t, told, 3)
	require.Equal(t, values, told[1].Payload)
	require.Equal(t, values, told[2].Results[0].Outcome.Value)
	require.Equal(t, values, told[2].Results[0].Outcome.Outputs)
	look, err := binding.Look(&out.State)
	require.NoError(t, err)
	for h := range handoffs.History(look.Log, handoffs.Filter{}) {
		require.Equal(t, values, h.Payload)
		require.Equal(t, values, h.Result.Value)
	}
	require.Equal(t, 1, handoffs.Count(look.Log, handoffs.Filter{}))
}
