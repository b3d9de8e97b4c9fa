package handoffs_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// With PerMessage limits count anew with each message of the user, and not within
// what comes of one.
func TestLimitsPerMessage(t *testing.T) {
	for _, each := range []bool{true, false} {
		p := handoffs.Policy{Limits: handoffs.Limits{Handoffs: 2}, PerMessage: each}
		p.OnReject = map[handoffs.Code]handoffs.Action{"": {Do: handoffs.ToSource}}
		turns := 0
		lead := func(turn handoffs.Turn) []handoffs.Command { // calls until it may not
			if turns++; turn.Refused != nil {
				return nil
			}
			return one(kind(handoffs.Call, "worker"))
		}
		r := newRig(t, p, map[string]bot{"lead": lead}, agents("lead", "worker")...)
		for message := range 3 {
			turns = 0
			r.run(fields.Messages.Add(state.Text(state.RoleHuman, "again")))
			require.NoError(t, r.err)
			calls := 2
			if !each && message > 0 {
				calls = 0
			}
			require.Equal(t, "lead"+strings.Repeat(" worker lead", calls)+" lead", r.route(), "message %d", message)
		}
	}
}
