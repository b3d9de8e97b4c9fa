package graphfile_test

import (
	"regexp"

	"github.com/graphrun/graphrun/graph"
)

var (
	ids   = regexp.MustCompile(`[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|ids:[0-9a-f]{32}|[0-9a-f]{32}`)
	times = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
)

// teamSessions are what is done with the files of testdata/teams; those that
// are not here are run once, without input.
func teamSessions() map[string][]op {
	approve := func(asks []graph.Question) map[string]any {
		out := map[string]any{}
		for i := len(asks) - 1; i >= 0; i-- {
			out[asks[i].ID] = "approve"
		}
		return out
	}
	edited := map[string]any{"decision": "edit", "payload": map[string]any{"version": 4}}
	return map[string][]op{
		"x06-switch":   {{input: "{}"}, {choose: "rag"}, {choose: "vault"}, {choose: "nobody"}, {choose: "rag"}, {input: "{}"}},
		"x09-clarify":  {{input: "{}"}, {answer: "Smith"}},
		"x24-approval": {{input: "{}"}, {answer: "approve"}},
		"x24-edit":     {{input: "{}"}, {answer: edited}, {answer: "reject"}, {answer: map[string]any{"decision": "redirect", "target": "c"}}},
		"x53-two":      {{input: "{}"}, {byID: approve}},
	}
}
