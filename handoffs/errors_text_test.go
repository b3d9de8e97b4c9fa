package handoffs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
)

func TestErrorTellsWhoseItIs(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]handoffs.Error{
		"handoff a->b: too many (limit)":  {From: "a", To: "b", Message: "too many", Code: handoffs.CodeLimit},
		"handoff a->a: not to me (self)":  {From: "a", To: "a", Message: "not to me", Code: handoffs.CodeSelf},
		"agent a: no index (failed)":      {From: "a", To: "a", Message: "no index", Code: handoffs.CodeFailed},
		"handoff: nobody is here (limit)": {Message: "nobody is here", Code: handoffs.CodeLimit},
	} {
		require.Equal(t, want, e.Error())
	}
}
