package llmstub

import (
	"fmt"
	"slices"
	"strings"
)

// run are messages of one role that follow each other: the API makes them one.
type run struct {
	role   string
	first  int // the message it starts with
	blocks []placed
}

// placed is a block with its place.
type placed struct {
	block
	at string
}

func merged(messages []turn) []run {
	var runs []run
	for i, m := range messages {
		if len(runs) == 0 || runs[len(runs)-1].role != m.Role {
			runs = append(runs, run{role: m.Role, first: i})
		}
		last := &runs[len(runs)-1]
		for n, b := range m.Content {
			last.blocks = append(last.blocks, placed{b, fmt.Sprintf("messages.%d.content.%d", i, n)})
		}
	}
	return runs
}

// uses are the ids of the calls.
func (r run) uses() []string {
	var ids []string
	for _, b := range r.blocks {
		if b.Type == "tool_use" {
			ids = append(ids, b.ID)
		}
	}
	return ids
}

// refuseUses looks that each call has one result, first in the message behind it.
// There is at least one run.
func refuseUses(runs []run) *problem {
	seen := map[string]bool{}
	var before []string // calls of the run before
	for i, r := range runs {
		if why := refuseAnswers(r, before); why != nil {
			return why
		}
		if why := missing(runs[max(i-1, 0)].first, without(before, r)); why != nil {
			return why
		}
		before = r.uses()
		for _, id := range before {
			if seen[id] {
				return refused("messages.%d: `tool_use` ids must be unique: %s", r.first, id)
			}
			seen[id] = true
		}
	}
	return missing(runs[len(runs)-1].first, before)
}

// refuseAnswers looks at the results in a run; calls are those before it.
func refuseAnswers(r run, calls []string) *problem {
	seen := map[string]bool{}
	for _, b := range r.blocks {
		switch {
		case b.Type != "tool_result":
		case !slices.Contains(calls, b.ToolUseID):
			return refused("%s: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", b.at, b.ToolUseID)
		case seen[b.ToolUseID]:
			return refused("%s: each tool_use must have a single result. Found multiple `tool_result` blocks with id: %s", b.at, b.ToolUseID)
		default:
			seen[b.ToolUseID] = true
		}
	}
	return nil
}

// without are the calls that have no result at the start of the run.
func without(calls []string, r run) []string {
	answered := map[string]bool{}
	for _, b := range r.blocks {
		if b.Type != "tool_result" {
			break
		}
		answered[b.ToolUseID] = true
	}
	return slices.DeleteFunc(slices.Clone(calls), func(id string) bool { return answered[id] })
}

func missing(message int, ids []string) *problem {
	if len(ids) == 0 {
		return nil
	}
	return refused("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", message, strings.Join(ids, ", "))
}
