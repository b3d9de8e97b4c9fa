package handoffs_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
)

// TestTimePassesOnlyIfSomebodyWaits: behind the last turn nobody waits for the
// signals that are left, and work that has ended does not time out.
func TestTimePassesOnlyIfSomebodyWaits(t *testing.T) {
	wait := kind(handoffs.Wait, "")
	wait.Until = &handoffs.Until{Signals: []string{"go"}}
	p := handoffs.Policy{
		Entry: "a", Edges: []handoffs.Edge{{To: []string{"b"}, Limits: handoffs.Limits{Time: 5 * time.Hour}}},
		Script: []handoffs.Scheduled{
			{After: time.Hour, Signal: handoffs.Signal{Type: "go"}}, {After: 2 * time.Hour, Signal: handoffs.Signal{Type: "late"}},
		},
	}
	r := newRig(t, p, map[string]bot{"a": then(one(wait), one(to("b"))), "b": just()}, agents("a", "b")...).run()
	require.NoError(t, r.err)
	require.Equal(t, "a a b", r.route())
	require.Equal(t, []string{"signal a>", "transfer a>b requested validated accepted running", "task a>", "transfer a>b completed", "task b>"}, r.log())
	require.Equal(t, time.Hour, r.last.State.Handoffs.Clock)
}
