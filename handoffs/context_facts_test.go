package handoffs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// Contexts that are made by a function see the payload as guards do.
func TestContextsSeeThePayloadAsGuardsDo(t *testing.T) {
	for name, payload := range map[string]map[string]any{"none": nil, "some": {"n": int64(1)}} {
		t.Run(name, func(t *testing.T) {
			var guard, custom []any
			p := handoffs.Policy{Limits: handoffs.Limits{Handoffs: 9}, Edges: []handoffs.Edge{{Guard: &handoffs.Guard{Holds: func(f handoffs.Facts) (bool, string, error) {
				v, _ := f("payload")
				guard = append(guard, v)
				return true, "", nil
			}}}}}
			p.Context = handoffs.ContextPolicy{Mode: handoffs.ContextCustom, Custom: func(in handoffs.ContextInput) ([]state.Message, error) {
				v, _ := in.Facts("payload")
				custom = append(custom, v)
				return nil, nil
			}}
			c := to("b")
			c.Payload = payload
			r := newRig(t, p, map[string]bot{"a": just(c), "b": just()}, agents("a", "b")...).run()
			require.NoError(t, r.err)
			want := map[string]any{}
			if payload != nil {
				want = payload
			}
			require.Equal(t, any(want), guard[0])
			require.Equal(t, any(want), custom[0])
		})
	}
}
