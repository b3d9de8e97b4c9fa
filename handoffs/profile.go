package handoffs

import (
	"fmt"
	"math"
	"slices"
)

// Profile is what is known of an agent.
type Profile struct {
	ID             string   `json:"id"`
	Name           string   `json:"name,omitempty"` // "": the ID
	Icon           string   `json:"icon,omitempty"`
	Color          string   `json:"color,omitempty"`
	Description    string   `json:"description,omitempty"`
	Specialization string   `json:"specialization,omitempty"`
	Capabilities   []string `json:"capabilities,omitempty"`
	Examples       []string `json:"examples,omitempty"`

	System      bool `json:"system,omitempty"`     // only the supervisor hands to it
	Selectable  bool `json:"selectable,omitempty"` // users may choose it
	Refuses     bool `json:"refuses,omitempty"`    // it accepts no handoffs
	Unavailable bool `json:"unavailable,omitempty"`
	Hidden      bool `json:"hidden,omitempty"` // not offered to models

	// MaxConcurrent is how many frames of the agent may be open at once in a
	// session; 0 or less: any number. More wait in the queue.
	MaxConcurrent int `json:"max_concurrent,omitempty"`
	// External agents accept or refuse by a signal; others accept by
	// beginning their turn.
	External bool `json:"external,omitempty"`
	// Conversational agents stay when they end a turn without a handoff: the
	// user's next message goes to them. They return by a Return.
	Conversational bool `json:"conversational,omitempty"`
	// Turns bounds the turns of one frame of the agent; 0: no bound.
	Turns int `json:"max_iterations,omitempty"`

	Weight float64  `json:"weight,omitempty"` // for weighted routing; 0: 1; less: only if no other agent is there
	Cost   float64  `json:"cost,omitempty"`   // for routing by cost, in whatever unit all have
	Grants []string `json:"grants,omitzero"`  // what it may do; nil: anything that its caller may
	Result string   `json:"result,omitempty"` // the type of its result, see Policy.Results; "": any
}

// Title returns the agent's name as people read it: the Name, or the ID of an
// agent without one.
func (p *Profile) Title() string {
	if p.Name == "" {
		return p.ID
	}
	return p.Name
}

// Identity returns what a front end shows of the agent.
func (p *Profile) Identity() Identity {
	return Identity{ID: p.ID, Name: p.Title(), Icon: p.Icon, Color: p.Color}
}

// Has reports whether the agent has a capability: it is one of its
// capabilities, letter by letter, or its specialization. Every agent has the
// capability "".
func (p *Profile) Has(capability string) bool {
	return capability == "" || p.Specialization == capability || slices.Contains(p.Capabilities, capability)
}

// Lacks returns those of several capabilities that the agent does not have, in
// their order; nil: it has all.
func (p *Profile) Lacks(capabilities []string) []string {
	var missing []string
	for _, c := range capabilities {
		if !p.Has(c) {
			missing = append(missing, c)
		}
	}
	return missing
}

// problem says what is wrong with the profile itself; "": nothing.
func (p *Profile) problem() string {
	switch {
	case p.ID == "":
		return "its id is empty"
	case math.IsNaN(p.Weight) || math.IsInf(p.Weight, 0):
		return fmt.Sprintf("its weight is %v, which is no number to count with", p.Weight)
	case math.IsNaN(p.Cost):
		return "its cost is not a number"
	}
	return ""
}

// clone returns a profile that shares nothing with p.
func (p Profile) clone() Profile {
	p.Capabilities = slices.Clone(p.Capabilities)
	p.Examples = slices.Clone(p.Examples)
	p.Grants = slices.Clone(p.Grants)
	return p
}
