package wire

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

// Check says what of a request cannot be put into a provider's form. Beside
// human messages those of the roles in media may have parts that are no text.
func (p *Peer) Check(r *model.Request, media ...state.Role) error {
	if _, named := r.Choice.Named(); len(r.Tools) == 0 && (named || r.Choice == model.ChoiceRequired) {
		return p.Error(model.Invalid, "the request asks for a tool call and has no tools")
	}
	media = append(media, state.RoleHuman)
	for i := range r.Messages {
		if err := p.message(i, &r.Messages[i], media); err != nil {
			return err
		}
	}
	return nil
}

func (p *Peer) message(i int, m *state.Message, media []state.Role) error {
	switch m.Role {
	case state.RoleHuman, state.RoleAI, state.RoleTool, state.RoleSystem:
	default:
		return p.Error(model.Invalid, "message %d has the role %q, which no provider knows", i, m.Role)
	}
	for _, part := range m.Content {
		if part.Type != "text" && part.Type != transcript.TypeReasoning && !slices.Contains(media, m.Role) {
			return p.Error(model.Unsupported, "message %d, of role %q, has a part of type %q, which cannot be sent in it", i, m.Role, part.Type)
		}
	}
	return nil
}

// Object reads a schema of an object. What providers want in it and what it may
// leave out is filled in; of no schema it is that of any object.
func Object(schema json.RawMessage) (map[string]any, bool) {
	out := map[string]any{"type": "object", "properties": json.RawMessage("{}")}
	if len(schema) == 0 {
		return out, true
	}
	fields, ok := Fields(schema)
	maps.Copy(out, fields)
	return out, ok
}

// Fields reads a JSON object without touching what is inside.
func Fields(object json.RawMessage) (map[string]any, bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil || fields == nil {
		return nil, false
	}
	return Any(fields), true
}
