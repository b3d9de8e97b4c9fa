package handoffs

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// told are findings as text, warnings marked.
func told(findings []Finding) []string {
	var out []string
	for _, f := range findings {
		text := string(f.Code) + ": " + f.String()
		if f.Warning {
			text = "warning " + text
		}
		out = append(out, text)
	}
	return out
}

// TestLintJetvision: X-38, S3-47, S3-48, S3-49.
func TestLintJetvision(t *testing.T) {
	require.Equal(t, []string{
		"warning double_trigger: rules.yaml:9:5: rules 1.1 and 1.2 can both hold on ANALYZING_COMPLETE: only their places say that 1.1 fires; give one an order [ORCHESTRATOR -> CLIENT_DATA -> FLIGHT_SEARCH]",
		"double_trigger: rules.yaml:9:5: rules 2.1 and 1.2 both answer CLIENT_DATA_COMPLETE, which comes from CLIENT_DATA: 2.1 for CLIENT_DATA, 1.2 for ORCHESTRATOR; " +
			"whoever passes it on starts the work of FLIGHT_SEARCH twice [ORCHESTRATOR -> CLIENT_DATA -> FLIGHT_SEARCH]",
		"retry_entry: rules.yaml:51:5: rule 5.1 goes on in GENERATING_EMAIL when it is tried again, but rule 6.3 enters again at SENDING_PROPOSAL [COMMUNICATION -> ERROR_MONITOR -> COMMUNICATION]",
		"never_fires: rules.yaml:46:5: rule 4.2 never fires: it needs quotes < 3, and every way to PROPOSAL_ANALYSIS excludes that [ORCHESTRATOR -> FLIGHT_SEARCH -> PROPOSAL_ANALYSIS]",
		"expect: rules.yaml:1:12: COMPLETED is expected behind 5 handoffs, a run without errors makes 3 or 4 [ORCHESTRATOR -> CLIENT_DATA -> FLIGHT_SEARCH -> PROPOSAL_ANALYSIS -> COMMUNICATION]",
	}, told(Lint(jetvision())))
	require.Empty(t, told(Lint(mended())))
}

// TestLintWithoutDeclarations: what it can still tell of the literal rules
// if nobody says who emits what and who sets what.
func TestLintWithoutDeclarations(t *testing.T) {
	p := jetvision()
	p.Rules.Emits, p.Rules.Sets, p.Rules.Expect = nil, nil, nil
	got := told(Lint(p))
	require.Len(t, got, 4)
	require.True(t, strings.HasPrefix(got[1], "warning double_trigger: rules.yaml:9:5: rules 2.1 and 1.2 both answer CLIENT_DATA_COMPLETE"), got[1])
	require.Equal(t, "warning never_fires: rules.yaml:46:5: rule 4.2 fires only if PROPOSAL_ANALYSIS changes quotes: it needs quotes < 3, "+
		"and every way to PROPOSAL_ANALYSIS excludes that [ORCHESTRATOR -> FLIGHT_SEARCH -> PROPOSAL_ANALYSIS]", got[3])

	p.Rules.Sets = map[string][]string{analysis: {"quotes"}}
	require.Len(t, Lint(p), 3)
}

// ruled is a policy of rules over agents a to d.
func ruled(rules ...Rule) *Policy {
	return &Policy{Registry: MustRegistry(Profile{ID: "a"}, Profile{ID: "b"}, Profile{ID: "c"}, Profile{ID: "d", Selectable: true}),
		Entry: "a", Edges: []Edge{}, Rules: &Rules{List: rules}, Limits: Limits{Handoffs: 9}}
}

func cmpGuard(field, op string, v any) *Guard { return Compare([]Comparison{{field, op, v}}) }

func opaque() *Guard {
	return &Guard{Holds: func(Facts) (bool, string, error) { return true, "", nil }}
}

