package handoffs

import "github.com/graphrun/graphrun/state"

// pairMessages returns a conversation in which every tool call has its result
// right behind it, and the place that each message had; nil places: the
// conversation is as it was.
func pairMessages(ms []state.Message) (out []state.Message, at []int) {
	if _, ok := paired(ms); ok {
		return ms, nil
	}
	answers := answersOf(ms)
	for i := range ms {
		m := ms[i]
		if m.Role == state.RoleTool {
			continue // it comes behind its call
		}
		calls := m.ToolCalls
		m.ToolCalls = nil
		for k, answer := range answers[i] {
			if answer >= 0 {
				m.ToolCalls = append(m.ToolCalls, calls[k])
			}
		}
		if len(calls) > 0 && m.ToolCalls == nil && len(m.Content) == 0 {
			continue
		}
		out, at = append(out, m), append(at, i)
		for _, answer := range answers[i] {
			if answer >= 0 {
				out, at = append(out, ms[answer]), append(at, answer)
			}
		}
	}
	return out, at
}

// paired reports whether every tool call has its result right behind it, in
// the order of the calls, and every result its call; then it also tells the size
// of the messages, so that they are gone through once.
func paired(ms []state.Message) (size int, ok bool) {
	for i := 0; i < len(ms); i++ {
		m := &ms[i]
		size += messageBytes(m)
		if m.Role == state.RoleTool || len(m.ToolCalls) > 0 && (m.Role != state.RoleAI || len(ms)-i <= len(m.ToolCalls)) {
			return 0, false
		}
		for k := range m.ToolCalls {
			i++
			size += messageBytes(&ms[i])
			if ms[i].Role != state.RoleTool || ms[i].ToolCallID != m.ToolCalls[k].ID {
				return 0, false
			}
		}
	}
	return size, true
}

// openCalls are the calls of one message with one id that wait for results.
type openCalls struct {
	message int
	calls   []int
}

// answersOf returns for each message with tool calls the places of their
// results, -1 for calls without one. Some providers use an id again: a result
// answers the newest message that waits for one of its id, and there the first
// such call.
func answersOf(ms []state.Message) map[int][]int {
	answers := map[int][]int{}
	open := map[string][]openCalls{}
	for i := range ms {
		switch m := &ms[i]; m.Role {
		case state.RoleAI:
			for k, c := range m.ToolCalls {
				answers[i] = append(answers[i], -1)
				of := open[c.ID]
				if n := len(of); n > 0 && of[n-1].message == i {
					of[n-1].calls = append(of[n-1].calls, k)
					continue
				}
				open[c.ID] = append(of, openCalls{i, []int{k}})
			}
		case state.RoleTool:
			of := open[m.ToolCallID]
			if len(of) == 0 {
				continue
			}
			newest := &of[len(of)-1]
			answers[newest.message][newest.calls[0]] = i
			if newest.calls = newest.calls[1:]; len(newest.calls) == 0 {
				open[m.ToolCallID] = of[:len(of)-1]
			}
		}
	}
	return answers
}

// unitsOf parts a paired conversation into what must stay together. At are the
// places of its messages; nil: from 0 on.
func unitsOf(ms []state.Message, at []int) []contextUnit {
	units := make([]contextUnit, 0, len(ms))
	for i := 0; i < len(ms); {
		end := i + 1 + len(ms[i].ToolCalls)
		u := contextUnit{messages: ms[i:end:end], from: i}
		if at != nil {
			u.from = at[i]
		}
		units = append(units, u)
		i = end
	}
	return units
}

// ownMessages returns what people and the agent said, and the results of the
// agent's tool calls, paired, with their places: ms begins at offset.
func ownMessages(ms []state.Message, offset int, agent string) ([]state.Message, []int) {
	var own []state.Message
	var places []int
	for i := range ms {
		if m := &ms[i]; m.Role == state.RoleAI && m.Name != agent && m.Name != "" || m.Role == state.RoleSystem {
			continue
		}
		own, places = append(own, ms[i]), append(places, offset+i)
	}
	out, at := pairMessages(own)
	if at == nil {
		return out, places
	}
	for i := range at {
		at[i] = places[at[i]]
	}
	return out, at
}
