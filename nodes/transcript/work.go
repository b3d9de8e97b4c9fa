package transcript

import (
	"slices"

	"github.com/graphrun/graphrun/state"
)

// work is one projection being made.
type work struct {
	view    View
	p       *Profile
	msgs    []state.Message // as in the input, changed one by one
	result  []int           // for each result: the place of its call in the message with it
	replies [][]int         // for each message: the messages that answer its calls, in order
	gone    []bool          // messages that are left out
	retold  []bool          // human messages that were another agent's
	repairs []Repair
}

// item is a message on its way into the projection.
type item struct {
	msg state.Message
	at  int // index in the input; -1: made
}

func newWork(v View, p *Profile, messages []state.Message) *work {
	return &work{
		view: v, p: p, msgs: slices.Clone(messages),
		result:  make([]int, len(messages)),
		replies: make([][]int, len(messages)),
		gone:    make([]bool, len(messages)),
		retold:  make([]bool, len(messages)),
	}
}

func (w *work) tell(kind Kind, message int, call string) {
	w.repairs = append(w.repairs, Repair{Kind: kind, Message: message, Call: call})
}

// clean gives each message a known role and takes away what that role has not.
func (w *work) clean() {
	for i := range w.msgs {
		m := &w.msgs[i]
		switch m.Role {
		case state.RoleHuman, state.RoleAI, state.RoleSystem, state.RoleTool:
		default:
			m.Role = state.RoleHuman
			w.tell(RoleChanged, i, "")
		}
		calls := m.Role != state.RoleAI && len(m.ToolCalls) > 0
		answers := m.Role != state.RoleTool && m.ToolCallID != ""
		if calls {
			m.ToolCalls = nil
		}
		if answers {
			m.ToolCallID = ""
		}
		if calls || answers {
			w.tell(FieldsCleared, i, "")
		}
	}
}
