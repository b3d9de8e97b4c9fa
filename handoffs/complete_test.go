package handoffs_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
)

// What falls due in the last turn of a run is done: who has to go on does.
func TestRunsEndWhenNothingIsDue(t *testing.T) {
	slow := handoffs.Command{Kind: handoffs.Report, Usage: handoffs.Usage{Time: 2 * time.Hour}}
	p := handoffs.Policy{
		Entry: "a", Supervisor: "s", Virtual: rndEpoch, Limits: handoffs.Limits{Handoffs: 9},
		Edges: []handoffs.Edge{{To: []string{"b"}, Limits: handoffs.Limits{Time: time.Hour}}, {To: []string{"s"}}},
	}
	r := newRig(t, p, map[string]bot{"a": just(to("b")), "b": just(slow), "s": just()}, agents("a", "b", "s")...).run()
	require.NoError(t, r.err)
	require.Equal(t, "a b s", r.route())
	require.Contains(t, r.log(), "transfer a>b failed !deadline")
}
