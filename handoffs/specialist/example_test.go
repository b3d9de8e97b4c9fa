package specialist_test

import (
	"context"
	"fmt"
	"time"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/specialist"
	"github.com/graphrun/graphrun/state"
)

// shop are the specialists of the examples and tests.
var shop = []specialist.AgentCapabilityProfile{
	{AgentID: "test-specialist", AgentName: "Test Specialist", Specialization: "testing", Capabilities: []string{"shell", "files"},
		Description: "Runs and writes tests.", Examples: []string{"run the tests", "find out why a test fails"}, AcceptsHandoffs: true},
	{AgentID: "deploy-specialist", AgentName: "Deploy Specialist", Specialization: "deployment", Capabilities: []string{"shell", "git", "files"},
		Description: "Deploys.", Examples: []string{"deploy to production"}, AcceptsHandoffs: true},
	{AgentID: "archivist", Specialization: "history", Capabilities: []string{"git"}},
}

// noon is a clock that stands still.
func noon() time.Time { return time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC) }

// newRouter returns a router that knows the shop.
func newRouter() *specialist.Router {
	r := &specialist.Router{}
	for _, a := range shop {
		if err := r.RegisterAgent(a); err != nil {
			panic(err)
		}
	}
	return r
}

func Example() {
	ctx := context.Background()
	run := func(_ context.Context, r specialist.AgentRun) (specialist.AgentResult, error) {
		answers := map[string]string{"test-specialist": "42 tests pass", "deploy-specialist": "deployed v7"}
		return specialist.AgentResult{
			Response: answers[r.Agent.AgentID], Iterations: 2, ToolCalls: []state.ToolCall{{Name: "shell"}},
		}, nil
	}
	service, err := specialist.NewHandoffService(specialist.Config{Router: newRouter(), Run: run, Clock: noon})
	if err != nil {
		panic(err)
	}

	// The generalist's model calls the tool; it is written out here.
	in := specialist.ToolContext{AgentID: "generalist", UserInput: "Deploy, but run the tests first.", ConversationID: "c1"}
	tests := service.HandleTool(ctx, []byte(`{"specialist_type": "testing", "task": "run the tests", "reason": "tests come first"}`), in)
	if !tests.Success {
		fmt.Println("Not deployed:", tests.Error)
		return
	}
	fmt.Println(tests.Result.SpecialistName, "says:", tests.Result.SpecialistResponse)
	deploy := service.HandleTool(ctx, []byte(`{"specialist_type": "deployment", "task": "deploy to production", "reason": "the tests have passed",
		"context": {"tests": "42 pass"}}`), in)
	if !deploy.Success {
		fmt.Println("Not deployed:", deploy.Error)
		return
	}
	fmt.Println(deploy.Result.SpecialistName, "says:", deploy.Result.SpecialistResponse)
	fmt.Println("Done:", tests.Result.SpecialistResponse+",", deploy.Result.SpecialistResponse)

	log, err := service.Log(ctx, "c1")
	if err != nil {
		panic(err)
	}
	for h := range handoffs.History(log, handoffs.Filter{}) {
		fmt.Println(h.From, h.To, h.Status)
	}
	// Output:
	// Test Specialist says: 42 tests pass
	// Deploy Specialist says: deployed v7
	// Done: 42 tests pass, deployed v7
	// generalist test-specialist returned
	// generalist deploy-specialist returned
}
