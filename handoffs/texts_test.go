package handoffs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryCodeHasAText(t *testing.T) {
	t.Parallel()
	codes := constantsOf(t, "check.go", "Code")
	require.Greater(t, len(codes), 40)
	seen := map[string]string{}
	for _, code := range codes {
		text, ok := defaultTexts[Code(code)]
		require.True(t, ok, "the code %q has no text", code)
		got := (*Policy)(nil).text(Code(code), "source", "a", "target", "b")
		require.NotContains(t, got, "{", code)
		all := (*Policy)(nil).text(Code(code), "source", "a", "target", "b", "value", "V", "limit", "L", "capability", "C", "reason", "R")
		require.NotContains(t, all, "{", code)
		if text.full != "" {
			require.NotEqual(t, got, all, code)
		}
		require.Empty(t, seen[got], "%s says the same as %s", code, seen[got])
		seen[got] = code
	}
	require.Len(t, defaultTexts, len(codes))
}

func TestTextsOfAPolicy(t *testing.T) {
	t.Parallel()
	p := &Policy{Texts: Texts{
		CodeNotFound: "Unknown agent: {target} ({code}) {nobody} {target",
		CodeSelf:     "{source}{target}{{target}}",
		CodeEdge:     "",
		"own":        "{value}",
	}}
	for _, test := range []struct {
		code Code
		vars []string
		want string
	}{
		{CodeNotFound, []string{"target", "x"}, "Unknown agent: x (not_found) {nobody} {target"},
		{CodeNotFound, nil, "Unknown agent: {target} (not_found) {nobody} {target"},
		{CodeSelf, []string{"source", "{target}", "target", "b"}, "{target}b{b}"},
		{CodeEdge, nil, ""},
		{"own", []string{"value"}, "{value}"},
		{"other", nil, "The handoff was not carried out (other)."},
		{CodeNoProvider, []string{"capability", "quantum"}, "No agent has the capability quantum. Do it yourself, or ask the user."},
		{CodeNoProvider, []string{"capability", ""}, "No agent can do what is needed. Do it yourself, or ask the user."},
		{CodeSyntax, []string{"code", "mine", "value", strings.Repeat("{value}", 2)}, "The handoff command cannot be read: {value}{value}. Correct it and try again."},
	} {
		require.Equal(t, test.want, p.text(test.code, test.vars...))
	}
}