func TestLintRules(t *testing.T) {
	reach := Rule{Name: "go", From: []string{"a"}, To: "b", Triggers: []string{"GO"}}
	reachC := Rule{Name: "on", From: []string{"a"}, To: "c", Triggers: []string{"ON"}}
	for name, c := range map[string]struct {
		rules []Rule
		want  []string
	}{
		"nothing wrong": {[]Rule{reach, reachC, {Name: "x", From: []string{"b"}, To: "c"}}, nil},
		"same conditions": {[]Rule{reach, reachC, {Name: "again", From: []string{"a"}, To: "c", Triggers: []string{"GO"}}},
			[]string{"shadowed: rule again never fires: go always comes first"}},
		"wider first": {[]Rule{{Name: "x", From: []string{"a"}, To: "b", Order: -1, When: cmpGuard("n", ">", int64(2))}, {Name: "y", From: []string{"a"}, To: "c", When: cmpGuard("n", ">=", int64(3))}, {Name: "z", From: []string{"b"}, To: "c"}},
			[]string{"shadowed: rule y never fires: x always comes first"}},
		"narrower behind": {[]Rule{{Name: "x", From: []string{"a"}, To: "b", When: cmpGuard("n", ">=", int64(2))}, {Name: "y", From: []string{"a"}, To: "c", When: cmpGuard("n", ">=", int64(3))}, {Name: "z", From: []string{"b"}, To: "c"}},
			[]string{"shadowed: rule y never fires: x always comes first"}},
		"narrower first":           {[]Rule{{Name: "x", From: []string{"a"}, To: "b", Order: 1, When: cmpGuard("n", ">=", int64(3))}, {Name: "y", From: []string{"a"}, To: "c", Order: 2, When: cmpGuard("n", ">=", int64(2))}}, nil},
		"a retry lets others fire": {[]Rule{{Name: "x", From: []string{"a"}, To: "b", Retry: &Retry{}}, {Name: "y", From: []string{"a"}, To: "c", Order: 1}}, nil},
		"exclusive":                {[]Rule{{Name: "x", From: []string{"a"}, To: "b", When: cmpGuard("s", "==", "u")}, {Name: "y", From: []string{"a"}, To: "c", When: cmpGuard("s", "!=", "u")}}, nil},
		"together": {[]Rule{{Name: "x", From: []string{"a"}, To: "b", When: cmpGuard("s", "==", "u")}, {Name: "y", From: []string{"a"}, To: "c", When: cmpGuard("n", ">", int64(0))}},
			[]string{"warning double_trigger: rules x and y can both hold on the end of a turn: only their places say that x fires; give one an order [a -> b -> c]"}},
		"nobody knows": {[]Rule{{Name: "x", From: []string{"a"}, To: "b", When: opaque()}, {Name: "y", From: []string{"a"}, To: "c", When: opaque()}}, nil},
		"two groups": {[]Rule{{Name: "x", From: []string{"a"}, To: "b", Triggers: []string{"T"}}, {Name: "y", From: []string{"a"}, To: "c", Triggers: []string{"T"}, Group: "other"}},
			[]string{`double_trigger: rules x and y can both fire on T: they are of the groups "T" and "other", and their conditions can hold together [a -> b -> c]`}},
		"two groups, who knows": {[]Rule{{Name: "x", From: []string{"a"}, To: "b", When: opaque()}, {Name: "y", From: []string{"a"}, To: "c", Group: "other"}},
			[]string{`warning double_trigger: rules x and y can both fire on the end of a turn: they are of the groups "" and "other", and their conditions can hold together [a -> b -> c]`}},
		"two groups, exclusive": {[]Rule{{Name: "x", From: []string{"a"}, To: "b", When: cmpGuard("n", "<", 3.0)}, {Name: "y", From: []string{"a"}, To: "c", Group: "other", When: cmpGuard("n", ">=", int64(3))}}, nil},
		"others' rules":         {[]Rule{reach, reachC, {Name: "x", From: []string{"b"}, To: "d", Triggers: []string{"DONE"}}, {Name: "y", From: []string{"c"}, To: "d", Triggers: []string{"DONE"}}}, nil},
		"cannot hold": {[]Rule{reach, reachC, {Name: "x", From: []string{"a"}, To: "b", When: Compare([]Comparison{{"n", ">", int64(3)}, {"n", "<", int64(3)}})}},
			[]string{"never_fires: rule x never fires: its condition cannot hold"}},
		"nobody comes": {[]Rule{{Name: "x", From: []string{"b"}, To: "a"}, {Name: "y", From: []string{"c"}, To: "b"}, reachC},
			nil},
		"nobody comes at all": {[]Rule{reach, {Name: "x", From: []string{"c"}, To: "a"}},
			[]string{"never_fires: rule x never fires: nothing leads to c", "warning unreached: nothing leads to c"}},
		"twice": {[]Rule{reach, reachC, {Name: "go", From: []string{"b"}, To: "a"}, {From: []string{"c"}, To: "a"}},
			[]string{`name: two rules are named "go"`, "name: the rule 4 has no name"}},
		"unknown": {[]Rule{reach, reachC, {Name: "x", From: []string{"a", "q"}, To: "z", Place: "f:1:1", Triggers: []string{"T"}, OnReject: map[Code]Action{CodeLoop: {Do: RouteTo, Target: "w"}}}},
			[]string{`unknown_agent: f:1:1: rule x: there is no agent "q"`, `unknown_agent: f:1:1: rule x: there is no agent "z"`, `unknown_agent: f:1:1: rule x on reject loop: there is no agent "w"`}},
		"nobody can": {[]Rule{reach, reachC, {Name: "x", From: []string{"b"}, Capability: "fly"}}, []string{`no_provider: rule x: no agent has the capability "fly"`}},
		"to nobody":  {[]Rule{reach, reachC, {Name: "x", From: []string{"b"}}, {Name: "y", From: []string{"c"}, To: "a", Kind: Wait}}, []string{"target: rule x hands to nobody: it needs a target or a capability", "target: rule y: a rule makes transfers, calls and escalations, no wait"}},
		"no machine": {[]Rule{reach, reachC, {Name: "x", From: []string{"b"}, To: "c", Next: "DONE"}}, []string{`state: rule x: there is no state "DONE": the workflow has no machine`}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, told(Lint(ruled(c.rules...))))
		})
	}
}

