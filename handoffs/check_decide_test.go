package handoffs

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func ruleCheckThat(code Code, ask *ApprovalPolicy) Check {
	return Check{string(code), func(*Case) []Failure { return []Failure{{Code: code, Message: "x", Ask: ask}} }}
}

// All checks run, the first failure decides, a person is asked only about what
// nothing else speaks against.
func TestDecide(t *testing.T) {
	fine := Check{"fine", func(*Case) []Failure { return nil }}
	first, second := &ApprovalPolicy{}, &ApprovalPolicy{Text: "second"}
	ask, again := ruleCheckThat(CodeApproval, first), ruleCheckThat("mine", second)
	tests := []struct {
		name    string
		checks  []Check
		verdict Verdict
		codes   []Code
		ask     *ApprovalPolicy
	}{
		{"no checks", nil, Allow, nil, nil},
		{"nothing", []Check{fine, fine}, Allow, nil, nil},
		{"one", []Check{fine, ruleCheckThat(CodeLoop, nil), fine}, Reject, ruleCodes(CodeLoop), nil},
		{"all are told", []Check{ruleCheckThat(CodeLoop, nil), fine, ruleCheckThat(CodeSelf, nil)}, Reject, ruleCodes(CodeLoop, CodeSelf), nil},
		{"ask", []Check{fine, ask}, Ask, ruleCodes(CodeApproval), first},
		{"ask twice", []Check{again, ask}, Ask, ruleCodes("mine", CodeApproval), second},
		{"no use in asking", []Check{ask, ruleCheckThat(CodeLimit, nil)}, Reject, ruleCodes(CodeLimit), nil},
		{"not approved is a failure of its own", []Check{ruleCheckThat(CodeApproval, nil)}, Reject, ruleCodes(CodeApproval), nil},
		{"no function", []Check{{Name: "empty"}}, Reject, ruleCodes(CodeSyntax), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := ruleCase(&Policy{}, "rag")
			c.Edge = &Edge{Name: "e"}
			d := decide(c, tt.checks)
			require.Equal(t, tt.verdict, d.Verdict)
			require.Same(t, c.Edge, d.Edge)
			var got []Code
			for _, f := range d.Failures {
				got = append(got, f.Code)
			}
			require.Equal(t, tt.codes, got)
			require.True(t, tt.ask == d.Approval)
		})
	}
}

// Everything that speaks against a handoff is told in the order of the checks.
func TestDecideOrderS0_42(t *testing.T) {
	c := ruleCase(&Policy{Loops: []LoopRule{{}}, Limits: Limits{Handoffs: -1}, Edges: []Edge{}, Need: []string{"task"}}, "supervisor")
	c.From, c.Policy.Supervisor = "supervisor", "rag"
	c.Log = ruleLog("a>supervisor")
	c.Command.Needs = []string{"fly"}
	want := ruleCodes(CodeMissing, CodeSelf, CodeSystem, CodeCapability, CodeEdge, CodeLoop, CodeLimit)
	var got []Code
	for _, f := range decide(c, DefaultChecks()).Failures {
		got = append(got, f.Code)
	}
	require.Equal(t, want, got)

	checks, err := ChecksNamed("exists", "self", "system", "loop", "capability")
	require.NoError(t, err)
	got = nil
	for _, f := range decide(c, checks).Failures {
		got = append(got, f.Code)
	}
	require.Equal(t, ruleCodes(CodeSelf, CodeSystem, CodeLoop, CodeCapability), got)
}

// Of a target that there is not only that is told.
func TestDecideUnknownTarget(t *testing.T) {
	c := ruleCase(&Policy{Loops: []LoopRule{{}}, Limits: Limits{Handoffs: -1, Tokens: -1}, Edges: []Edge{}, Breaker: &BreakerPolicy{},
		Machine: &Machine{}, Approve: &ApprovalPolicy{}}, "nobody")
	c.Command.Needs, c.Command.Actor = []string{"x"}, ByUser
	d := decide(c, DefaultChecks())
	require.Len(t, d.Failures, 1)
	require.Equal(t, CodeNotFound, d.Failures[0].Code)
}

func TestUserChecks(t *testing.T) {
	c := ruleCase(&Policy{Loops: []LoopRule{{}}, Limits: Limits{Handoffs: -1}}, "supervisor")
	c.Log, c.Command.Needs, c.Command.Actor = ruleLog("a>supervisor"), []string{"fly"}, ByUser
	d := decide(c, UserChecks())
	require.Len(t, d.Failures, 1)
	require.Equal(t, CodeLimit, d.Failures[0].Code)
}

