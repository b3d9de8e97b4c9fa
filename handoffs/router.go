package handoffs

import "context"

// Router chooses an agent for a capability or a task among those that may
// get it.
type Router interface {
	// Route returns the id of one of the candidates, or "" if none fits. It
	// may ask a model; then it is called once per handoff and its answer kept.
	Route(ctx context.Context, r Request) (string, error)
}

// Request is what a Router is asked.
type Request struct {
	Session    string
	Handoff    string // its id
	From       string
	Capability string
	Needs      []string
	Task       string
	Candidates []Candidate // registered, available, accepting, with the capability; in the order of registration
}

// Candidate is an agent that could get a handoff.
type Candidate struct {
	Profile
	Load   int  // open frames and waiting offers of the agent in the session
	Served int  // handoffs it got in the session
	Broken bool // its breaker is open
}
