package plan

import (
	"encoding/json"
)

// object is a JSON Schema.
type object = map[string]any

// proposalSchema is the JSON Schema of a proposal to a request: it names the
// agents that there are.
func proposalSchema(r *Request, stream bool) json.RawMessage {
	var agents, capabilities []any
	seen := map[string]bool{}
	for i := range r.Agents {
		a := &r.Agents[i]
		if a.System {
			continue
		}
		agents = append(agents, a.ID)
		for _, c := range a.Capabilities {
			if !seen[c] {
				seen[c] = true
				capabilities = append(capabilities, c)
			}
		}
	}
	text := object{"type": "string"}
	step := object{
		"id": object{"type": "string", "minLength": 1}, "task": text,
		"input":      object{"type": "object"},
		"depends_on": object{"type": "array", "items": text},
		"accept":     shut(object{"if": text, "schema": object{"type": "object"}}),
		"retry":      shut(object{"max": object{"type": "integer", "maximum": 10}}),
		"timeout":    object{"type": "string", "description": "as 30s or 5m"},
	}
	if len(agents) > 0 {
		step["agent"] = object{"enum": agents}
	}
	if len(capabilities) > 0 {
		step["capability"] = object{"enum": capabilities}
	}
	one := shut(step)
	one["required"] = []any{"id", "task"}
	list := object{"type": "array", "items": text}
	all := object{
		"goal": text, "order": object{"enum": []any{string(Linear), string(Graph)}}, "steps": object{"type": "array", "items": one}, "answer": text,
		"ledger": shut(object{"facts": list, "lookup": list, "derive": list, "guesses": list}),
	}
	if stream {
		all["more"] = object{"type": "boolean"}
	}
	return encode(shut(all))
}

// shut is the schema of an object that has no other keys.
func shut(properties object) object {
	return object{"type": "object", "properties": properties, "additionalProperties": false}
}

// encode is a schema as JSON: it holds texts, bools, lists and maps only, which
// all have one. A nil result is refused by whoever reads it.
func encode(schema object) json.RawMessage {
	data, err := json.Marshal(schema)
	if err != nil {
		return nil
	}
	return data
}
