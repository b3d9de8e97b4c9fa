package handoffs

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

//
func TestApprovalQuestion(t *testing.T) {
	t.Parallel()
	r := &Record{ID: "h1", From: "deploy", Kind: Call, Reason: Delegation, Explanation: "the release is ready", Task: "deploy v2", Payload: map[string]any{"tag": "v2"}}
	sent := &Sent{Policy: ContextLast, Tokens: 90}
	a := newApproval(&ApprovalPolicy{}, r, "prod", []string{"generalist", "lead", "deploy"}, sent)
	require.Equal(t, "May deploy, called by lead, called by generalist, call prod?\nWhy: the release is ready\nTask: deploy v2", a.Question)
	require.Equal(t, &Approval{
		Handoff: "h1", Question: a.Question, From: "deploy", To: "prod", Path: []string{"generalist", "lead", "deploy"}, Reason: Delegation,
		Why: "the release is ready", Task: "deploy v2", Payload: map[string]any{"tag": "v2"}, Context: sent,
		Choices: []Answer{Approve, Disapprove, Edit, Redirect, Defer},
	}, a)

	b := a.again(2)
	require.Equal(t, 2, b.Asked)
	require.Zero(t, a.Asked, "the first one stays as it was")
	require.Equal(t, a.Question, b.Question)

	for _, c := range []struct {
		r    Record
		to   string
		path []string
		want string
	}{
		{Record{From: "a"}, "b", []string{"a"}, "May a hand over to b?"},
		{Record{From: "a", Kind: Transfer, Reason: PlanStep, Task: "t"}, "b", nil, "May a hand over to b?\nWhy: plan_step\nTask: t"},
		{Record{From: "a", Kind: Spawn}, "b", nil, "May a start b?"},
		{Record{From: "a", Kind: Escalate}, "", nil, "May a escalate to somebody?"},
	} {
		require.Equal(t, c.want, newApproval(&ApprovalPolicy{}, &c.r, c.to, c.path, nil).Question)
	}
	require.Equal(t, "Ship it?", newApproval(&ApprovalPolicy{Text: "Ship it?"}, r, "prod", nil, nil).Question)
}

//
func TestParseRuling(t *testing.T) {
	t.Parallel()
	words := &ApprovalPolicy{Words: true}
	payload := map[string]any{"tag": "v3"}
	for _, c := range []struct {
		answer any
		p      *ApprovalPolicy
		want   Ruling
	}{
		{"approve", nil, Ruling{Decision: Approve}},
		{" Reject\n", nil, Ruling{Decision: Disapprove}},
		{"DEFER", &ApprovalPolicy{}, Ruling{Decision: Defer}},
		{true, nil, Ruling{Decision: Approve}},
		{false, nil, Ruling{Decision: Disapprove}},
		{map[string]any{"decision": "approve", "by": "ann", "reason": "fine"}, nil, Ruling{Decision: Approve, By: "ann", Reason: "fine"}},
		{map[string]any{"decision": " Edit ", "task": "deploy v3", "payload": payload}, nil, Ruling{Decision: Edit, Task: "deploy v3", Payload: payload}},
		{map[string]any{"decision": "edit", "payload": payload, "target": nil}, nil, Ruling{Decision: Edit, Payload: payload}},
		{map[string]any{"decision": "redirect", "target": " ops ", "task": ""}, nil, Ruling{Decision: Redirect, Target: "ops"}},
		{Ruling{Decision: Defer}, nil, Ruling{Decision: Defer}},
		{&Ruling{Decision: Redirect, Target: "ops"}, words, Ruling{Decision: Redirect, Target: "ops"}},

		{"yes", words, Ruling{Decision: Approve}},
		{"YES", words, Ruling{Decision: Approve}},
		{" Yes\t", words, Ruling{Decision: Approve}},
		{"no", words, Ruling{Decision: Disapprove}},
		{"", words, Ruling{Decision: Disapprove}},
		{"yes please", words, Ruling{Decision: Disapprove}},
		{"approve", words, Ruling{Decision: Disapprove}},
		{nil, words, Ruling{}},
		{nil, nil, Ruling{}},
		{true, words, Ruling{Decision: Approve}},
		{map[string]any{"decision": "edit", "task": "t"}, words, Ruling{Decision: Edit, Task: "t"}},
	} {
		got, err := ParseRuling(c.answer, c.p)
		require.NoError(t, err, "%v", c.answer)
		require.Equal(t, c.want, got, "%v", c.answer)
	}
}

