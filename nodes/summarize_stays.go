package nodes

import (
	"github.com/graphrun/graphrun/state"
)

func isSummary(m *state.Message) bool { return m.Role == state.RoleSystem && m.Name == summaryName }

// staying tells which messages a summary does not take the place of. The last
// ones are counted, and what belongs to them stays with them.
func staying(ms []state.Message, last int) []bool {
	stays := make([]bool, len(ms))
	front := true
	human := -1
	for i := range ms {
		front = front && ms[i].Role == state.RoleSystem
		stays[i] = front && !isSummary(&ms[i]) || i >= len(ms)-last && !isSummary(&ms[i])
		if ms[i].Role == state.RoleHuman && !isBlank(ms[i].Text()) {
			human = i
		}
	}
	if human >= 0 {
		stays[human] = true
	}
	for _, group := range callGroups(ms) {
		keep := group.open
		for _, i := range group.messages {
			keep = keep || stays[i]
		}
		for _, i := range group.messages {
			stays[i] = keep
		}
	}
	return stays
}

// callGroup is a message with calls and the results of them.
type callGroup struct {
	messages []int
	open     bool // a call has no result yet
}

// callGroups finds what must not be parted. A result is that of the oldest call
// before it with its id that has none.
func callGroups(ms []state.Message) []*callGroup {
	var groups []*callGroup
	open := map[string][]*callGroup{} // by the ids of calls
	for i := range ms {
		if ms[i].Role == state.RoleTool {
			id := ms[i].ToolCallID
			if waiting := open[id]; len(waiting) > 0 {
				waiting[0].messages = append(waiting[0].messages, i)
				open[id] = waiting[1:]
			}
		}
		if len(ms[i].ToolCalls) == 0 {
			continue
		}
		g := &callGroup{messages: []int{i}}
		groups = append(groups, g)
		for _, c := range ms[i].ToolCalls {
			open[c.ID] = append(open[c.ID], g)
		}
	}
	for _, waiting := range open {
		for _, g := range waiting {
			g.open = true
		}
	}
	return groups
}
