package transcript

import (
	"cmp"

	"github.com/graphrun/graphrun/state"
)

const interrupted = "The call was interrupted: there is no result."

// lay puts the messages in order: the system's where they may be, results
// behind their calls.
func (w *work) lay() []item {
	var front []item
	rest := make([]item, 0, len(w.msgs))
	for i, m := range w.msgs {
		switch {
		case w.gone[i] || m.Role == state.RoleTool: // results come with their calls
		case m.Role == state.RoleSystem && !w.p.SystemAnywhere:
			if len(rest) > 0 {
				w.tell(SystemMoved, i, "")
			}
			front = append(front, item{m, i})
		default:
			rest = append(rest, item{m, i})
			rest = w.layResults(rest, i)
		}
	}
	return append(front, rest...)
}

// layResults puts the results of message i behind it, with one made for each
// call that has none.
func (w *work) layResults(items []item, i int) []item {
	m := &w.msgs[i]
	next := i + 1
	for _, r := range w.replies[i] {
		for next < r && w.gone[next] {
			next++
		}
		if next != r {
			w.tell(ResultMoved, r, m.ToolCalls[w.result[r]].ID)
		}
		next = r + 1
		items = append(items, item{w.msgs[r], r})
	}
	if len(w.replies[i]) == len(m.ToolCalls) {
		return items
	}
	has := make([]bool, len(m.ToolCalls))
	for _, r := range w.replies[i] {
		has[w.result[r]] = true
	}
	for k, c := range m.ToolCalls {
		if !has[k] {
			w.tell(OrphanCall, i, c.ID)
			items = append(items, item{w.interrupted(c), i})
		}
	}
	return items
}

// interrupted returns a result for a call that has none.
func (w *work) interrupted(c state.ToolCall) state.Message {
	text := w.view.Interrupted
	if blank(text) {
		text = ""
	}
	m := state.Text(state.RoleTool, cmp.Or(text, interrupted))
	m.Name, m.ToolCallID, m.Status = c.Name, c.ID, "error"
	return m
}
