package handoffs

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// ruleGuard is a guard that gives this answer.
func ruleGuard(holds bool, because string, err error) *Guard {
	return &Guard{Text: "quotes >= 3", Holds: func(Facts) (bool, string, error) { return holds, because, err }}
}

func TestCheckEdge(t *testing.T) {
	yes, no := ruleGuard(true, "", nil), ruleGuard(false, "quotes = 2", nil)
	machine := &Machine{Start: "a", Allowed: map[string][]string{"a": {"b"}}}
	tests := []struct {
		name   string
		near   []Edge
		change func(*Case)
		want   Code
		text   string
	}{
		{"none is declared", nil, func(c *Case) { c.Policy.Edges = nil }, "", ""},
		{"none is allowed", nil, nil, CodeEdge, "rag "},
		{"one fits", nil, func(c *Case) { c.Edge = &Edge{} }, "", ""},
		{"the guard does not hold", []Edge{{Guard: no}}, nil, CodeGuard, "rag quotes >= 3: quotes = 2"},
		{"the guard fails", []Edge{{Guard: ruleGuard(true, "", errors.New("no quotes"))}}, nil, CodeGuard, "rag quotes >= 3: no quotes"},
		{"another kind", []Edge{{Kinds: []Kind{Call}, Guard: no}}, nil, CodeEdge, "rag "},
		{"another reason", []Edge{{Reasons: []Reason{PlanStep}, Guard: no}}, nil, CodeEdge, "rag "},
		{"the second one only lacks its guard", []Edge{{Kinds: []Kind{Call}}, {Kinds: []Kind{Transfer}, Guard: no}}, nil, CodeGuard, "rag quotes >= 3: quotes = 2"},
		{"X-35 another state", []Edge{{When: []string{"b"}, Next: "c"}}, nil, CodeTransition, "a -> c"},
		{"another state, and no next one", []Edge{{When: []string{"b"}}}, nil, CodeTransition, "a -> rag"},
		{"another state without a machine", []Edge{{When: []string{"b"}, Next: "c"}}, func(c *Case) { c.Policy.Machine = nil }, CodeTransition, " -> c"},
		{"a guard is nearer than a state", []Edge{{When: []string{"b"}, Guard: no}, {When: []string{"a"}, Guard: no}}, nil, CodeGuard, "rag quotes >= 3: quotes = 2"},
		{"near for no reason that is known", []Edge{{Guard: yes}, {}}, nil, CodeEdge, "rag "},
		{"the engine goes where it must", []Edge{{Guard: no}}, func(c *Case) { c.Command.Actor = BySystem }, "", ""},
		{"up the ladder", nil, func(c *Case) { c.Command.Kind, c.Policy.Ladder = Escalate, []string{"rag"} }, "", ""},
		{"X-54 to a rung that was tried", nil, func(c *Case) {
			c.Command.Kind, c.Policy.Ladder, c.Policy.Edges, c.Frame = Escalate, []string{"bc", "rag"}, nil, &Frame{Visited: []string{"rag"}}
		}, CodeLadder, "rag tried"},
		{"X-54 down the ladder", nil, func(c *Case) { c.Command.Kind, c.Policy.Ladder = Escalate, []string{"rag", "bc"} }, CodeLadder, "rag tried"},
		{"down the ladder by a transfer", nil, func(c *Case) { c.Policy.Ladder, c.Policy.Edges = []string{"rag", "bc"}, nil }, "", ""},
		{"an escalation past the ladder", nil, func(c *Case) { c.Command.Kind, c.Policy.Ladder = Escalate, []string{"bc"} }, CodeEdge, "rag "},
		{"nobody is there", nil, func(c *Case) { c.Target = nil }, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := &Policy{Edges: []Edge{}, Machine: machine,
				Texts: Texts{CodeEdge: "{target} ", CodeLadder: "{target} tried", CodeGuard: "{target} {limit}: {value}", CodeTransition: "{value}"}}
			c := ruleCase(p, "rag")
			c.Near = tt.near
			if tt.change != nil {
				tt.change(c)
			}
			if tt.want == "" {
				require.Empty(t, ruleCodesOf(c, "edge"))
				return
			}
			f := firstFailure(t, c, "edge")
			require.Equal(t, tt.want, f.Code)
			require.Equal(t, tt.text, f.Message)
		})
	}
}