func TestLintEmissions(t *testing.T) {
	p := ruled(
		Rule{Name: "1", From: []string{"a"}, To: "b", Triggers: []string{"GO"}},
		Rule{Name: "2", From: []string{"a"}, To: "c", Triggers: []string{"LOST"}},
		Rule{Name: "3", From: []string{"b"}, To: "c", Triggers: []string{"OVER"}, When: cmpGuard("n", ">", int64(5))},
		Rule{Name: "4", From: []string{"b"}, To: "d", Triggers: []string{"OVER"}, When: cmpGuard("n", "==", int64(2))},
	)
	p.Rules.Emits = []Emission{
		{Trigger: "GO", By: []string{"a"}}, {Trigger: "OVER", When: cmpGuard("n", "<", int64(3)), Place: "f:9:1"},
		{Trigger: "UNHEARD", By: []string{"b"}, Place: "f:10:1"}, {Trigger: "GO", By: []string{"c"}},
	}
	require.Equal(t, []string{
		"unanswered: f:10:1: no rule answers UNHEARD from b",
		"unanswered: no rule answers GO from c",
		"never_fires: rule 2 never fires: nobody emits LOST there",
		"never_fires: rule 3 never fires: nobody emits OVER there [a -> b]",
		"warning unreached: nothing leads to c",
	}, told(Lint(p)))
}

