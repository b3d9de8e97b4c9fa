package transcript_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

// TestCheckTellsEveryViolation shows what the strictest profile refuses, and
// that a profile which allows it does not.
func TestCheckTellsEveryViolation(t *testing.T) {
	t.Parallel()
	hi := human("Hi.")
	look := ai("", call("1", "look"))
	seen := by("look", result("1", "x"))
	picture := state.Part{Type: "image", URL: "https://example.org/a.png"}
	args := func(text string) state.Message {
		return ai("", state.ToolCall{ID: "1", Name: "look", Args: json.RawMessage(text)})
	}
	tests := map[string]struct {
		in   []state.Message
		want string
		ok   *transcript.Profile // takes it; nil: none does
	}{
		"nothing":               {nil, "message 0: there is no message", nil},
		"system alone":          {[]state.Message{system("a")}, "message 1: the last message, of role \"system\", asks for no answer\nmessage 1: there is no human message", transcript.OpenAI()},
		"system behind":         {[]state.Message{hi, system("a"), hi}, "message 1: a system message behind others", transcript.OpenAI()},
		"AI first":              {[]state.Message{ai("a"), hi}, "message 0: the first message is not a human's", transcript.OpenAI()},
		"AI last":               {[]state.Message{hi, ai("a")}, `message 2: the last message, of role "ai", asks for no answer`, transcript.OpenAI()},
		"humans":                {[]state.Message{hi, hi}, `message 1: role "human" twice in a row`, transcript.OpenAI()},
		"AIs":                   {[]state.Message{hi, ai("a"), ai("b"), hi}, `message 2: role "ai" twice in a row`, transcript.OpenAI()},
		"role":                  {[]state.Message{hi, {Role: "robot", Content: hi.Content}, ai("a"), hi}, `message 1: unknown role "robot"`, nil},
		"call":                  {[]state.Message{hi, look, hi}, `message 2: call "1" of "look" has no result before this`, nil},
		"call at the end":       {[]state.Message{hi, look}, "message 2: call \"1\" of \"look\" has no result before this\nmessage 2: the last message, of role \"ai\", asks for no answer", nil},
		"result":                {[]state.Message{hi, seen}, `message 1: a result of call "1", which is not open here`, nil},
		"result twice":          {[]state.Message{hi, look, seen, seen}, `message 3: a result of call "1", which is not open here`, nil},
		"result late":           {[]state.Message{hi, look, hi, seen}, "message 2: call \"1\" of \"look\" has no result before this\nmessage 3: a result of call \"1\", which is not open here", nil},
		"result's name":         {[]state.Message{hi, look, result("1", "x")}, `message 2: the result's name is ""; the tool is "look"`, transcript.OpenAI()},
		"id twice":              {[]state.Message{hi, look, seen, look, seen}, `message 3: call 0: the id "1" was used before`, transcript.Gemini()},
		"id no word":            {[]state.Message{hi, ai("", call("", "look")), by("look", result("", "x"))}, `message 1: call 0: the id "" is no word`, transcript.Gemini()},
		"id long":               {[]state.Message{hi, ai("", call(strings.Repeat("i", 41), "look")), by("look", result(strings.Repeat("i", 41), "x"))}, `has more than 40 letters`, transcript.Anthropic()},
		"tool's name":           {[]state.Message{hi, ai("", call("1", "a.b")), by("a.b", result("1", "x"))}, `message 1: call 0: "a.b" is no name of a tool`, transcript.Gemini()},
		"tool's name missing":   {[]state.Message{hi, ai("", call("1", "")), result("1", "x")}, `message 1: call 0: "" is no name of a tool`, nil},
		"tool's name long":      {[]state.Message{hi, ai("", call("1", strings.Repeat("n", 65))), by(strings.Repeat("n", 65), result("1", "x"))}, `is no name of a tool`, nil},
		"arguments":             {[]state.Message{hi, args(`[1]`), seen}, `message 1: call 0: the arguments are no JSON object`, nil},
		"arguments null":        {[]state.Message{hi, args(`null`), seen}, `message 1: call 0: the arguments are no JSON object`, nil},
		"name":                  {[]state.Message{by("Ann", hi)}, `message 0: a name, "Ann"`, transcript.OpenAI()},
		"empty":                 {[]state.Message{human("")}, "message 0: an empty message", transcript.OpenAI()},
		"empty text":            {[]state.Message{human(" ")}, "message 0: part 0 is an empty text", transcript.OpenAI()},
		"call id at a human's":  {[]state.Message{{Role: state.RoleHuman, Content: hi.Content, ToolCallID: "1"}}, "message 0: a call id outside a result", nil},
		"calls at a human's":    {[]state.Message{{Role: state.RoleHuman, Content: hi.Content, ToolCalls: look.ToolCalls}}, "message 0: calls outside an AI message", nil},
		"picture of the AI":     {[]state.Message{hi, with(picture, ai("a")), hi}, `message 1: part 0, of type "image", in a message of role "ai"`, transcript.Gemini()},
		"picture as result":     {[]state.Message{hi, look, with(picture, seen)}, `message 2: part 0, of type "image", in a message of role "tool"`, transcript.Anthropic()},
		"picture of the system": {[]state.Message{with(picture, system("a")), hi}, `message 0: part 0, of type "image", in a message of role "system"`, nil},
		"picture of nothing":    {[]state.Message{with(state.Part{Type: "image", Data: []byte("d")}, hi)}, `message 0: part 0, of type "image", has nothing to show`, nil},
		"part of no type":       {[]state.Message{with(state.Part{URL: "u"}, hi)}, `message 0: part 0, of type "", has nothing to show`, nil},
		"reasoning":             {[]state.Message{hi, with(signed("anthropic"), look), seen}, "message 1: reasoning in part 0 is not signed by the provider", transcript.Anthropic()},
		"reasoning alone":       {[]state.Message{hi, with(signed("anthropic"), ai("a")), hi}, "message 1: reasoning in part 0 is not signed by the provider\nmessage 1: reasoning in part 0 stands beside no call", nil},
		"reasoning behind": {[]state.Message{hi, with(hi.Content[0], with(signed("anthropic"), look)), seen},
			"message 1: reasoning in part 1 is not at the front\nmessage 1: reasoning in part 1 is not signed by the provider", nil},
	}
	for name, test := range tests {
		err := transcript.Check(test.in, nil)
		require.ErrorIs(t, err, transcript.ErrInvalid, name)
		if strings.HasPrefix(test.want, "message") {
			require.EqualError(t, err, test.want, name)
		} else {
			require.ErrorContains(t, err, test.want, name)
		}
		var v *transcript.Violation
		require.True(t, errors.As(err, &v), name)
		if test.ok != nil {
			require.NoError(t, transcript.Check(test.in, test.ok), name)
			continue
		}
		for profile, p := range profiles() {
			require.Error(t, transcript.Check(test.in, p), "%s for %s", name, profile)
		}
	}
	require.NoError(t, transcript.Check([]state.Message{system("a"), hi, look, seen, hi, args(""), seen}[:5], nil))
}

func TestNamesThatAreNoWordsAreRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"two words", "ü", strings.Repeat("n", 65)} {
		require.ErrorContains(t, transcript.Check([]state.Message{by(name, human("Hi."))}, transcript.OpenAI()), "is no word", name)
	}
}
