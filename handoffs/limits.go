package handoffs

import "time"

// Limits bounds what handoffs may use. Of several limits that apply (those of
// the run, its class, an edge, a frame) the least one wins.
type Limits struct {
	Handoffs int           `json:"handoffs,omitempty"` // 0: no bound; less than 0: none at all
	Tokens   int           `json:"tokens,omitempty"`   // 0: no bound
	Agents   int           `json:"agents,omitempty"`   // different agents; 0: no bound
	Depth    int           `json:"depth,omitempty"`    // of calls; 0: no bound
	Turns    int           `json:"turns,omitempty"`    // of agents; 0: no bound
	Time     time.Duration `json:"time,omitempty"`     // since the first handoff, of a frame since its begin; 0: no bound
}
