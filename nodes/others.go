package nodes

import (
	"slices"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

// Others says what an agent's model sees of the work of other agents in its
// team. The state keeps all of it.
type Others string

// What can be seen.
const (
	OthersDone    Others = ""        // all they said, called and got; but of those that the agent called, the result alone
	OthersAll     Others = "all"     // all they said, called and got
	OthersWork    Others = "work"    // all, but for handoffs
	OthersAnswers Others = "answers" // what they said without calling a tool
)

// seen is what the model sees of a conversation.
func (t *turn) seen(talk []state.Message) []state.Message {
	if t.seat == nil {
		return talk
	}
	return t.handoffs.Others.of(talk, t.agent())
}

// of takes out of a conversation what an agent is not to see of others. An answer
// that the agent has as the result of a handoff of its own is told as that alone,
// and with OthersAnswers so is all that was said for that result.
func (o Others) of(ms []state.Message, agent string) []state.Message {
	if o == OthersAll {
		return ms
	}
	v := newVoices(ms, agent)
	if o == OthersDone {
		return v.withoutWork()
	}
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
		case len(m.ToolCalls) == 0:
			if v.toldAgain(i) || o == OthersAnswers && v.within[i] {
				continue
			}
		default:
			if m = o.withoutCalls(m, v, drop); len(m.ToolCalls) == 0 && (o == OthersAnswers || isBlank(m.Text()) && !hasMedia(m)) {
				continue
			}
		}
		out = append(out, m)
	}
	return out
}

// withoutCalls takes the calls out of another agent's message that are not seen.
func (o Others) withoutCalls(m state.Message, v *voices, drop map[string]bool) state.Message {
	m.ToolCalls = slices.DeleteFunc(slices.Clone(m.ToolCalls), func(c state.ToolCall) bool {
		result, answered := v.results[c.ID]
		drop[c.ID] = o == OthersAnswers || !answered || v.ms[result].Name == handoffs.ToolName
		return drop[c.ID]
	})
	return m
}

// voices is a conversation as an agent hears it.
type voices struct {
	ms      []state.Message
	agent   string
	results map[string]int  // the places of results, by the ids of their calls
	asked   map[string]bool // the ids of the agent's calls
	own     map[string]bool // those of its handoffs that have a result
	within  []bool          // it was said between a handoff of the agent's and its result, and no person said anything
}

func newVoices(ms []state.Message, agent string) *voices {
	v := &voices{ms: ms, agent: agent, results: map[string]int{}, asked: map[string]bool{}, own: map[string]bool{}, within: make([]bool, len(ms))}
	for i := range ms {
		if ms[i].Role == state.RoleTool {
			v.results[ms[i].ToolCallID] = i
		}
	}
	for i := range ms {
		if ms[i].Role != state.RoleAI || ms[i].Name != agent {
			continue
		}
		for _, c := range ms[i].ToolCalls {
			v.asked[c.ID] = true
			if end := v.results[c.ID]; end > i && ms[end].Name == handoffs.ToolName {
				v.own[c.ID] = true
				v.mark(i, end)
			}
		}
	}
	return v
}

// mark notes what was said for a result.
func (v *voices) mark(call, result int) {
	between := v.ms[call:result]
	if slices.ContainsFunc(between, func(m state.Message) bool { return m.Role == state.RoleHuman }) {
		return
	}
	for i := range between {
		v.within[call+i] = true
	}
}

// withoutWork leaves out what was done for results of the agent's handoffs.
func (v *voices) withoutWork() []state.Message {
	work := func(i int) bool {
		m := &v.ms[i]
		return v.within[i] && (m.Role == state.RoleAI && m.Name != "" && m.Name != v.agent || m.Role == state.RoleTool && !v.asked[m.ToolCallID])
	}
	out := make([]state.Message, 0, len(v.ms))
	for i := range v.ms {
		if !work(i) {
			out = append(out, v.ms[i])
		}
	}
	return out
}

// toldAgain reports whether a text comes as the result of a handoff of the
// agent's before it, or a person, says something else.
func (v *voices) toldAgain(at int) bool {
	text := v.ms[at].Text()
	for i := at + 1; i < len(v.ms); i++ {
		m := &v.ms[i]
		switch {
		case m.Role == state.RoleTool && v.own[m.ToolCallID] && m.Text() == text:
			return true
		case m.Role == state.RoleHuman, m.Role == state.RoleAI && m.Name == v.agent:
			return false
		}
	}
	return false
}

// hasMedia reports whether a message says something without words.
func hasMedia(m state.Message) bool {
	for _, p := range m.Content {
		if p.Type != "text" && p.Type != transcript.TypeReasoning {
			return true
		}
	}
	return false
}
