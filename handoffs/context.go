package handoffs

import "github.com/graphrun/graphrun/state"

// ContextMode says what of the conversation an agent gets.
type ContextMode string

// The modes.
const (
	ContextFull      ContextMode = "full"      // also if empty: all messages
	ContextLast      ContextMode = "last"      // the last Last messages
	ContextFields    ContextMode = "fields"    // fields of the state and keys of the payload, as one message
	ContextArtifacts ContextMode = "artifacts" // the names and places of artifacts, as one message
	ContextSummary   ContextMode = "summary"   // what Summarize makes of all messages
	ContextBrief     ContextMode = "brief"     // the specialist's brief: why, what, what was done, the last messages
	ContextNone      ContextMode = "none"      // the task alone
	ContextCustom    ContextMode = "custom"    // what Custom makes
)

// ContextPolicy says what of the conversation an agent gets, and how much.
type ContextPolicy struct {
	Mode   ContextMode
	Last   int      // of ContextLast; of ContextBrief how many messages it quotes; 0: 5
	Fields []string // of ContextFields; of ContextArtifacts the fields that hold them
	Tokens int      // a budget; 0: no bound
	Pinned []string // ids of messages that are always there, and never left out for the budget
	// PinFirst pins the first human message.
	PinFirst bool

	Summarize func([]state.Message) (string, error)       // of ContextSummary; it must be pure
	Custom    func(ContextInput) ([]state.Message, error) // of ContextCustom; it must be pure
	Count     func(string) int                            // tokens of a text; nil: a quarter of its bytes, rounded up
}

// ContextInput is what an agent's context is made of.
type ContextInput struct {
	Messages []state.Message
	Turn     Turn
	Target   Profile
	Facts    Facts
}
