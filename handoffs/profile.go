package handoffs

import "time"

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

	Weight float64  `json:"weight,omitempty"` // for weighted routing; 0: 1
	Cost   float64  `json:"cost,omitempty"`   // for routing by cost, in whatever unit all have
	Grants []string `json:"grants,omitempty"` // what it may do; nil: anything that its caller may
	Result string   `json:"result,omitempty"` // the name of the type of its result; "": any
}

// RegistryConfig holds what a Registry can be given. Nil means its zero value.
type RegistryConfig struct {
	// Available says whether an agent can work now; nil: as its profile says.
	Available func(id string, now time.Time) bool
}

// Registry holds the profiles of agents. It is a value that does not change;
// With returns one with more.
type Registry struct {
	list []Profile // in the order of registration
	byID map[string]int
	cfg  RegistryConfig
}
