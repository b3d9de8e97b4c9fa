package team_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/handoffs"
)

// TestRulesHaveAnErrorMonitor: it is the agent of that name, or the supervisor,
// and gets what is rejected or fails; the file may say otherwise.
func TestRulesHaveAnErrorMonitor(t *testing.T) {
	t.Parallel()
	monitor := func(id string) handoffs.Action { return handoffs.Action{Do: handoffs.RouteTo, Target: id} }
	source := handoffs.Action{Do: handoffs.ToSource}
	for text, want := range map[string]struct{ reject, failure handoffs.Action }{
		"agents: {a: , ERROR_MONITOR: }\nhandoffs: {preset: rules}":                                                                {monitor("ERROR_MONITOR"), monitor("ERROR_MONITOR")},
		"agents: {a: , watch: }\nhandoffs: {preset: rules, supervisor: watch}":                                                     {monitor("watch"), monitor("watch")},
		"agents: {a: , watch: , ERROR_MONITOR: }\nhandoffs: {preset: rules, supervisor: watch}":                                    {monitor("watch"), monitor("watch")},
		"agents: {a: , b: }\nhandoffs: {preset: rules}":                                                                            {source, source},
		"agents: {a: , b: , ERROR_MONITOR: }\nhandoffs: {preset: rules, on_reject: {default: {route: b}}, on_failure: {route: b}}": {monitor("b"), monitor("b")},
		"agents: {a: , ERROR_MONITOR: }\nhandoffs: {preset: rules, on_reject: {loop: fail}}":                                       {monitor("ERROR_MONITOR"), monitor("ERROR_MONITOR")},
	} {
		f, err := graphfile.Parse("x.yaml", []byte(text), nil)
		require.NoError(t, err, text)
		p := f.Team().Manager().Policy()
		require.Equal(t, want.reject, p.OnReject[""], text)
		require.Equal(t, want.failure, p.OnFailure, text)
		require.Equal(t, 30*time.Second, p.Accept)
	}
}

// TestRulesTryAgain: what the monitor answers ERROR_RETRY with has the usual
// retries, unless it says otherwise, and only there.
func TestRulesTryAgain(t *testing.T) {
	t.Parallel()
	for preset, usual := range map[string]*handoffs.Retry{"rules": {Max: 3, Factor: 2}, "stored": nil} {
		f, err := graphfile.Parse("x.yaml", []byte(`
agents: {a: , ERROR_MONITOR: }
handoffs: {preset: `+preset+`, entry: a}
rules:
  - {name: usual, from: ERROR_MONITOR, to: a, on: ERROR_RETRY}
  - {name: own, from: ERROR_MONITOR, to: a, on: ERROR_RETRY, group: own, retry: {max_attempts: 2}}
  - {name: told, from: ERROR_MONITOR, to: a, on: TOLD}`), nil)
		require.NoError(t, err)
		list := f.Team().Manager().Policy().Rules.List
		require.Equal(t, usual, list[0].Retry)
		require.Equal(t, 1, list[1].Retry.Max)
		require.Nil(t, list[2].Retry)
		require.Equal(t, preset == "rules", f.Team().Manager().Policy().Rules.Retries != nil)
	}
}