func TestLintMachine(t *testing.T) {
	p := ruled(
		Rule{Name: "1", From: []string{"a"}, To: "b", Triggers: []string{"GO"}, Next: "WORK"},
		Rule{Name: "2", From: []string{"a"}, To: "c", Triggers: []string{"JUMP"}, Next: "DONE"},
		Rule{Name: "3", From: []string{"b"}, To: "c", Next: "TRAP"},
	)
	p.Machine = &Machine{Start: "NEW", Final: []string{"DONE"}, States: map[string]string{"NEW": "a", "WORK": "b", "TRAP": "d", "DONE": "b"},
		Allowed: map[string][]string{"NEW": {"WORK"}, "WORK": {"TRAP", "DONE"}, "TRAP": {"DONE"}}}
	p.Registry = MustRegistry(Profile{ID: "a"}, Profile{ID: "b"}, Profile{ID: "c"}, Profile{ID: "d"})
	require.Equal(t, []string{
		"never_fires: rule 2 never fires: the workflow cannot move to DONE while a works",
		"warning unreached: nothing leads to d",
		"stuck: no way leads on from c in TRAP to a final state [a -> b -> c]",
	}, told(Lint(p)))

	p.Rules.Emits = []Emission{{Trigger: "GO", In: []string{"NEW"}}, {Trigger: "JUMP", In: []string{"WORK"}}}
	require.Equal(t, "never_fires: rule 2 never fires: nobody emits JUMP there", told(Lint(p))[0])

	p.Rules.List[2].Next = "LOST"
	p.Rules.Emits = []Emission{{Trigger: "GO", In: []string{"GONE"}}, {Trigger: "JUMP"}}
	p.Machine.Allowed["WORK"] = []string{"DONE"}
	got := told(Lint(p))
	require.Contains(t, got, `state: rule 3: there is no state "LOST"`)
	require.Contains(t, got, `state: trigger GO: there is no state "GONE"`)
	require.Contains(t, got, "state: no way leads from NEW to TRAP")
}

func TestLintPolicy(t *testing.T) {
	agents := MustRegistry(Profile{ID: "a"}, Profile{ID: "b", Capabilities: []string{"dig"}}, Profile{ID: "c"})
	asked := &ApprovalPolicy{}
	limits := Limits{Handoffs: 9}
	for name, c := range map[string]struct {
		p    Policy
		want []string
	}{
		"names": {Policy{Supervisor: "s", Entry: "e", Ladder: []string{"a", "l"}, OnReject: map[Code]Action{"": {Do: RouteTo, Target: "r"}}, OnFailure: Action{Do: RouteTo, Target: "f"},
			Loops: []LoopRule{{Key: LoopEdge, From: "x", Action: Action{Do: RouteTo, Target: "y"}}}, Class: "gold", Approve: &ApprovalPolicy{Agents: []string{"p"}}}, []string{
			`unknown_agent: supervisor: there is no agent "s"`, `unknown_agent: entry: there is no agent "e"`, `unknown_agent: ladder: there is no agent "l"`,
			`unknown_agent: on reject : there is no agent "r"`, `unknown_agent: on failure: there is no agent "f"`, `unknown_agent: approve approval: there is no agent "p"`,
			`unknown_agent: loop rule edge: there is no agent "x"`, `unknown_agent: loop rule edge: there is no agent "y"`, `unknown_class: there is no economic class "gold"`}},
		"edges": {Policy{Entry: "a", Edges: []Edge{{Name: "1", From: []string{"a"}, To: []string{"b", "z"}}, {Name: "1", From: []string{"b"}, Capability: "fly"}, {From: []string{"b"}, Capability: "dig", To: []string{"c"}, Next: "X"}}}, []string{
			`unknown_agent: edge 1: there is no agent "z"`, `no_provider: edge 1: no agent has the capability "fly"`, `state: edge b -> c, dig: there is no state "X": the workflow has no machine`,
			`name: two edges are named "1"`}},
		"hidden": {Policy{Entry: "a", Edges: []Edge{{From: []string{"a"}}, {From: []string{"a"}, Capability: "dig"}, {From: []string{"b"}, Reasons: []Reason{Delegation}}, {From: []string{"b"}}}},
			[]string{"shadowed: edge a -> dig is never taken: edge a -> * always comes first"}},
		"guards": {Policy{Entry: "a", Edges: []Edge{{To: []string{"b"}, Guard: cmpGuard("n", ">", int64(1))}, {To: []string{"c"}}, {To: []string{"b"}, Guard: cmpGuard("n", ">", int64(2))}, {To: []string{"b"}, Guard: opaque()}}},
			[]string{"shadowed: edge * -> b is never taken: edge * -> b always comes first"}},
		"unreached": {Policy{Entry: "a", Edges: []Edge{{From: []string{"a"}, To: []string{"b"}}}}, []string{"warning unreached: nothing leads to c"}},
		"approval": {Policy{Entry: "a", Edges: []Edge{{From: []string{"a"}, To: []string{"b", "c"}, Approval: asked}, {From: []string{"b"}, To: []string{"c"}}}},
			[]string{"warning approval_bypass: edge b -> c leads to c without the approval that edge a -> b, c asks for"}},
		"approval by all": {Policy{Entry: "a", Approve: asked, Edges: []Edge{{From: []string{"a"}, To: []string{"b", "c"}, Approval: asked}, {From: []string{"b"}, To: []string{"c"}}}}, nil},
		"mesh":            {Policy{Entry: "a"}, nil},
		"closed":          {Policy{Entry: "a", Edges: []Edge{edge("a", "b"), quota(edge("b", "c"), -1)}}, []string{"warning unreached: nothing leads to c"}},
		"other state": {Policy{Entry: "a", Edges: []Edge{edge("a", "b"), {From: []string{"b"}, To: []string{"c"}, When: []string{"DONE"}}},
			Machine: &Machine{Start: "NEW", States: map[string]string{"NEW": "a", "DONE": "c"}, Allowed: map[string][]string{"NEW": {"DONE"}}}}, []string{"warning unreached: nothing leads to c"}},
		"rescued": {Policy{Entry: "a", Supervisor: "c", Edges: []Edge{{From: []string{"a"}, To: []string{"b"}}}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c.p.Registry, c.p.Limits = agents, limits
			require.Equal(t, c.want, told(Lint(&c.p)))
		})
	}
	require.Nil(t, Lint(nil))
	require.Empty(t, Lint(&Policy{}))
}

