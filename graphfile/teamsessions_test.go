package graphfile_test

import "regexp"

var (
	ids   = regexp.MustCompile(`[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|ids:[0-9a-f]{32}|[0-9a-f]{32}`)
	times = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
)

// teamSessions are what is done with the files of testdata/teams; those that
// are not here are run once, without input.
func teamSessions() map[string][]op {
	return map[string][]op{
		"beside":  {{input: "{}"}, {input: "{}"}},
		"switch":  {{input: "{}"}, {choose: "rag"}, {choose: "vault"}, {choose: "nobody"}, {choose: "rag"}, {input: "{}"}},
		"clarify": {{input: "{}"}, {answer: "Smith"}},
	}
}