func TestCheckEdgePayload(t *testing.T) {
	fields := []PayloadField{
		{Key: "id", Type: "string"}, {Key: "n", Type: "int", Optional: true}, {Key: "price", Type: "float", Optional: true},
		{Key: "vip", Type: "bool", Optional: true}, {Key: "list", Type: "list", Optional: true}, {Key: "map", Type: "map", Optional: true},
		{Key: "what", Optional: true}, {Key: "any", Type: "any", Optional: true}, {Key: "odd", Type: "colour", Optional: true},
		{Key: "service", Optional: true, Enum: []any{"sheets", "mail", 3, 2.5}},
	}
	tests := []struct {
		name    string
		payload map[string]any
		closed  bool
		want    string // "": it fits
	}{
		{"all", map[string]any{"id": "1", "n": int64(2), "price": 2.5, "vip": true, "list": []any{}, "map": map[string]any{}, "what": nil, "any": int64(1)}, true, ""},
		{"the least", map[string]any{"id": "1"}, true, ""},
		{"nothing", nil, false, "id: it is missing"},
		{"null", map[string]any{"id": nil, "n": nil}, false, "id: it is missing"},
		{"wrong types", map[string]any{"id": int64(1), "n": 2.0, "price": "much"}, false, "id: want string, got int; n: want int, got float; price: want float, got string"},
		{"a whole price", map[string]any{"id": "1", "price": int64(2)}, false, ""},
		{"made in Go", map[string]any{"id": "1", "n": 2, "price": float32(2)}, false, ""},
		{"a type that there is not", map[string]any{"id": "1", "odd": "red"}, false, "odd: want colour, got string"},
		{"one of several", map[string]any{"id": "1", "service": "mail"}, false, ""},
		{"one of several numbers", map[string]any{"id": "1", "service": int64(3)}, false, ""},
		{"the same number", map[string]any{"id": "1", "service": 3.0}, false, ""},
		{"none of them", map[string]any{"id": "1", "service": "fax"}, false, "service: want one of [sheets mail 3 2.5], got fax"},
		{"no key more", map[string]any{"id": "1", "y": 1, "x": 1}, true, "x: the key is unknown; y: the key is unknown"},
		{"keys more", map[string]any{"id": "1", "y": 1, "x": 1}, false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := ruleCase(&Policy{Texts: Texts{CodePayload: "{value}"}}, "rag")
			c.Edge, c.Command.Payload = &Edge{Name: "e", Payload: fields, Closed: tt.closed}, tt.payload
			if tt.want == "" {
				require.Empty(t, ruleCodesOf(c, "edge"))
				return
			}
			f := firstFailure(t, c, "edge")
			require.Equal(t, Failure{Code: CodePayload, Message: tt.want, Rule: "e"}, f)
			c.Command.Actor = BySystem
			require.Empty(t, ruleCodesOf(c, "edge"))
		})
	}
	c := ruleCase(&Policy{}, "rag")
	c.Edge, c.Command.Payload = &Edge{}, map[string]any{"x": 1}
	require.Empty(t, ruleCodesOf(c, "edge"))
}

func TestCheckTransition(t *testing.T) {
	m := &Machine{Start: "ANALYZING", Final: []string{"COMPLETED"}, Failed: "FAILED",
		States:  map[string]string{"ANALYZING": "", "SEARCHING": "", "COMPLETED": "", "FAILED": ""},
		Allowed: map[string][]string{"ANALYZING": {"SEARCHING"}, "SEARCHING": {"COMPLETED"}}}
	tests := []struct {
		name, at, state, next string
		want                  string // "": allowed
	}{
		{"it follows", "ANALYZING", "", "SEARCHING", ""},
		{"from the start", "", "", "SEARCHING", ""},
		{"it stays", "SEARCHING", "", "", ""},
		{"the same", "SEARCHING", "", "SEARCHING", ""},
		{"S3-35", "SEARCHING", "", "ANALYZING", "Invalid state transition: SEARCHING -> ANALYZING"},
		{"past one", "", "", "COMPLETED", "Invalid state transition: ANALYZING -> COMPLETED"},
		{"the command comes first", "ANALYZING", "COMPLETED", "SEARCHING", "Invalid state transition: ANALYZING -> COMPLETED"},
		{"it fails", "SEARCHING", "FAILED", "", ""},
		{"it is over", "COMPLETED", "FAILED", "", "Invalid state transition: COMPLETED -> FAILED"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := ruleCase(&Policy{Machine: m, Texts: Texts{CodeTransition: "Invalid state transition: {value}"}}, "rag")
			c.Desk.Machine, c.Command.State, c.Edge = tt.at, tt.state, &Edge{Next: tt.next}
			if tt.want == "" {
				require.Empty(t, ruleCodesOf(c, "transition"))
				return
			}
			require.Equal(t, Failure{Code: CodeTransition, Message: tt.want}, firstFailure(t, c, "transition"))
			c.Policy.Machine = nil
			require.Empty(t, ruleCodesOf(c, "transition"))
		})
	}
}

func TestCheckApproval(t *testing.T) {
	all := &ApprovalPolicy{Text: "all"}
	tests := []struct {
		name   string
		policy *ApprovalPolicy
		edge   *ApprovalPolicy
		want   bool
	}{
		{"nobody asks", nil, nil, false},
		{"the policy asks", all, nil, true},
		{"the edge asks", nil, all, true},
		{"the edge comes first", all, &ApprovalPolicy{Agents: []string{"bc"}}, false},
		{"about this agent", &ApprovalPolicy{Agents: []string{"bc", "rag"}}, nil, true},
		{"about another one", &ApprovalPolicy{Agents: []string{"bc"}}, nil, false},
		{"if", &ApprovalPolicy{When: ruleGuard(true, "much", nil)}, nil, true},
		{"if not", &ApprovalPolicy{When: ruleGuard(false, "little", nil)}, nil, false},
		{"who knows", &ApprovalPolicy{When: ruleGuard(false, "", errors.New("no money"))}, nil, true},
		{"if whatever", &ApprovalPolicy{When: &Guard{}}, nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := ruleCase(&Policy{Approve: tt.policy}, "rag")
			c.Edge = &Edge{Approval: tt.edge}
			d := decide(c, DefaultChecks())
			if !tt.want {
				require.Equal(t, Decision{Verdict: Allow, Edge: c.Edge}, d)
				return
			}
			require.Equal(t, Ask, d.Verdict)
			require.Equal(t, CodeApproval, d.Failures[0].Code)
			if tt.edge != nil {
				require.Same(t, tt.edge, d.Approval)
			} else {
				require.Same(t, tt.policy, d.Approval)
			}
		})
	}
}
