package plan_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/plan"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	steps := func(ids string) (out []plan.Step) {
		for _, id := range strings.Fields(ids) {
			out = append(out, plan.Step{ID: id, Agent: "bc"})
		}
		return out
	}
	changed := steps("a b")
	changed[1] = plan.Step{ID: "b", Capability: "search", Task: "find", Retry: &plan.Retry{Max: 2}}
	graph := steps("a b")
	graph[1].DependsOn = []string{"a"}
	a := &plan.Plan{Goal: "g", Steps: steps("a b c")}
	for name, c := range map[string]struct {
		to   plan.Plan
		want string
	}{
		"nothing":      {plan.Plan{Goal: "g", Steps: steps("a b c")}, ""},
		"goal":         {plan.Plan{Goal: "h", Steps: steps("a b c")}, `goal: "h", was "g"`},
		"gone and new": {plan.Plan{Goal: "g", Steps: steps("a c d")}, "+ d: bc\n- b: bc"},
		"moved":        {plan.Plan{Goal: "g", Steps: steps("b a c")}, "~ b: behind none, was behind a\n~ a: behind b, was behind none\n~ c: behind a, was behind b"},
		"changed":      {plan.Plan{Goal: "g", Steps: changed}, "~ b: agent \"\", was \"bc\"\n~ b: capability \"search\", was \"\"\n~ b: task \"find\", was \"\"\n~ b: retry changed\n- c: bc"},
		"order":        {plan.Plan{Goal: "g", Steps: graph}, "order: graph, was linear\n~ b: depends_on changed\n- c: bc"},
	} {
		require.Equal(t, c.want, strings.Join(plan.Diff(a, &c.to), "\n"), name)
	}
}
