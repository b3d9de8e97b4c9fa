package wire

import (
	"slices"

	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

// Instruct tells a model in words which schema its answer must fit, in the
// system message in front, or in one of its own.
func Instruct(messages []state.Message, s *model.Schema) []state.Message {
	text := "Answer with one JSON value that fits this JSON Schema, and with nothing else:\n" + string(s.Schema)
	if len(messages) == 0 || messages[0].Role != state.RoleSystem {
		return slices.Insert(slices.Clone(messages), 0, state.Text(state.RoleSystem, text))
	}
	out := slices.Clone(messages)
	out[0].Content = append(slices.Clone(out[0].Content), state.Part{Type: "text", Text: text})
	return out
}
