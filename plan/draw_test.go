package plan_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/internal/topo"
	"github.com/graphrun/graphrun/plan"
)

// drawn are the plans of the golden drawings.
func drawn() map[string]plan.Plan {
	every := plan.Plan{ID: "every", Version: 2, Order: plan.Graph}
	for i, s := range statuses() {
		step := plan.Step{ID: string(rune('a' + i)), Agent: "bc", Status: s}
		if i > 0 {
			step.DependsOn = []string{"a"}
		}
		every.Steps = append(every.Steps, step)
	}
	return map[string]plan.Plan{
		"draw-written": figures(),
		"draw-every":   every,
		"draw-odd": {Goal: "\"odd\"\n<names>", Steps: []plan.Step{
			{ID: "START", Capability: "search"}, {ID: "END", DependsOn: []string{"START"}},
			{ID: "legend", Agent: "a\"b", DependsOn: []string{"START", "END"}, Status: plan.Done},
		}},
		"draw-empty": {},
	}
}

func statuses() []plan.Status {
	return []plan.Status{
		plan.Pending, plan.Ready, plan.Running, plan.Input, plan.Approval, plan.Detour, plan.Done, plan.Failed, plan.Skipped, plan.Superseded,
	}
}

func TestDraw(t *testing.T) {
	endings := map[graph.Format]string{graph.Mermaid: "mmd", graph.DOT: "dot", graph.ASCII: "txt", graph.JSON: "json"}
	for name, p := range drawn() {
		for f, ending := range endings {
			got, err := plan.Draw(&p, f, nil)
			require.NoError(t, err)
			file := filepath.Join("testdata", name+"."+ending)
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err, "write it by: go test ./plan -run TestDraw -update")
			require.Equal(t, string(want), got, file)
		}
	}
}

func TestDrawOfARunningPlan(t *testing.T) {
	st := play(t, "bc rag", map[string][]act{"rag": {dies("no")}}, nil)
	require.Error(t, st.run(figures()))
	p, err := plan.View[crew](fields, st.end)
	require.NoError(t, err)
	text, err := plan.Draw(p, graph.Mermaid, nil)
	require.NoError(t, err)
	require.Contains(t, text, "class n0,key_done status_done\n")
	require.Contains(t, text, "class n1,key_failed status_failed\n")
	require.Contains(t, text, "class n2,key_pending status_pending\n")
}

func TestDrawRefuses(t *testing.T) {
	p := figures()
	_, err := plan.Draw(&p, "svg", nil)
	require.ErrorContains(t, err, `plan: draw: topo: unknown format "svg"`)
	p.Steps[1].DependsOn = []string{"s9"}
	_, err = plan.Draw(&p, graph.DOT, nil)
	require.ErrorContains(t, err, `"s9"`)
	p.Steps[1] = plan.Step{ID: "s1"}
	_, err = plan.Draw(&p, graph.DOT, nil)
	require.ErrorContains(t, err, `two nodes are named "s1"`)
}

func TestMarks(t *testing.T) {
	for _, s := range statuses() {
		require.Equal(t, 1, topo.Columns(s.Mark()), s)
	}
	require.Equal(t, "·", plan.Status("").Mark())
	require.Equal(t, "·", plan.Status("gone").Mark())
}

func TestLinear(t *testing.T) {
	p := figures()
	require.True(t, p.Linear())
	p.Steps[2].DependsOn = []string{"s1"}
	require.False(t, p.Linear())
	p.Order = plan.Linear
	require.True(t, p.Linear())
}
