package handoffs

import "time"

// Limits bounds what handoffs may use. Of several limits that apply (those of
// the run, its class, an edge, a frame and those that wait for it) the least one
// wins. A number of 0 is no bound, one below 0 allows nothing at all.
type Limits struct {
	// Handoffs that may begin. One more is rejected.
	Handoffs int `json:"handoffs,omitempty"`
	// Tokens that may be spent. A frame's are set aside for it when it is
	// called, so that others cannot promise them too, and what it leaves is
	// free again when it ends. What a turn costs is known only behind it: by
	// its last turn a frame may spend more.
	Tokens int `json:"tokens,omitempty"`
	// Agents is how many different agents may have part in the run's
	// handoffs, also where it is the limit of a frame: one that had part
	// already may be handed to in any case.
	Agents int `json:"agents,omitempty"`
	// Depth of calls, from the first agent on, of a frame from itself on. Below
	// 0 there are transfers only.
	Depth int `json:"depth,omitempty"`
	// Turns of agents, of a frame its own turns.
	Turns int `json:"turns,omitempty"`
	// Time since the first handoff, of a frame since its begin.
	Time time.Duration `json:"time,omitempty"`
}

// EconomicClasses returns the usual economic classes, for Policy.Classes:
// simple work is done by one agent with 10,000 tokens; medium work may take two
// handoffs, three agents and 25,000 tokens; complex work five handoffs, five
// agents and 150,000 tokens.
func EconomicClasses() map[string]Limits {
	return map[string]Limits{
		"simple":  {Handoffs: -1, Tokens: 10_000, Agents: 1},
		"medium":  {Handoffs: 2, Tokens: 25_000, Agents: 3},
		"complex": {Handoffs: 5, Tokens: 150_000, Agents: 5},
	}
}

// reached reports whether so much is used that nothing more may be.
func reached[N ~int | ~int64](used, most N) bool {
	return most < 0 || most > 0 && used >= most
}

// tooDeep reports whether a depth of calls is more than may be.
func tooDeep(depth, most int) bool {
	return most != 0 && depth > max(0, most)
}

// tighter returns the least of two limits.
func tighter(a, b Limits) Limits {
	return Limits{
		Handoffs: least(a.Handoffs, b.Handoffs), Tokens: least(a.Tokens, b.Tokens), Agents: least(a.Agents, b.Agents),
		Depth: least(a.Depth, b.Depth), Turns: least(a.Turns, b.Turns), Time: least(a.Time, b.Time),
	}
}

// least returns the smaller of two bounds, of which 0 is none.
func least[N ~int | ~int64](a, b N) N {
	switch {
	case a == 0:
		return b
	case b == 0:
		return a
	}
	return min(a, b)
}
