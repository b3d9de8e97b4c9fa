package handoffs

import (
	"errors"

	"github.com/graphrun/graphrun/state"
)

// ErrContextBudget is behind errors about contexts of which even what must be
// there exceeds the budget of tokens.
var ErrContextBudget = errors.New("handoffs: the context exceeds its budget")

// ContextMode says what of the conversation an agent gets.
type ContextMode string

// The modes.
const (
	ContextFull      ContextMode = "full"      // also if empty: all messages
	ContextLast      ContextMode = "last"      // the last Last messages
	ContextFields    ContextMode = "fields"    // keys of the payload and fields of the state, as one message
	ContextArtifacts ContextMode = "artifacts" // the names and places of artifacts, as one message
	ContextSummary   ContextMode = "summary"   // what Summarize makes of all messages
	ContextBrief     ContextMode = "brief"     // the specialist's brief: why, what, what was done, the last messages
	ContextNone      ContextMode = "none"      // the task alone
	ContextCustom    ContextMode = "custom"    // what Custom makes
)

// ContextPolicy says what of the conversation an agent gets, and how much. The
// zero ContextPolicy gives all of it.
type ContextPolicy struct {
	Mode ContextMode
	// Last is how many messages ContextLast gives and ContextBrief quotes; 0:
	// 5; less: none. A tool call and its results are given together or not at all.
	Last int
	// Fields are what ContextFields gives, a key of the payload before a field
	// of the state of the same name, those that have no value left out; nil: the
	// whole payload. Of ContextArtifacts they hold the artifacts; nil: "artifacts".
	Fields []string
	// Tokens is a budget; 0 or less: no bound. What must be there comes first:
	// pinned messages, the task, what the mode makes. Then messages are taken from
	// the newest back, until one does not fit: with a larger budget none is lost.
	Tokens int
	// Pinned are ids of messages that are always there, and never left out for
	// the budget. Ids that no message has are passed over.
	Pinned []string
	// PinFirst pins the first human message.
	PinFirst bool

	Summarize func([]state.Message) (string, error)       // of ContextSummary; it must be pure
	Custom    func(ContextInput) ([]state.Message, error) // of ContextCustom; it must be pure
	// Count returns the tokens of a text; nil: a quarter of its bytes, rounded
	// up. Texts of messages, and names and arguments of tool calls are counted.
	Count func(string) int
}

// ContextInput is what an agent's context is made of.
type ContextInput struct {
	// Messages is the conversation. If the Turn has a Context, what is behind
	// its Until came after the handoff: of that the agent gets what people said,
	// what it said itself and the results of its tool calls.
	Messages []state.Message
	Turn     Turn
	Target   Profile
	Facts    Facts    // the state's fields, and "payload", which is never null; nil: there are none
	Why      string   // of ContextBrief, for people; "": the turn's reason
	Needs    []string // of ContextBrief: what the target must be able to; nil: its capabilities
}
