package specialist

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/graphrun/graphrun/handoffs"
)

// Router knows the specialists and finds one for a capability or a task. The
// zero Router knows nobody. It may be used by any number of goroutines at once;
// its fields must not be changed meanwhile.
type Router struct {
	// Ask answers a prompt that lists the specialists with the name of one, or
	// NONE; a small model will do. Nil: nobody is found for a task.
	Ask    func(ctx context.Context, prompt string) (string, error)
	Logger *slog.Logger // nil: nothing is logged

	mu     sync.Mutex
	agents *handoffs.Registry
}

// RegisterAgent adds a specialist. One with the same id is replaced, and keeps
// its place. An error is a handoffs.ErrRegistry, and nothing has changed then.
func (r *Router) RegisterAgent(a AgentCapabilityProfile) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := r.agents.With(a.profile())
	if err := next.Err(); err != nil {
		return err
	}
	r.agents = next
	logger(r.Logger).Info("registering agent", "agentId", a.AgentID, "agentName", a.AgentName, "specialization", a.Specialization)
	return nil
}

// registry returns the agents as they are now; nil: there are none.
func (r *Router) registry() *handoffs.Registry {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.agents
}

// FindAgentForCapability returns the first specialist that accepts handoffs and
// has the capability or is specialized in it; false: there is none, as for "".
func (r *Router) FindAgentForCapability(capability string) (AgentCapabilityProfile, bool) {
	if strings.TrimSpace(capability) == "" {
		return AgentCapabilityProfile{}, false
	}
	// No specialist has hours: the time does not matter.
	if found := r.registry().ForCapability(capability, time.Time{}); len(found) > 0 {
		return profileOf(found[0]), true
	}
	return AgentCapabilityProfile{}, false
}

// FindAgentForTask returns the specialist that Ask names for a task; false: it
// answers NONE, or with a name that nobody or more than one has. Case, spaces,
// underscores and hyphens of the name do not count. An error is that of Ask.
func (r *Router) FindAgentForTask(ctx context.Context, task string) (AgentCapabilityProfile, bool, error) {
	return r.forTask(ctx, task, "", nil)
}

// forTask is FindAgentForTask among those that have the capabilities, without
// who asks.
func (r *Router) forTask(ctx context.Context, task, from string, needs []string) (AgentCapabilityProfile, bool, error) {
	agents := r.registry()
	q := handoffs.Request{From: from, Task: task}
	for _, p := range agents.Accepting() {
		if p.ID != from && len(p.Lacks(needs)) == 0 {
			q.Candidates = append(q.Candidates, handoffs.Candidate{Profile: *p})
		}
	}
	if r.Ask == nil {
		return AgentCapabilityProfile{}, false, nil
	}
	id, err := handoffs.ByTask{Ask: r.Ask}.Route(ctx, q)
	p, ok := agents.Get(id)
	if err != nil || !ok {
		return AgentCapabilityProfile{}, false, err
	}
	return profileOf(p), true, nil
}

// ListAvailableAgents returns the specialists that accept handoffs, in the order
// of their registration.
func (r *Router) ListAvailableAgents() []AgentCapabilityProfile {
	var out []AgentCapabilityProfile
	for _, p := range r.registry().Accepting() {
		out = append(out, profileOf(p))
	}
	return out
}

// logger is never nil.
func logger(l *slog.Logger) *slog.Logger {
	if l == nil {
		return slog.New(slog.DiscardHandler)
	}
	return l
}
