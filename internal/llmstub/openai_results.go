package llmstub

import (
	"fmt"
	"slices"
	"strings"
)

// refuseResults looks that each call is followed by its one result.
func (b *openaiBody) refuseResults() *problem {
	var open, closed []string // calls of the last assistant without and with a result
	inRun := false            // only results since that assistant
	for i, m := range b.Messages {
		at := fmt.Sprintf("messages.[%d].role", i)
		if m.Role == "tool" {
			if why := m.refuseResult(i, inRun, open, closed); why != nil {
				return why
			}
			open = slices.DeleteFunc(open, func(id string) bool { return id == m.CallID })
			closed = append(closed, m.CallID)
			continue
		}
		if why := unanswered(open, at); why != nil {
			return why
		}
		open, closed, inRun = nil, nil, len(m.Calls) > 0
		for _, c := range m.Calls {
			if slices.Contains(open, c.ID) {
				return &problem{text: fmt.Sprintf("Duplicate value for 'tool_call_id' of '%s' in 'tool_calls'.", c.ID), param: at}
			}
			open = append(open, c.ID)
		}
	}
	return unanswered(open, "messages")
}

func (m *openaiMessage) refuseResult(i int, inRun bool, open, closed []string) *problem {
	switch at := fmt.Sprintf("messages.[%d]", i); {
	case !inRun:
		return &problem{text: "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.", param: at + ".role"}
	case m.CallID == "":
		return &problem{text: "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.", param: at + ".tool_call_id"}
	case slices.Contains(closed, m.CallID):
		return &problem{text: fmt.Sprintf("Duplicate value for 'tool_call_id' of '%s' in message[%d].", m.CallID, i), param: at + ".tool_call_id"}
	case !slices.Contains(open, m.CallID):
		return &problem{text: fmt.Sprintf("Invalid parameter: 'tool_call_id' of '%s' not found in 'tool_calls' of previous message.", m.CallID), param: at + ".tool_call_id"}
	}
	return nil
}

func unanswered(open []string, param string) *problem {
	if len(open) == 0 {
		return nil
	}
	return &problem{text: "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: " + strings.Join(open, ", "), param: param}
}
