package nodes

import (
	"slices"
	"strings"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// Others says what an agent's model sees of the work of other agents in its
// team. The state keeps all of it.
type Others string

// What can be seen.
const (
	OthersAll     Others = ""        // all they said, called and got
	OthersWork    Others = "work"    // that, but for handoffs
	OthersAnswers Others = "answers" // what they said without calling a tool
)

// seen is what the model sees of a conversation.
func (t *turn) seen(talk []state.Message) []state.Message {
	if t.seat == nil || t.handoffs.Others == OthersAll {
		return talk
	}
	return t.handoffs.Others.of(talk, t.agent())
}

// of takes out of a conversation what an agent is not to see of others. An answer
// that the agent has as the result of a call of its own is told as that alone.
func (o Others) of(ms []state.Message, agent string) []state.Message {
	if o == OthersAll {
		return ms
	}
	results, callers := resultsOf(ms)
	drop := map[string]bool{} // calls whose results are left out
	out := make([]state.Message, 0, len(ms))
	for i := range ms {
		m := ms[i]
		switch {
		case m.Role == state.RoleTool:
			if drop[m.ToolCallID] {
				continue
			}
		case m.Role != state.RoleAI || m.Name == "" || m.Name == agent:
			for _, c := range m.ToolCalls {
				delete(drop, c.ID)
			}
		case len(m.ToolCalls) == 0:
			if toldAgain(ms[i+1:], m.Text(), agent, callers) {
				continue
			}
		default:
			var ok bool
			if m, ok = o.withoutCalls(m, results, drop); !ok {
				continue
			}
		}
		out = append(out, m)
	}
	return out
}

// withoutCalls takes the calls out of another agent's message that are not seen;
// false: the message is not.
func (o Others) withoutCalls(m state.Message, results map[string]string, drop map[string]bool) (state.Message, bool) {
	calls := m.ToolCalls
	m.ToolCalls = slices.DeleteFunc(slices.Clone(calls), func(c state.ToolCall) bool {
		tool, answered := results[c.ID]
		return o == OthersAnswers || !answered || tool == handoffs.ToolName
	})
	for _, c := range calls {
		drop[c.ID] = !slices.ContainsFunc(m.ToolCalls, func(k state.ToolCall) bool { return k.ID == c.ID })
	}
	if o == OthersAnswers {
		return m, false
	}
	return m, len(m.ToolCalls) > 0 || strings.TrimSpace(m.Text()) != "" || hasMedia(m)
}

// resultsOf tells by the ids of calls which names their results have, and who
// made them.
func resultsOf(ms []state.Message) (names, callers map[string]string) {
	names, callers = map[string]string{}, map[string]string{}
	for i := range ms {
		m := &ms[i]
		if m.Role == state.RoleTool {
			names[m.ToolCallID] = m.Name
		}
		for _, c := range m.ToolCalls {
			callers[c.ID] = m.Name
		}
	}
	return names, callers
}

// toldAgain reports whether a text comes as the result of a handoff of the
// agent's before it, or a person, says something else.
func toldAgain(behind []state.Message, text, agent string, callers map[string]string) bool {
	for i := range behind {
		m := &behind[i]
		switch {
		case m.Role == state.RoleTool && m.Name == handoffs.ToolName && callers[m.ToolCallID] == agent && m.Text() == text:
			return true
		case m.Role == state.RoleHuman, m.Role == state.RoleAI && m.Name == agent:
			return false
		}
	}
	return false
}
