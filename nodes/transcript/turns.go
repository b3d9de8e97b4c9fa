package transcript

import (
	"slices"

	"github.com/graphrun/graphrun/state"
)

// The human messages that are made where a profile needs one and no brief is
// given.
const (
	opening = "Begin."
	goOn    = "Continue."
)

// addBrief puts the brief behind a result, or what was another agent's, that
// would be the last word.
func (w *work) addBrief(items []item) []item {
	if len(items) == 0 || blank(w.view.Brief) {
		return items
	}
	if last := items[len(items)-1]; last.msg.Role != state.RoleTool && !w.retold[last.at] {
		return items
	}
	return append(items, w.turn(BriefAdded, w.view.Brief))
}

// merge joins messages of one role in a row, if the provider does not take them.
func (w *work) merge(items []item) []item {
	out := make([]item, 0, len(items))
	for _, it := range items {
		last := len(out) - 1
		if last < 0 || w.p.RepeatRoles || it.msg.Role == state.RoleTool || out[last].msg.Role != it.msg.Role {
			out = append(out, it)
			continue
		}
		join(&out[last].msg, it.msg)
		if it.at >= 0 {
			w.tell(RolesMerged, it.at, "")
		}
	}
	for i := range out {
		w.reasoningFirst(&out[i])
	}
	return out
}

// join puts b behind a. Only b can have calls: behind a's there would be results.
func join(a *state.Message, b state.Message) {
	if a.Name != b.Name {
		a.Name = ""
	}
	a.Content = slices.Concat(a.Content, b.Content)
	a.ToolCalls = b.ToolCalls
}

// ends gives the conversation a first and a last message that the provider takes.
func (w *work) ends(items []item) []item {
	first := 0
	for first < len(items) && items[first].msg.Role == state.RoleSystem {
		first++
	}
	nobody := first == len(items)
	if len(items) == 0 || !w.p.AnyFirst && (nobody || items[first].msg.Role != state.RoleHuman) {
		text := opening
		if nobody {
			text = w.brief(opening)
		}
		items = slices.Insert(items, first, w.turn(TurnAdded, text))
	}
	last := items[len(items)-1].msg.Role
	if !w.p.AnyLast && (last == state.RoleAI || last == state.RoleSystem) {
		items = append(items, w.turn(TurnAdded, w.brief(goOn)))
	}
	return items
}

// turn makes a human message and tells of it.
func (w *work) turn(kind Kind, text string) item {
	w.tell(kind, -1, "")
	return item{state.Text(state.RoleHuman, text), -1}
}

// brief returns the brief, or what stands for it.
func (w *work) brief(other string) string {
	if blank(w.view.Brief) {
		return other
	}
	return w.view.Brief
}
