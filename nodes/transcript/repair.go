package transcript

import (
	"cmp"
	"fmt"
	"slices"
)

// Kind says what was repaired.
type Kind string

// The kinds of repairs.
const (
	OrphanCall       Kind = "orphan_call"       // a call had no result: one was made that says so
	OrphanResult     Kind = "orphan_result"     // a result without a call was left out
	DuplicateResult  Kind = "duplicate_result"  // a second result of a call was left out
	ResultMoved      Kind = "result_moved"      // a result was put behind its call
	IDChanged        Kind = "id_changed"        // a call, and its result, got another id
	ToolRenamed      Kind = "tool_renamed"      // a call's name was not one of a tool
	ArgsChanged      Kind = "args_changed"      // a call's arguments were not a JSON object
	ResultRenamed    Kind = "result_renamed"    // a result got the name of its call's tool
	RoleChanged      Kind = "role_changed"      // a message without a known role became a human's
	FieldsCleared    Kind = "fields_cleared"    // calls outside AI messages, or a call id outside results, were left out
	NameChanged      Kind = "name_changed"      // a message's name was left out or spelled otherwise
	SystemMoved      Kind = "system_moved"      // a system message was put in front
	RolesMerged      Kind = "roles_merged"      // a message was joined to the one before it
	EmptyDropped     Kind = "empty_dropped"     // an empty message was left out
	TextDropped      Kind = "text_dropped"      // an empty text was left out of a message
	PartReplaced     Kind = "part_replaced"     // a part that cannot be sent became a text that says so
	ReasoningDropped Kind = "reasoning_dropped" // a reasoning part was left out
	ReasoningMoved   Kind = "reasoning_moved"   // reasoning was put at its message's front
	AgentRetold      Kind = "agent_retold"      // what another agent said became a human message
	TurnAdded        Kind = "turn_added"        // a human message was made, so that one is first or last
	BriefAdded       Kind = "brief_added"       // the brief was put behind a last result
)

// Repair is one thing that a projection did to what it was made of.
type Repair struct {
	Kind    Kind
	Message int    // the message's index in the input; -1 for one that was made
	Call    string // the call's id in the input, where it is about a call; else empty
}

// String returns the repair as a short text.
func (r Repair) String() string {
	switch {
	case r.Message < 0:
		return string(r.Kind)
	case r.Call == "":
		return fmt.Sprintf("%s at message %d", r.Kind, r.Message)
	}
	return fmt.Sprintf("%s at message %d, call %q", r.Kind, r.Message, r.Call)
}

// sorted puts repairs in the order of their messages, those of made ones last.
func sorted(rs []Repair) []Repair {
	slices.SortStableFunc(rs, func(a, b Repair) int {
		return cmp.Compare(uint(a.Message), uint(b.Message))
	})
	return rs
}