func TestParseRulingSaysWhatIsAllowed(t *testing.T) {
	t.Parallel()
	words := &ApprovalPolicy{Words: true}
	for _, c := range []struct {
		answer any
		p      *ApprovalPolicy
		text   string
	}{
		{"yes", nil, `there is no decision "yes"`},
		{"", nil, "it has no decision"},
		{(*Ruling)(nil), nil, "it is a *handoffs.Ruling"},
		{int64(1), nil, "it is a number"},
		{int64(1), words, "it is a number"},
		{[]any{"approve"}, nil, "it is a list"},
		{"redirect", nil, "redirect needs the target"},
		{"edit", nil, "edit needs a task"},
		{map[string]any{}, nil, "it has no decision"},
		{map[string]any{"decision": "maybe"}, words, `there is no decision "maybe"`},
		{map[string]any{"decision": true}, nil, `"decision" is yes or no; a text is needed`},
		{map[string]any{"decision": "redirect", "target": "  "}, nil, "redirect needs the target"},
		{map[string]any{"decision": "approve", "target": "ops"}, nil, "approve has a target, which only redirect may have"},
		{map[string]any{"decision": "reject", "task": "t"}, nil, "reject has a task or a payload, which only edit may have"},
		{map[string]any{"decision": "edit", "payload": map[string]any{}}, nil, "edit needs a task"},
		{map[string]any{"decision": "edit", "payload": "tag=v3"}, nil, "the payload is a text; an object"},
		{map[string]any{"decision": "edit", "task": []any{"t"}}, nil, `"task" is a list; a text is needed`},
		{map[string]any{"decision": "edit", "taks": "t"}, nil, `there is no key "taks"; the keys are decision, reason, target, task, payload and by`},
		{Ruling{Decision: Edit}, nil, "edit needs a task"},
	} {
		_, err := ParseRuling(c.answer, c.p)
		require.ErrorIs(t, err, ErrRuling, "%v", c.answer)
		require.ErrorContains(t, err, c.text, "%v", c.answer)
		require.ErrorContains(t, err, "a decision is approve, reject, edit, redirect or defer", "%v", c.answer)
	}
}

func TestRulingSurvivesJSON(t *testing.T) {
	t.Parallel()
	want := Ruling{Decision: Edit, Reason: "r", Task: "t", Payload: map[string]any{"k": "v"}, By: "ann"}
	data, err := json.Marshal(want)
	require.NoError(t, err)
	var object any
	require.NoError(t, json.Unmarshal(data, &object))
	got, err := ParseRuling(object, nil)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestApprovalIsStoredAsItIs(t *testing.T) {
	t.Parallel()
	a := newApproval(&ApprovalPolicy{}, &Record{ID: "h", From: "a", Task: "t"}, "b", []string{"a"}, nil)
	a.Expires = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	data, err := json.Marshal(a)
	require.NoError(t, err)
	var b Approval
	require.NoError(t, json.Unmarshal(data, &b))
	require.Equal(t, a, &b)
}

func FuzzParseRuling(f *testing.F) {
	for _, s := range []string{`"yes"`, `{"decision":"edit","task":"t"}`, `{"decision":"redirect","target":"x"}`, `null`, `[1]`, `true`} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, text string, words bool) {
		var answer any
		if json.Unmarshal([]byte(text), &answer) != nil || answer == nil {
			return
		}
		r, err := ParseRuling(answer, &ApprovalPolicy{Words: words})
		if err != nil {
			require.ErrorIs(t, err, ErrRuling)
			require.Zero(t, r)
			return
		}
		require.NoError(t, r.check())
		again, err := ParseRuling(r, nil)
		require.NoError(t, err)
		require.Equal(t, r, again, "what was understood is understood again")
	})
}