func TestLintPayload(t *testing.T) {
	p := ruled(
		Rule{Name: "1", From: []string{"a"}, To: "b", Triggers: []string{"X"}, Payload: []RulePayload{needs("n", "string"), mayHave("o", "int"), needs("f", "int"), needs("more", "")}},
		Rule{Name: "2", From: []string{"a"}, To: "b", Triggers: []string{"Y"}},
		Rule{Name: "3", From: []string{"a"}, To: "c", Triggers: []string{"Z"}, Payload: []RulePayload{needs("n", "")}},
	)
	p.Edges = []Edge{
		{From: []string{"a"}, To: []string{"b"}, Kinds: []Kind{Call}},
		{Name: "e", From: []string{"a"}, To: []string{"b"}, Closed: true, Payload: []PayloadField{{Key: "n", Type: "int"}, {Key: "o", Type: "int"}, {Key: "f", Type: "float"}, {Key: "gone"}, {Key: "free", Optional: true}}},
		{From: []string{"a"}, To: []string{"c"}, Payload: []PayloadField{{Key: "n", Type: "int"}}},
	}
	require.Equal(t, []string{
		`payload: rule 1 makes "n" a string, edge e asks for a int [a -> b]`,
		`payload: rule 1 need not make "o", which edge e asks for [a -> b]`,
		`payload: rule 1 makes no "gone", which edge e asks for [a -> b]`,
		`payload: rule 1 makes "more", which edge e does not know [a -> b]`,
	}, told(Lint(p)))
}

// TestLintCalls: what an agent finds when it is returned to counts too.
func TestLintCalls(t *testing.T) {
	p := ruled(
		Rule{Name: "1", From: []string{"a"}, To: "b", Kind: Call, Triggers: []string{"ASK"}, Next: "WORK"},
		Rule{Name: "2", From: []string{"b"}, To: "c", Triggers: []string{"ON"}},
		Rule{Name: "3", From: []string{"a"}, To: "d", Triggers: []string{"END"}, Next: "DONE"},
	)
	p.Machine = &Machine{Start: "NEW", Final: []string{"DONE"}, States: map[string]string{"NEW": "a", "WORK": "b", "DONE": "d"}, Allowed: map[string][]string{"NEW": {"WORK"}, "WORK": {"DONE"}}}
	require.Empty(t, told(Lint(p)))
	short := *p
	short.Rules = &Rules{List: slices.Delete(slices.Clone(p.Rules.List), 1, 2)}
	short.Registry = MustRegistry(Profile{ID: "a"}, Profile{ID: "b"}, Profile{ID: "d"})
	require.Empty(t, told(Lint(&short)))
	p.Rules.List[0].Kind = Transfer
	p.Registry = MustRegistry(Profile{ID: "a"}, Profile{ID: "b"}, Profile{ID: "c"}, Profile{ID: "d"})
	require.Equal(t, []string{
		"never_fires: rule 3 never fires: the workflow cannot move to DONE while a works",
		"warning unreached: nothing leads to d",
		"stuck: no way leads on from a in NEW to a final state",
		"stuck: no way leads on from b in WORK to a final state [a -> b]",
		"stuck: no way leads on from c in WORK to a final state [a -> b -> c]",
	}, told(Lint(p)))
}

