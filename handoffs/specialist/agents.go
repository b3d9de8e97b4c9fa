package specialist

import (
	"fmt"
	"strings"
	"sync"
)

// Agent is an agent as a Runner knows it. What it is good at says its
// AgentCapabilityProfile, which is registered apart.
type Agent struct {
	ID          string      `json:"id"`
	Name        string      `json:"name,omitempty"`
	Description string      `json:"description,omitempty"`
	Config      AgentConfig `json:"config,omitzero"`
}

// AgentConfig says how an agent works. What the values mean is the Runner's
// business.
type AgentConfig struct {
	AgentType   string   `json:"agentType,omitempty"`
	LLMProvider string   `json:"llmProvider,omitempty"`
	LLMModel    string   `json:"llmModel,omitempty"`
	Tools       []string `json:"tools,omitempty"`
}

// AgentService keeps agents. The zero AgentService has none. It may be used by
// any number of goroutines at once, and must not be copied.
type AgentService struct {
	mu     sync.Mutex
	agents map[string]Agent
}

// CreateAgent makes an agent. Its id is its name in lower case, with hyphens for
// spaces. A name that is empty or taken is an error.
func (s *AgentService) CreateAgent(name, description string, cfg AgentConfig) (Agent, error) {
	a := Agent{ID: strings.Join(strings.Fields(strings.ToLower(name)), "-"), Name: name, Description: description, Config: cfg}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, taken := s.agents[a.ID]; a.ID == "" || taken {
		return Agent{}, fmt.Errorf("specialist: the name %q of an agent is empty or taken", name)
	}
	if s.agents == nil {
		s.agents = map[string]Agent{}
	}
	s.agents[a.ID] = a
	return a, nil
}

// GetAgent returns an agent by its id.
func (s *AgentService) GetAgent(id string) (Agent, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.agents[id]
	return a, ok
}
