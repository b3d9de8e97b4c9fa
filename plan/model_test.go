package plan_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/plan"
)

var update = flag.Bool("update", false, "write the golden files anew")

// answers is a model that has its answers ready. It keeps what it was asked.
type answers struct {
	list  []string
	asked []plan.Prompt
}

func (a *answers) ask(_ context.Context, p plan.Prompt) (string, error) {
	a.asked = append(a.asked, p)
	return a.list[len(a.asked)-1], nil
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

func modelled(a *answers, stream bool) func(*plan.TeamConfig[crew]) {
	return withPlanner(&plan.ModelPlanner{Ask: a.ask, Stream: stream}, func(c *plan.Config[crew]) {
		c.OnFailure = plan.Failure{Do: plan.Replan}
	})
}

func TestModelMakesThePlan(t *testing.T) {
	a := &answers{list: []string{"```json\n" + `{"steps": [{"id": "s1", "agent": "bc", "task": "figures"}, {"id": "s2", "capability": "search", "task": "find ${steps.s1.text}"}]}` + "\n```"}}
	st := play(t, "bc rag:search", nil, modelled(a, false))
	require.NoError(t, st.input(hello("what did we sell?")))
	require.Equal(t, "bc rag", st.went())
	require.Equal(t, "s1 done, s2 done", st.statuses())
	var indented map[string]any
	require.NoError(t, json.Unmarshal(a.asked[0].Schema, &indented))
	schema, err := json.MarshalIndent(indented, "", "  ")
	require.NoError(t, err)
	golden(t, "model_prompt.golden", a.asked[0].System+"\n---\n"+a.asked[0].User+"---\n"+string(schema)+"\n")
}

func TestModelGetsOneCorrectiveTurn(t *testing.T) {
	right := `{"steps": [{"id": "s1", "agent": "bc", "task": "figures"}]}`
	for name, wrong := range map[string]string{
		"no JSON":        `I would ask bc.`,
		"key twice":      `{"steps": [], "steps": []}`,
		"unknown key":    `{"steps": [{"id": "s1", "agent": "bc", "task": "x", "who": "me"}]}`,
		"unknown agent":  `{"steps": [{"id": "s1", "agent": "bd", "task": "x"}]}`,
		"no task":        `{"steps": [{"id": "s1", "agent": "bc"}]}`,
		"cycle":          `{"steps": [{"id": "a", "agent": "bc", "task": "x", "depends_on": ["b"]}, {"id": "b", "agent": "bc", "task": "x", "depends_on": ["a"]}]}`,
		"wrong timeout":  `{"steps": [{"id": "a", "agent": "bc", "task": "x", "timeout": "soon"}]}`,
		"own status":     `{"steps": [{"id": "a", "agent": "bc", "task": "x", "status": "done"}]}`,
		"unknown result": `{"steps": [{"id": "a", "agent": "bc", "task": "use ${steps.b.text}"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			a := &answers{list: []string{wrong, right}}
			st := play(t, "bc rag:search", nil, modelled(a, false))
			require.NoError(t, st.input(hello("go")))
			require.Equal(t, "bc", st.went())
			golden(t, "model_correct_"+strings.ReplaceAll(name, " ", "_")+".golden", a.asked[1].User)

			a = &answers{list: []string{wrong, wrong}}
			st = play(t, "bc rag:search", nil, modelled(a, false))
			require.ErrorIs(t, st.input(hello("go")), plan.ErrPlan)
			require.Empty(t, st.went())
		})
	}
}

func TestModelSeesHowThePlanStands(t *testing.T) {
	a := &answers{list: []string{
		`{"steps": [{"id": "s1", "agent": "bc", "task": "figures"}, {"id": "s2", "agent": "rag", "task": "find"}], "ledger": {"facts": ["the year is 2026"]}}`,
		`{"answer": "there is no contract"}`,
	}}
	st := play(t, "bc rag:search", map[string][]act{"rag": {dies("no contract")}}, modelled(a, false))
	require.NoError(t, st.input(hello("go")))
	golden(t, "model_replan.golden", a.asked[1].User)
	require.Equal(t, "there is no contract", st.end.Messages[len(st.end.Messages)-1].Text())
}

func TestModelStreamsSteps(t *testing.T) {
	a := &answers{list: []string{
		`{"steps": [{"id": "a", "agent": "bc", "task": "x"}], "order": "graph", "more": true}`,
		`{"steps": [{"id": "b", "agent": "rag", "task": "x", "depends_on": ["a"]}]}`,
	}}
	st := play(t, "bc rag", nil, modelled(a, true))
	require.NoError(t, st.input(hello("go")))
	require.Equal(t, "bc rag", st.went())
}

func TestModelJudges(t *testing.T) {
	a := &answers{list: []string{
		`{"satisfied": false, "in_loop": false, "progressing": true, "reason": "one of three", "ledger": {"facts": ["sales are up"]}}`,
		`yes`,
		`{"satisfied": true, "in_loop": false, "progressing": true}`,
	}}
	st := play(t, "bc rag", nil, func(c *plan.TeamConfig[crew]) { c.Plan.Judge = plan.ModelJudge(a.ask) })
	require.NoError(t, st.run(figures()))
	require.Equal(t, "bc rag", st.went())
	golden(t, "model_judge.golden", a.asked[2].System+"\n---\n"+a.asked[2].User)
}
