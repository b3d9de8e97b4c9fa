package transcript_test

import (
	"fmt"

	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

// A turn asked for a tool and a transfer at once, and the tool's result was
// lost. The agent that took over is asked on a strict provider.
func Example() {
	asked := state.Message{Role: state.RoleAI, Name: "triage", ToolCalls: []state.ToolCall{
		{ID: "1", Name: "look_up"}, {ID: "2", Name: "transfer_to_billing"},
	}}
	taken := state.Text(state.RoleTool, "billing has it")
	taken.ToolCallID = "2"
	messages := []state.Message{state.Text(state.RoleHuman, "My invoice is wrong."), asked, taken}

	view := transcript.View{Agent: "billing", Brief: "Correct the invoice."}
	sent, repairs := view.Project(messages, transcript.Anthropic())
	for _, m := range sent {
		fmt.Printf("%s: %q, %d calls\n", m.Role, m.Text(), len(m.ToolCalls))
	}
	for _, r := range repairs {
		fmt.Println(r)
	}
	fmt.Println(transcript.Check(sent, transcript.Anthropic()))
	// Output:
	// human: "My invoice is wrong.", 0 calls
	// ai: "", 2 calls
	// tool: "billing has it", 0 calls
	// tool: "The call was interrupted: there is no result.", 0 calls
	// human: "Correct the invoice.", 0 calls
	// orphan_call at message 1, call "1"
	// name_changed at message 1
	// brief_added
	// <nil>
}
