package handoffs

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCheckTarget(t *testing.T) {
	tests := []struct {
		name   string
		check  string
		target string
		change func(*Case)
		want   []Code
	}{
		{"X-04 unknown", "exists", "nobody", nil, ruleCodes(CodeNotFound)},
		{"known", "exists", "rag", nil, nil},
		{"no target at all", "exists", "", nil, ruleCodes(CodeNotFound)},
		{"nobody has the capability", "exists", "", func(c *Case) { c.Command.Capability = "quantum" }, ruleCodes(CodeNoProvider)},
		{"the ladder is at its end", "exists", "", func(c *Case) { c.Command.Kind = Escalate }, ruleCodes(CodeLadder)},
		{"a spawn's branches have targets", "exists", "", func(c *Case) { c.Command.Kind, c.Command.Branches = Spawn, []Branch{{Target: "rag"}} }, nil},
		{"a return has no target", "exists", "", func(c *Case) { c.Command.Kind = Return }, nil},
		{"an unknown kind has one", "exists", "", func(c *Case) { c.Command.Kind = "teleport" }, ruleCodes(CodeNotFound)},

		{"available", "available", "rag", nil, nil},
		{"S1-19 unavailable", "available", "down", nil, ruleCodes(CodeUnavailable)},
		{"not known", "available", "nobody", nil, nil},

		{"X-04 self", "self", "bc", nil, ruleCodes(CodeSelf)},
		{"S0-38 call of self", "self", "bc", func(c *Case) { c.Command.ReturnControl = true }, ruleCodes(CodeSelf)},
		{"escalate to self", "self", "bc", func(c *Case) { c.Command.Kind = Escalate }, ruleCodes(CodeSelf)},
		{"C10 spawn of self", "self", "bc", func(c *Case) { c.Command.Kind = Spawn }, nil},
		{"another one", "self", "rag", nil, nil},
		{"self that is not known", "self", "ghost", func(c *Case) { c.From = "ghost" }, nil},

		{"X-04 system", "system", "audit", nil, ruleCodes(CodeSystem)},
		{"X-04 system by the supervisor", "system", "audit", func(c *Case) { c.From = "supervisor" }, nil},
		{"system by the engine", "system", "audit", func(c *Case) { c.Command.Actor = BySystem }, nil},
		{"system by a plan", "system", "audit", func(c *Case) { c.Command.Actor = ByPlan }, ruleCodes(CodeSystem)},
		{"system without a supervisor", "system", "audit", func(c *Case) { c.Policy.Supervisor, c.From = "", "" }, ruleCodes(CodeSystem)},
		{"no system agent", "system", "rag", nil, nil},

		{"S0-32 not selectable", "selectable", "audit", func(c *Case) { c.Command.Actor = ByUser }, ruleCodes(CodeSelectable)},
		{"selectable", "selectable", "rag", func(c *Case) { c.Command.Actor = ByUser }, nil},
		{"agents need not select", "selectable", "audit", nil, nil},

		{"S4-09 accepts none", "accepts", "shy", nil, ruleCodes(CodeAccepts)},
		{"accepts", "accepts", "rag", nil, nil},

		{"S0-41 lacks it", "capability", "bc", func(c *Case) {
			c.Command.Reason, c.Command.Payload = CapabilityMatch, map[string]any{requiredKey: "rag_search"}
		}, ruleCodes(CodeCapability)},
		{"S0-41 has it", "capability", "rag", func(c *Case) {
			c.Command.Reason, c.Command.Payload = CapabilityMatch, map[string]any{requiredKey: "rag_search"}
		}, nil},
		{"S0-41 for that reason only", "capability", "bc", func(c *Case) { c.Command.Payload = map[string]any{requiredKey: "rag_search"} }, nil},
		{"required is no name", "capability", "rag", func(c *Case) {
			c.Command.Reason, c.Command.Payload = CapabilityMatch, map[string]any{requiredKey: int64(3)}
		}, ruleCodes(CodeCapability)},
		{"specialization", "capability", "rag", func(c *Case) { c.Command.Capability = "search" }, nil},
		{"not that capability", "capability", "rag", func(c *Case) { c.Command.Capability = "erp" }, ruleCodes(CodeCapability)},
		{"not all of them", "capability", "rag", func(c *Case) { c.Command.Needs = []string{"rag_search", "erp"} }, ruleCodes(CodeCapability)},
	}
	for _, tt := range tests {
		t.Run(tt.check+" "+tt.name, func(t *testing.T) {
			c := ruleCase(&Policy{}, tt.target)
			if tt.change != nil {
				tt.change(c)
			}
			require.Equal(t, tt.want, ruleCodesOf(c, tt.check))
		})
	}
}

// The registry's own idea of who can work now comes before the profile's.
func TestCheckAvailableAsks(t *testing.T) {
	r, err := NewRegistry(&RegistryConfig{Available: func(_ string, now time.Time) bool { return now.After(ruleNoon) }}, Profile{ID: "rag"})
	require.NoError(t, err)
	c := ruleCase(&Policy{Registry: r}, "rag")
	require.Equal(t, ruleCodes(CodeUnavailable), ruleCodesOf(c, "available"))
	c.Now = ruleNoon.Add(time.Hour)
	require.Empty(t, ruleCodesOf(c, "available"))
}

func TestCheckCapabilityNamesWhatIsMissing(t *testing.T) {
	c := ruleCase(&Policy{Texts: Texts{CodeCapability: "{target} cannot {capability}"}}, "rag")
	c.Command.Needs = []string{"fly", "rag_search", "swim", "fly"}
	require.Equal(t, "rag cannot fly, swim", firstFailure(t, c, "capability").Message)
}

// Behind the last rung of the ladder a person is asked if the policy says so.
func TestCheckExistsAsksBehindTheLadder(t *testing.T) {
	c := ruleCase(&Policy{LadderAsks: true, Ladder: []string{"rag"}}, "")
	c.Command.Kind = Escalate
	d := decide(c, DefaultChecks())
	require.Equal(t, Ask, d.Verdict)
	require.NotNil(t, d.Approval)
	c.Policy.LadderAsks = false
	require.Equal(t, Reject, decide(c, DefaultChecks()).Verdict)
}
