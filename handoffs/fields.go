package handoffs

import (
	"github.com/graphrun/graphrun/state"
)

// State is the part of a graph's state that handoffs need: embed it in the
// state's struct and give the result of FieldsOf to the schema.
type State struct {
	state.Conversation             // the messages, and the id of the active agent
	Handoffs           Desk        `json:"handoffs"`
	HandoffLog         []Entry     `json:"handoff_log"`
	ToolExecutions     []Execution `json:"tool_executions"`
	Turn               Turn        `json:"turn"` // what an agent's task is told; not stored
}

// Fields holds the handles of a State. It is itself an argument of
// state.NewSchema. It is immutable and safe for concurrent use.
type Fields[S any] struct {
	state.Field[S]
	Messages   *state.Messages[S]
	Active     *state.Value[S, string]
	Desk       *state.Value[S, Desk]
	Log        *state.List[S, Entry]
	Executions *state.List[S, Execution]
	Turn       *state.Local[S, Turn]

	ref func(*S) *State
}

// FieldsOf makes the handles of the State that ref returns. Their names are
// "messages", "active_agent", "handoffs", "handoff_log", "tool_executions" and
// "turn".
func FieldsOf[S any](ref func(*S) *State) *Fields[S] {
	talk := state.ConversationFields(func(s *S) *state.Conversation { return &ref(s).Conversation })
	f := &Fields[S]{
		Messages:   talk.Messages,
		Active:     talk.Active,
		Desk:       state.NewValue("handoffs", func(s *S) *Desk { return &ref(s).Handoffs }),
		Log:        state.NewList("handoff_log", func(s *S) *[]Entry { return &ref(s).HandoffLog }),
		Executions: state.NewList("tool_executions", func(s *S) *[]Execution { return &ref(s).ToolExecutions }),
		Turn:       state.NewLocal("turn", func(s *S) *Turn { return &ref(s).Turn }),
		ref:        ref,
	}
	f.Field = state.Group[S](talk, f.Desk, f.Log, f.Executions, f.Turn)
	return f
}

// Binding reads and writes what handoffs keep in a graph's state. Fields is
// one for states that are structs, Records one for those of graph files.
type Binding[S any] interface {
	// Look returns what the state holds. Executions that the desk has looked
	// at may be left empty, save for the last one's ID.
	Look(s *S) (Sight, error)
	// Write makes the writes of a step of the manager.
	Write(u *Update) ([]state.Write[S], error)
	// Lay makes the write that tells a task about its turn.
	Lay(t *Turn) (state.Write[S], error)
	// Facts are the state's fields by name, for guards and rules; nil: none.
	Facts(s *S) Facts
}

// Sight is what a state holds of handoffs. It must not be changed.
type Sight struct {
	Desk       *Desk
	Log        Log
	Executions []Execution
	Messages   []state.Message
	Turn       Turn
}

// Update is what a step of the manager changes in the state.
type Update struct {
	Desk       *Desk  // nil: as it was
	Active     string // "": as it was
	Entries    []Entry
	Executions []Execution
	Messages   []state.Message
}

// Look returns what the state holds.
func (f *Fields[S]) Look(s *S) (Sight, error) {
	st := f.ref(s)
	return Sight{Desk: &st.Handoffs, Log: LogOf(st.HandoffLog), Executions: st.ToolExecutions, Messages: st.Messages, Turn: st.Turn}, nil
}

// Write makes the writes of an update.
func (f *Fields[S]) Write(u *Update) ([]state.Write[S], error) {
	ws := make([]state.Write[S], 0, 5)
	if u.Desk != nil {
		ws = append(ws, f.Desk.Set(*u.Desk))
	}
	if u.Active != "" {
		ws = append(ws, f.Active.Set(u.Active))
	}
	if len(u.Entries) > 0 {
		ws = append(ws, f.Log.Append(u.Entries...))
	}
	if len(u.Executions) > 0 {
		ws = append(ws, f.Executions.Append(u.Executions...))
	}
	if len(u.Messages) > 0 {
		ws = append(ws, f.Messages.Add(u.Messages...))
	}
	return ws, nil
}

// Lay makes the write that tells a task about its turn.
func (f *Fields[S]) Lay(t *Turn) (state.Write[S], error) { return f.Turn.Set(*t), nil }

// Facts returns nil: guards of typed states are functions that close over
// what they need. TeamConfig.Facts gives them names.
func (f *Fields[S]) Facts(*S) Facts { return nil }
