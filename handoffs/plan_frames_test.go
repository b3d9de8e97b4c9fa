package handoffs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
)

// A plan's step begins also where nobody talks to the user: all that is open are
// agents that nobody waits for.
func TestStepBeginsWithoutTheUsersFrame(t *testing.T) {
	t.Parallel()
	p := handoffs.Policy{Entry: "a", Registry: handoffs.MustRegistry(handoffs.Profile{ID: "a"}, handoffs.Profile{ID: "b"})}
	m, err := handoffs.NewManager(&p)
	require.NoError(t, err)
	for _, beside := range []bool{false, true} {
		begun := false
		res, err := m.Step(t.Context(), &handoffs.Batch{
			Session: "s", Task: "t", PlanOpen: true,
			Desk: &handoffs.Desk{Owner: "a", Active: "a", Made: 1, Frames: []handoffs.Frame{
				{ID: "f1", Agent: "b", Detached: true, State: handoffs.FrameWaiting, Until: &handoffs.Until{Signals: []string{"x"}}},
			}},
			Plan: func(*handoffs.PlanView) (out handoffs.PlanSteps, err error) {
				if !begun {
					out.Begin = []handoffs.StepStart{{Step: "s1", Attempt: 1, Beside: beside, Command: handoffs.Command{Target: "b", Explanation: "x"}}}
				}
				begun = true
				return out, nil
			},
		})
		require.NoError(t, err)
		require.Len(t, res.Turns, 1)
		require.Equal(t, "b", res.Turns[0].Agent)
		require.Equal(t, "s1", res.Turns[0].Step)
	}
}
