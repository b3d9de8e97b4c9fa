package handoffs

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// toolGuard holds if a fact has a value.
func toolGuard(name, key string, want any) *Guard {
	return &Guard{Text: name, Holds: func(f Facts) (bool, string, error) {
		v, ok := f(name)
		if !ok {
			return false, "", fmt.Errorf("there is no %s", name)
		}
		if m, is := v.(map[string]any); is {
			if v, is = m[key]; !is {
				return false, "", fmt.Errorf("there is no %s.%s", name, key)
			}
		}
		return v == want, "", nil
	}}
}

func toolFacts(name string) (any, bool) {
	v, ok := map[string]any{"score": int64(72), "ready": true}[name]
	return v, ok
}

func TestAllowedTargets(t *testing.T) {
	t.Parallel()
	others := []string{"bc-agent", "rag-agent", "second"}
	working := &Desk{Active: "bc-agent", Frames: []Frame{{ID: "f1", Agent: "bc-agent", State: FrameRunning, Depth: 3}}}
	for name, c := range map[string]struct {
		from   string
		policy Policy
		desk   *Desk
		want   []string
	}{
		"mesh: not oneself, not the system's, not who is away or takes none": {from: "bc-agent", want: others[1:]},
		"the supervisor hands to system agents too, not to itself":           {from: "supervisor", want: others},
		"disabled":                    {from: "bc-agent", policy: Policy{Disabled: true}},
		"degraded":                    {from: "bc-agent", desk: &Desk{Degraded: true}},
		"no edge":                     {from: "bc-agent", policy: Policy{Edges: []Edge{}}},
		"one edge":                    {from: "bc-agent", policy: Policy{Edges: []Edge{{From: []string{"bc-agent"}, To: []string{"second"}}}}, want: []string{"second"}},
		"another agent's edge":        {from: "bc-agent", policy: Policy{Edges: []Edge{{From: []string{"second"}, To: []string{"rag-agent"}}}}},
		"an edge by capability":       {from: "bc-agent", policy: Policy{Edges: []Edge{{Capability: "citations"}}}, want: []string{"rag-agent"}},
		"an edge for calls":           {from: "bc-agent", policy: Policy{Edges: []Edge{{Kinds: []Kind{Call}}}}, want: others[1:]},
		"an edge for spawns":          {from: "bc-agent", policy: Policy{Edges: []Edge{{Kinds: []Kind{Spawn}}}}},
		"an edge for a reason":        {from: "bc-agent", policy: Policy{Edges: []Edge{{To: []string{"second"}, Reasons: []Reason{"audit"}}}}, want: []string{"second"}},
		"a guard that holds":          {from: "bc-agent", policy: Policy{Edges: []Edge{{Guard: toolGuard("score", "", int64(72))}}}, want: others[1:]},
		"a guard that does not":       {from: "bc-agent", policy: Policy{Edges: []Edge{{Guard: toolGuard("score", "", int64(80))}}}},
		"a guard that fails":          {from: "bc-agent", policy: Policy{Edges: []Edge{{Guard: toolGuard("nothing", "", true)}}}},
		"a guard over the payload":    {from: "bc-agent", policy: Policy{Edges: []Edge{{To: []string{"second"}, Guard: toolGuard("payload", "ok", true)}}}, want: []string{"second"}},
		"a guard over the task":       {from: "bc-agent", policy: Policy{Edges: []Edge{{To: []string{"second"}, Guard: toolGuard("task", "", "audit")}}}, want: []string{"second"}},
		"a guard over the target":     {from: "bc-agent", policy: Policy{Edges: []Edge{{Guard: toolGuard("target", "", "second")}}}, want: []string{"second"}},
		"a guard over the source":     {from: "bc-agent", policy: Policy{Edges: []Edge{{Guard: toolGuard("source", "", "other")}}}},
		"a guard over the reason":     {from: "bc-agent", policy: Policy{Edges: []Edge{{To: []string{"second"}, Guard: toolGuard("reason", "", "audit")}}}, want: []string{"second"}},
		"a guard over the workflow":   {from: "bc-agent", policy: Policy{Edges: []Edge{{To: []string{"second"}, Guard: toolGuard("workflow", "", "A")}, {Guard: toolGuard("workflow", "", "B")}}}, desk: &Desk{Active: "bc-agent", Machine: "A"}, want: []string{"second"}},
		"a guard over what rules did": {from: "bc-agent", policy: Policy{Edges: []Edge{{To: []string{"second"}, Guard: toolGuard("fired", "6.1", int64(2))}, {Guard: toolGuard("fired", "6.1", int64(3))}}}, desk: &Desk{Counts: map[string]int{"rule:6.1": 2, "to:6.1": 3}}, want: []string{"second"}},
		"behind a vague edge a certain one": {from: "bc-agent", policy: Policy{Edges: []Edge{
			{To: []string{"second"}, Guard: toolGuard("payload", "ok", true), Limits: Limits{Handoffs: -1}}, {To: []string{"second"}}}}, want: []string{"second"}},
		"a payload that is still to come": {from: "bc-agent", policy: Policy{Edges: []Edge{{Payload: []PayloadField{{Key: "rfpId"}}}}}, want: others[1:]},
		"texts that are still to come":    {from: "bc-agent", policy: Policy{Need: []string{"task", "explanation", "intent", "session"}}, want: others[1:]},
		"who must be approved is allowed": {from: "bc-agent", policy: Policy{Approve: &ApprovalPolicy{}}, want: others[1:]},
		"an open breaker": {from: "bc-agent", policy: Policy{Breaker: &BreakerPolicy{Key: BreakTarget}}, want: []string{"second"},
			desk: &Desk{Active: "bc-agent", Breakers: map[string]Breaker{(&BreakerPolicy{Key: BreakTarget}).key("bc-agent", "rag-agent", ""): {State: BreakerOpen, Failures: 3, Until: registryNow.Add(time.Minute)}}}},
		"no handoffs left":                   {from: "bc-agent", policy: Policy{Limits: Limits{Handoffs: -1}}},
		"deep down only a transfer is left":  {from: "bc-agent", policy: Policy{Depth: 3}, desk: working, want: others[1:]},
		"and where there are only calls, no": {from: "bc-agent", policy: Policy{Depth: 3, Edges: []Edge{{Kinds: []Kind{Call}}}}, desk: working},
		"a state of the workflow": {from: "bc-agent", policy: Policy{Machine: &Machine{Start: "A", States: map[string]string{"A": "", "B": ""}},
			Edges: []Edge{{To: []string{"second"}, When: []string{"A"}}, {To: []string{"rag-agent"}, When: []string{"B"}}}}, want: []string{"second"}},
		"checks of one's own": {from: "bc-agent", policy: Policy{Checks: []Check{}}, want: []string{"supervisor", "bc-agent", "rag-agent", "archive", "librarian", "second"}},
	} {
		p := c.policy
		p.Registry, p.Supervisor = MustRegistry(bcTeam()...), "supervisor"
		require.Equal(t, c.want, AllowedTargets(&p, c.desk, Log{}, c.from, toolFacts, registryNow), name)
	}
	guarded := &Policy{Registry: MustRegistry(bcTeam()...), Edges: []Edge{{Guard: toolGuard("score", "", int64(72))}}}
	require.Empty(t, AllowedTargets(guarded, nil, Log{}, "bc-agent", nil, registryNow), "without facts nothing is known")
	require.Empty(t, AllowedTargets(&Policy{}, nil, Log{}, "a", nil, registryNow), "nobody is registered")
}

func TestAllowedTargetsKeepLoopRules(t *testing.T) {
	t.Parallel()
	p := &Policy{Registry: MustRegistry(bcTeam()...), Supervisor: "supervisor", Loops: []LoopRule{{Key: LoopTarget, Window: 5, Threshold: 2}}}
	began := func(to string) Entry {
		return Entry{Handoff: to, From: "x", To: to, Kind: Transfer, Stages: []Status{Requested, Validated, Accepted, Running}}
	}
	log := []Entry{began("rag-agent"), began("bc-agent"), began("rag-agent")}
	require.Equal(t, []string{"second"}, AllowedTargets(p, nil, LogOf(log), "bc-agent", nil, registryNow))
	require.Equal(t, []string{"rag-agent", "second"}, AllowedTargets(p, nil, LogOf(log[1:]), "bc-agent", nil, registryNow))
}
