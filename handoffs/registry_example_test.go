package handoffs_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/graphrun/graphrun/handoffs"
)

// deskTeam are the agents of the examples.
var deskTeam = []handoffs.Profile{
	{ID: "generalist", Name: "Generalist", Hidden: true},
	{ID: "test-specialist", Name: "Test Specialist", Specialization: "testing", Description: "runs and writes tests", Cost: 2},
	{ID: "deploy-specialist", Name: "Deploy Specialist", Specialization: "deployment", Capabilities: []string{"shell", "git"}, Cost: 5},
	{ID: "night-shift", Specialization: "deployment", Cost: 1, Weight: 3},
}

func ExampleNewRegistry() {
	_, err := handoffs.NewRegistry(nil, handoffs.Profile{ID: "a"}, handoffs.Profile{Name: "B"}, handoffs.Profile{ID: "a"})
	fmt.Println(err)

	night := func(id string, now time.Time) bool { return id != "night-shift" || now.Hour() >= 20 }
	r, err := handoffs.NewRegistry(&handoffs.RegistryConfig{Available: night}, deskTeam...)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range r.ForCapability("deployment", time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)) {
		fmt.Println(p.Title())
	}
	// Output:
	// handoffs: invalid registry: profile 2 ("B"): its id is empty; id "a" is there more than once: give each agent its own
	// Deploy Specialist
}

func ExampleRegistry_Lookup() {
	r := handoffs.MustRegistry(deskTeam...)
	for _, name := range []string{"test-specialist", "Test specialist", "TEST_SPECIALIST", "tets-specialist"} {
		if p, near, ok := r.Lookup(name); ok {
			fmt.Println(name, "is", p.ID)
		} else {
			fmt.Println(name, "is nobody; near are", near)
		}
	}
	// Output:
	// test-specialist is test-specialist
	// Test specialist is test-specialist
	// TEST_SPECIALIST is test-specialist
	// tets-specialist is nobody; near are [test-specialist deploy-specialist]
}

func ExampleRegistry_With() {
	r := handoffs.MustRegistry(deskTeam...)
	more := r.With(handoffs.Profile{ID: "night-shift", Name: "Owl"}, handoffs.Profile{ID: "security"})
	for p := range more.All() {
		fmt.Println(p.ID, "/", p.Title())
	}
	fmt.Println(r.Len(), more.Len())
	// Output:
	// generalist / Generalist
	// test-specialist / Test Specialist
	// deploy-specialist / Deploy Specialist
	// night-shift / Owl
	// security / security
	// 4 5
}

// request asks for somebody who deploys.
func request() handoffs.Request {
	return handoffs.Request{Session: "s1", Handoff: "h1", Capability: "deployment", Task: "deploy v2", Candidates: []handoffs.Candidate{
		{Profile: deskTeam[2], Load: 1, Served: 4},
		{Profile: deskTeam[3], Load: 2, Served: 4},
	}}
}

func ExampleRouter() {
	for _, r := range []handoffs.Router{handoffs.FirstMatch{}, handoffs.LeastLoaded{}, handoffs.Cheapest{}, handoffs.Weighted{}, handoffs.Sticky{}} {
		id, err := r.Route(context.Background(), request())
		fmt.Printf("%T: %s %v\n", r, id, err)
	}
	// Output:
	// handoffs.FirstMatch: deploy-specialist <nil>
	// handoffs.LeastLoaded: deploy-specialist <nil>
	// handoffs.Cheapest: night-shift <nil>
	// handoffs.Weighted: night-shift <nil>
	// handoffs.Sticky: deploy-specialist <nil>
}

func ExampleByTask() {
	model := func(_ context.Context, prompt string) (string, error) {
		fmt.Println(strings.Split(prompt, "\n")[3])
		return `"deploy specialist".`, nil // models do not copy names letter by letter
	}
	r := handoffs.FirstOf(handoffs.ByTask{Ask: model, Fallback: handoffs.LeastLoaded{}}, handoffs.FirstMatch{})
	fmt.Println(r.Route(context.Background(), request()))
	// Output:
	// - Deploy Specialist (deployment)
	// deploy-specialist <nil>
}

func ExampleQueuePolicy_Level() {
	var q handoffs.QueuePolicy
	for _, p := range []handoffs.Priority{handoffs.Urgent, handoffs.High, handoffs.Normal, handoffs.Low, ""} {
		fmt.Printf("%q %d\n", p, q.Level(p))
	}
	// Output:
	// "urgent" 1
	// "high" 2
	// "normal" 5
	// "low" 10
	// "" 5
}

func ExampleParseRuling() {
	for _, answer := range []any{
		"approve",
		map[string]any{"decision": "redirect", "target": "night-shift", "reason": "it is late"},
		map[string]any{"decision": "edit"},
	} {
		r, err := handoffs.ParseRuling(answer, nil)
		fmt.Println(r.Decision, r.Target, err)
	}
	r, err := handoffs.ParseRuling(" YES ", &handoffs.ApprovalPolicy{Words: true})
	fmt.Println(r.Decision, err)
	// Output:
	// approve  <nil>
	// redirect night-shift <nil>
	//   handoffs: the answer is no ruling: edit needs a task, or a payload with the keys to set; a decision is approve, reject, edit, redirect or defer
	// approve <nil>
}

func ExampleAllowedTargets() {
	p := &handoffs.Policy{
		Registry: handoffs.MustRegistry(deskTeam...),
		Edges: []handoffs.Edge{
			{From: []string{"generalist"}, Capability: "deployment"},
			{From: []string{"deploy-specialist"}, To: []string{"test-specialist"}, Kinds: []handoffs.Kind{handoffs.Call}},
		},
	}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, from := range []string{"generalist", "deploy-specialist", "test-specialist"} {
		fmt.Println(from, handoffs.AllowedTargets(p, nil, handoffs.Log{}, from, nil, now))
	}
	// Output:
	// generalist [deploy-specialist night-shift]
	// deploy-specialist [test-specialist]
	// test-specialist []
}

func ExampleTool() {
	p := &handoffs.Policy{Registry: handoffs.MustRegistry(deskTeam...)}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	tool, ok := handoffs.Tool(p, nil, handoffs.Log{}, "generalist", nil, now, nil)
	fmt.Println(ok, tool.Name, tool.Targets)
	_, list, _ := strings.Cut(tool.Description, "Specialists:\n")
	fmt.Print(list)

	c, err := tool.Command([]byte(`{"targetAgentId": "night-shift", "explanation": "it is late", "task": "deploy v2", "returnControl": true}`))
	fmt.Println(c.Target, c.Task, c.ReturnControl, err)
	_, err = tool.Command([]byte(`{"targetAgentId": "night-shift", "task": "", "actor": "user"}`))
	fmt.Println(err)
	// Output:
	// true handoff_to_specialist [test-specialist deploy-specialist night-shift]
	// - test-specialist: Test Specialist (testing): runs and writes tests
	// - deploy-specialist: Deploy Specialist (deployment); capabilities: shell, git
	// - night-shift (deployment)
	// night-shift deploy v2 true <nil>
	// handoffs: the command is not valid: actor: the key is unknown; explanation: it is missing; task: it is missing
}
