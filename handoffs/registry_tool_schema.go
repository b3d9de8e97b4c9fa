package handoffs

import (
	"encoding/json"
	"slices"
)

// toolSchema is the JSON Schema of a tool's arguments. Its properties are those
// of a Command, in the order in which a model should think of them.
type toolSchema struct {
	Type       string         `json:"type"`
	Properties toolProperties `json:"properties"`
	Required   []string       `json:"required"`
	More       bool           `json:"additionalProperties"`
}

type toolProperties struct {
	Target        *toolProperty `json:"targetAgentId,omitempty"`
	Reason        *toolProperty `json:"reason,omitempty"`
	Explanation   *toolProperty `json:"explanation,omitempty"`
	Task          *toolProperty `json:"task,omitempty"`
	Intent        *toolProperty `json:"userIntent,omitempty"`
	Payload       *toolProperty `json:"payload,omitempty"`
	Needs         *toolProperty `json:"requiredCapabilities,omitempty"`
	ReturnControl *toolProperty `json:"returnControl,omitempty"`
	Priority      *toolProperty `json:"priority,omitempty"`
}

type toolProperty struct {
	Type        string        `json:"type"`
	Description string        `json:"description,omitempty"`
	MinLength   int           `json:"minLength,omitempty"`
	Enum        []any         `json:"enum,omitempty"`
	Items       *toolProperty `json:"items,omitempty"`
}

// toolSchemaOf makes the schema of the tool by which an agent takes one of ways.
func toolSchemaOf(p *Policy, from string, ways []openWay) json.RawMessage {
	s := toolSchema{Type: "object", Required: []string{"targetAgentId", "explanation", "task"}}
	s.Properties = toolProperties{
		Target:      &toolProperty{Type: "string", Description: "The id of the agent that is to do it."},
		Explanation: textProperty("Why you hand it off, for people."),
		Task:        textProperty("What the agent is to do, in full."),
		Intent:      &toolProperty{Type: "string", Description: "What the user wants in the end."},
		Payload:     &toolProperty{Type: "object", Description: "Facts that the agent needs for it, by key."},
		Priority:    &toolProperty{Type: "string", Description: "How urgent it is; normal if left out.", Enum: []any{Urgent, High, Normal, Low}},
	}
	for i := range ways {
		s.Properties.Target.Enum = append(s.Properties.Target.Enum, ways[i].agent.ID)
	}
	if needs := capabilitiesOf(ways); needs != nil {
		s.Properties.Needs = &toolProperty{Type: "array", Description: "What the agent must be able to do.", Items: &toolProperty{Type: "string", Enum: needs}}
	}
	s.addReasons(p, from)
	s.addReturn(ways)
	if slices.Contains(p.Need, "intent") {
		s.Properties.Intent.MinLength = 1
		s.Required = append(s.Required, "userIntent")
	}
	data, err := json.Marshal(s)
	if err != nil { // there is nothing in it that has no JSON
		return nil
	}
	return data
}

func textProperty(description string) *toolProperty {
	return &toolProperty{Type: "string", Description: description, MinLength: 1}
}

// addReasons offers the reasons that an agent may have: the engine's own and
// those of its edges; if all of its edges ask for reasons only theirs.
func (s *toolSchema) addReasons(p *Policy, from string) {
	var list []any
	free := p.Edges == nil
	add := func(reasons ...Reason) {
		for _, r := range reasons {
			if !slices.Contains(list, any(r)) {
				list = append(list, r)
			}
		}
	}
	for i := range p.Edges {
		if e := &p.Edges[i]; e.From == nil || slices.Contains(e.From, from) {
			free = free || e.Reasons == nil
			add(e.Reasons...)
		}
	}
	if free {
		add(CapabilityMatch, Delegation, Clarification, ErrorRecovery)
	}
	s.Properties.Reason = &toolProperty{Type: "string", Description: "The sort of reason.", Enum: list}
	if !free || slices.Contains(p.Need, "reason") {
		s.Required = append(s.Required, "reason")
	}
}

// addReturn offers the choice between a call and a transfer, where there is one.
func (s *toolSchema) addReturn(ways []openWay) {
	call := slices.ContainsFunc(ways, func(w openWay) bool { return w.call })
	transfer := slices.ContainsFunc(ways, func(w openWay) bool { return w.transfer })
	if !call {
		return
	}
	r := &toolProperty{Type: "boolean", Description: "true: the agent works for you, and you go on with its result. false: it takes over, and you are done."}
	if !transfer {
		r.Enum = []any{true}
		s.Required = append(s.Required, "returnControl")
	}
	s.Properties.ReturnControl = r
}

// capabilitiesOf lists the capabilities of all agents, sorted.
func capabilitiesOf(ways []openWay) []any {
	var names []string
	for i := range ways {
		names = append(names, ways[i].agent.Capabilities...)
	}
	slices.Sort(names)
	var out []any
	for _, n := range slices.Compact(names) {
		out = append(out, n)
	}
	return out
}
