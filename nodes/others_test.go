package nodes

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// voicesOf makes a conversation of words: "h" a human's message, "a:x" that a
// says x, "a>1" that a calls a tool by the id 1, "a:x>1+2" both, "1=x" the result
// of a tool and "1!x" that of a handoff.
func voicesOf(line string) (ms []state.Message) {
	for word := range strings.FieldsSeq(line) {
		if id, text, ok := strings.Cut(word, "="); ok {
			m := state.Text(state.RoleTool, text)
			m.ToolCallID, m.Name = id, "look"
			ms = append(ms, m)
			continue
		}
		if id, text, ok := strings.Cut(word, "!"); ok {
			m := state.Text(state.RoleTool, text)
			m.ToolCallID, m.Name = id, handoffs.ToolName
			ms = append(ms, m)
			continue
		}
		if word == "h" {
			ms = append(ms, state.Text(state.RoleHuman, "h"))
			continue
		}
		said, calls, _ := strings.Cut(word, ">")
		name, text, _ := strings.Cut(said, ":")
		m := state.Text(state.RoleAI, text)
		m.Name = name
		for id := range strings.SplitSeq(calls, "+") {
			if id != "" {
				m.ToolCalls = append(m.ToolCalls, state.ToolCall{ID: id, Name: "t"})
			}
		}
		ms = append(ms, m)
	}
	return ms
}

// wordsOfVoices is the other way around.
func wordsOfVoices(ms []state.Message) string {
	var words []string
	for _, m := range ms {
		var ids []string
		for _, c := range m.ToolCalls {
			ids = append(ids, c.ID)
		}
		word := m.Name
		switch {
		case m.Role == state.RoleHuman:
			word = "h"
		case m.Role == state.RoleTool && m.Name == handoffs.ToolName:
			word = m.ToolCallID + "!" + m.Text()
		case m.Role == state.RoleTool:
			word = m.ToolCallID + "=" + m.Text()
		case m.Text() != "":
			word += ":" + m.Text()
		}
		if ids != nil {
			word += ">" + strings.Join(ids, "+")
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func TestWhatAnAgentSeesOfOthers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ talk, work, answers string }{
		"nobody else":              {"h me>1 1=x me:y", "h me>1 1=x me:y", "h me>1 1=x me:y"},
		"tools of another":         {"h a>1 1=x a:y", "h a>1 1=x a:y", "h a:y"},
		"handoff of another":       {"h a:so>1 1!x b:y", "h a:so b:y", "h b:y"},
		"both in one message":      {"h a>1+2 1=x 2!y b:z", "h a>1 1=x b:z", "h b:z"},
		"open calls":               {"h a>1+2 1=x", "h a>1 1=x", "h"},
		"result of an own handoff": {"h me>1 a:y 1!y me:z", "h me>1 1!y me:z", "h me>1 1!y me:z"},
		"work for an own handoff":  {"h me>1 a>2 2=x a:y 1!y", "h me>1 a>2 2=x 1!y", "h me>1 1!y"},
		"a worker's worker":        {"h me>1 a>2 b:x 2!x a:y 1!y", "h me>1 b:x 1!y", "h me>1 1!y"},
		"a person in between":      {"h me>1 a:q h a:y 1!y", "h me>1 a:q h 1!y", "h me>1 a:q h 1!y"},
		"another's result":         {"h a>1 b:y 1!y", "h b:y", "h b:y"},
		"an own tool says so":      {"h me>1 1=y a:y", "h me>1 1=y a:y", "h me>1 1=y a:y"},
		"said once more":           {"h a:y me>1 1!y", "h a:y me>1 1!y", "h a:y me>1 1!y"},
		"two side by side":         {"h me>1+2 a:x b:y 1!x 2!y", "h me>1+2 1!x 2!y", "h me>1+2 1!x 2!y"},
	} {
		talk := voicesOf(c.talk)
		require.Equal(t, c.talk, wordsOfVoices(OthersAll.of(talk, "me")), name)
		require.Equal(t, c.work, wordsOfVoices(OthersWork.of(talk, "me")), name)
		require.Equal(t, c.answers, wordsOfVoices(OthersAnswers.of(talk, "me")), name)
		require.Equal(t, c.talk, wordsOfVoices(talk), "%s: the conversation has changed", name)
		for _, o := range []Others{OthersWork, OthersAnswers} {
			once := o.of(talk, "me")
			require.Equal(t, wordsOfVoices(once), wordsOfVoices(o.of(once, "me")), name)
		}
	}
}
