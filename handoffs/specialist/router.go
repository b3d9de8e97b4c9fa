package specialist

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/graphrun/graphrun/handoffs"
)

// RouterConfig holds what a Router can be given. Nil means its zero value.
type RouterConfig struct {
	// Ask answers a prompt with the name of an agent, or NONE: a small model's
	// work. Nil: FindAgentForTask finds nobody.
	Ask    func(ctx context.Context, prompt string) (string, error)
	Logger *slog.Logger // nil: nothing is logged
}

// Router knows the specialists. It may be used by any number of goroutines at
// once; agents may come and go while it is used.
type Router struct {
	ask func(ctx context.Context, prompt string) (string, error)
	log *slog.Logger

	mu     sync.Mutex
	agents *handoffs.Registry
}

// NewRouter returns a router that knows nobody.
func NewRouter(cfg *RouterConfig) *Router {
	if cfg == nil {
		cfg = &RouterConfig{}
	}
	return &Router{ask: cfg.Ask, log: logger(cfg.Logger), agents: handoffs.MustRegistry()}
}

func logger(l *slog.Logger) *slog.Logger {
	if l == nil {
		return slog.New(slog.DiscardHandler)
	}
	return l
}

// RegisterAgent makes an agent known, in place of one with the same id. An agent
// without an id is a handoffs.ErrRegistry.
func (r *Router) RegisterAgent(p AgentCapabilityProfile) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := r.agents.With(p.Profile())
	if err := next.Err(); err != nil {
		return err
	}
	r.agents = next
	r.log.Info("registering agent for handoffs", "agent", p.AgentID, "specialization", p.Specialization)
	return nil
}

// Agents returns the agents that are known now.
func (r *Router) Agents() *handoffs.Registry {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.agents
}

// FindAgentForCapability returns the agent that was registered first among those
// that accept handoffs and have a capability, or are specialized in it.
func (r *Router) FindAgentForCapability(capability string) (AgentCapabilityProfile, bool) {
	for _, p := range r.Agents().ForCapability(capability, time.Time{}) {
		return profileOf(p), true
	}
	return AgentCapabilityProfile{}, false
}

// FindAgentForTask asks which agent suits a task; false: none does. Names that
// are written a little otherwise are understood.
func (r *Router) FindAgentForTask(ctx context.Context, task string) (AgentCapabilityProfile, bool, error) {
	q := handoffs.Request{Task: task}
	agents := r.Agents()
	for _, p := range agents.Accepting() {
		q.Candidates = append(q.Candidates, handoffs.Candidate{Profile: *p})
	}
	if r.ask == nil || len(q.Candidates) == 0 {
		return AgentCapabilityProfile{}, false, nil
	}
	id, err := handoffs.ByTask{Ask: r.ask}.Route(ctx, q)
	if err != nil || id == "" {
		return AgentCapabilityProfile{}, false, err
	}
	p, ok := agents.Get(id)
	if !ok {
		return AgentCapabilityProfile{}, false, nil
	}
	return profileOf(p), true, nil
}

// ListAvailableAgents returns the agents that accept handoffs, in the order in
// which they were registered.
func (r *Router) ListAvailableAgents() []AgentCapabilityProfile {
	var out []AgentCapabilityProfile
	for _, p := range r.Agents().Accepting() {
		out = append(out, profileOf(p))
	}
	return out
}

// Tool describes the tool handoff_to_specialist for the model of an agent, with
// the specialists that there are now; false: there are none, and no tool is to be
// offered. A Handler does what the model asks for.
func (r *Router) Tool(agentID string) (handoffs.ToolSpec, bool) {
	p := Policy()
	p.Registry = r.Agents()
	t, ok := handoffs.Tool(p, nil, handoffs.Log{}, agentID, nil, time.Time{}, nil)
	t.Schema = json.RawMessage(argumentsSchema)
	return t, ok
}