func TestLintExpect(t *testing.T) {
	p := ruled(
		Rule{Name: "1", From: []string{"a"}, To: "b", Triggers: []string{"X"}},
		Rule{Name: "2", From: []string{"b"}, To: "c", Triggers: []string{"X"}},
		Rule{Name: "3", From: []string{"c"}, To: "b", Triggers: []string{"BACK"}, Reason: ErrorRecovery},
		Rule{Name: "4", From: []string{"a"}, To: "c", Triggers: []string{"Y"}},
	)
	p.Rules.Expect = map[string]int{"c": 2, "b": 3, "d": 1, "a": 0}
	require.Equal(t, []string{
		"expect: b is expected behind 3 handoffs, a run without errors makes 1 [a -> b]",
		"expect: d is expected behind 1 handoffs, and no run without errors comes to it",
	}, told(Lint(p)))
	p.Rules.List[2].Reason = ""
	p.Rules.Expect = map[string]int{"b": 2}
	require.Empty(t, told(Lint(p)))
}

// TestLintKnowsWaysApart: what is known of an agent is what every way to it says.
func TestLintKnowsWaysApart(t *testing.T) {
	p := ruled(
		Rule{Name: "1", From: []string{"a"}, To: "c", When: cmpGuard("n", ">=", int64(3))},
		Rule{Name: "2", From: []string{"a"}, To: "b", When: cmpGuard("n", "<", int64(3))},
		Rule{Name: "3", From: []string{"b"}, To: "c"},
		Rule{Name: "4", From: []string{"c"}, To: "a", When: cmpGuard("n", "<", int64(2))},
	)
	p.Rules.Sets = map[string][]string{"b": {}, "c": {"m"}}
	require.Empty(t, told(Lint(p)))

	p.Rules.List[2].When = cmpGuard("n", "==", int64(2))
	require.Equal(t, []string{"never_fires: rule 4 never fires: it needs n < 2, and every way to c excludes that [a -> c]"}, told(Lint(p)))
	p.Rules.Sets["c"] = []string{"n"}
	require.Empty(t, told(Lint(p)))
	delete(p.Rules.Sets, "c")
	require.Empty(t, told(Lint(p)))

	p.Registry = MustRegistry(Profile{ID: "a"}, Profile{ID: "b"}, Profile{ID: "c"}, Profile{ID: "d"})
	p.Rules.Sets["c"], p.Rules.Sets["d"] = nil, nil
	p.Edges = []Edge{edge("b", "d", Call)}
	require.False(t, Lint(p)[0].Warning)
	p.Edges = []Edge{edge("b", "d", Spawn)}
	require.True(t, Lint(p)[0].Warning, "others may write at the same time")
}

func TestLasting(t *testing.T) {
	for field, want := range map[string]bool{
		"quotes": true, "len(quotes)": true, "client.name": true, "payload": false, "payload.x": false, "len(payload.x)": false, "fired.6.1": false,
		"len(task)": false, "workflow": false, "payloads": true, "": true,
	} {
		require.Equal(t, want, lasting(field), field)
	}
}

func TestFindingString(t *testing.T) {
	require.Equal(t, "f:1:2: m [a -> b]", Finding{Place: "f:1:2", Message: "m", Path: []string{"a", "b"}}.String())
	require.Equal(t, "m of a -> b", Finding{Message: "m of a -> b", Path: []string{"a", "b"}}.String())
	require.Equal(t, "m", Finding{Message: "m", Path: []string{"a"}}.String())
}

// TestLintIsDeterministic: maps are among its data.
func TestLintIsDeterministic(t *testing.T) {
	want := told(Lint(jetvision()))
	for range 20 {
		require.True(t, slices.Equal(want, told(Lint(jetvision()))))
	}
}