func TestChecksNamed(t *testing.T) {
	var all []string
	for _, k := range DefaultChecks() {
		all = append(all, k.Name)
		one, ok := CheckNamed(k.Name)
		require.True(t, ok)
		require.Equal(t, k.Name, one.Name)
	}
	require.Equal(t, "[syntax exists available self system selectable accepts capability edge transition loop limits budget breaker approval]", fmt.Sprint(all))
	checks, err := ChecksNamed(all...)
	require.NoError(t, err)
	require.Len(t, checks, 15)
	checks[0] = Check{}
	require.Equal(t, "syntax", DefaultChecks()[0].Name)

	_, ok := CheckNamed("sense")
	require.False(t, ok)
	none, err := ChecksNamed()
	require.NoError(t, err)
	require.NotNil(t, none, "a list without checks is not the default one")
	_, err = ChecksNamed("loop", "sense", "loop", "luck")
	require.True(t, errors.Is(err, ErrCheckName))
	require.ErrorContains(t, err, `there is no check "sense", "loop" comes twice, there is no check "luck"; the checks are syntax, exists, `)
}

// No command and no desk make a check panic.
func FuzzDecide(f *testing.F) {
	f.Add([]byte(`{"type":"handoff","targetAgentId":"rag"}`), uint8(0))
	f.Add([]byte(`{"type":"handoff","targetAgentId":"nobody","kind":"call","budget":{"tokens":-5},"class":"x"}`), uint8(255))
	f.Add([]byte(`{"type":"handoff","targetAgentId":"bc","kind":"spawn","branches":[{}],"join":{"need":-1}}`), uint8(90))
	f.Fuzz(func(t *testing.T, data []byte, shape uint8) {
		cmd, err := ParseCommand(data, 0)
		if err != nil {
			return
		}
		has := func(bit int) bool { return shape>>bit&1 == 1 }
		p := &Policy{Limits: Limits{Handoffs: 2, Tokens: 100, Agents: 2, Depth: 1, Turns: 9, Time: 1}, Loops: []LoopRule{{Window: 3}, {Key: LoopCycle}, {Key: LoopUnique},
			{Key: LoopDuplicate}, {Key: LoopProgress}, {Key: LoopQuota}, {Key: "odd"}}, Breaker: &BreakerPolicy{Key: BreakEdge}, Classes: EconomicClasses()}
		c := ruleCase(p, cmd.Target)
		c.Command, c.Log = &cmd, ruleLog(ruleHops(3, "bc>rag#x", "rag>bc", "bc<rag", ".", "bc+rag")...)
		if has(0) {
			c.Desk.Frames = []Frame{{ID: "f1", Caller: "f2", Limits: Limits{Tokens: 5}}, {ID: "f2", Caller: "f1"}}
			c.Frame = &c.Desk.Frames[0]
		}
		if has(1) {
			p.Edges = []Edge{}
			c.Near = []Edge{{When: []string{"x"}}, {Guard: &Guard{}}, {Closed: true}}
		}
		if has(2) {
			c.Edge = &Edge{Payload: []PayloadField{{Key: "a", Type: "int"}}, Closed: true, Next: "b", Apart: true, Approval: &ApprovalPolicy{When: &Guard{}}}
		}
		if has(3) {
			p.Machine = &Machine{}
		}
		if has(4) {
			c.Desk.Queue = []Offer{{}, {Record: &Record{}, Source: "f1", Frame: Frame{Limits: Limits{Tokens: 3}}}}
		}
		if has(5) {
			c.Desk.Parked = []Parked{{Frames: []Frame{{ID: "f3", Caller: "f3", Limits: Limits{Tokens: 3}}}}}
		}
		d := decide(c, DefaultChecks())
		if d.Verdict == Reject {
			for _, x := range d.Failures {
				if x.Code == "" || x.Message == "" {
					t.Fatalf("a failure without code or message: %+v", x)
				}
			}
		} else if cmd.kind() != Return && c.handing() && c.Target == nil && len(cmd.Branches) == 0 {
			t.Fatalf("%s to nobody is let through", cmd.kind())
		}
		_ = c.grant()
	})
}
