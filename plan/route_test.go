package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/plan"
)

// The router's three ways: a handoff, more steps, the end.
func TestRouteHandoffsIsTheThreeWayTable(t *testing.T) {
	t.Parallel()
	st := play(t, "bc rag", nil, nil)
	handoff := handoffs.NewCommand("rag", handoffs.CapabilityMatch, "it has the index")
	input, err := handoff.Encode()
	require.NoError(t, err)
	asked := handoffs.Execution{ID: "x1", Tool: handoffs.ToolName, Input: input, Success: true, Agent: "bc"}
	other := handoffs.Execution{ID: "x1", Tool: "search", Success: true, Agent: "bc"}
	for _, c := range []struct {
		name   string
		cursor int // -1: there is no plan
		xs     []handoffs.Execution
		taken  int
		want   string
	}{
		{"a handoff, steps left", 0, []handoffs.Execution{asked}, 0, handoffs.NodeProcess},
		{"a handoff, at the last step", 2, []handoffs.Execution{asked}, 0, handoffs.NodeProcess},
		{"a handoff, no plan", -1, []handoffs.Execution{asked}, 0, handoffs.NodeProcess},
		{"a handoff that was processed, steps left", 0, []handoffs.Execution{asked}, 1, handoffs.NodeNext},
		{"a handoff that was processed, at the last step", 2, []handoffs.Execution{asked}, 1, handoffs.NodeComplete},
		{"another tool, steps left", 1, []handoffs.Execution{other}, 0, handoffs.NodeNext},
		{"nothing, at the first step", 0, nil, 0, handoffs.NodeNext},
		{"nothing, at the last but one", 1, nil, 0, handoffs.NodeNext},
		{"nothing, at the last step", 2, nil, 0, handoffs.NodeComplete},
		{"nothing, no plan", -1, nil, 0, handoffs.NodeComplete},
	} {
		var s crew
		s.Handoffs.Frames = []handoffs.Frame{{ID: "f1", Agent: "bc", State: handoffs.FrameRunning, Turns: 1}}
		s.ToolExecutions, s.Handoffs.Taken = c.xs, c.taken
		if c.taken > 0 {
			s.Handoffs.Mark = c.xs[c.taken-1].ID
		}
		if c.cursor >= 0 {
			s.Plan = figures()
			s.Plan.Version = 1
			s.PlanCourse = plan.Course{Phase: plan.Working, Plan: "p", Version: 1, Cursor: c.cursor, Left: 3 - c.cursor, Open: []string{s.Plan.Steps[c.cursor].ID}}
		}
		require.Equal(t, c.want, st.team.RouteHandoffs(s), c.name)
	}
}
