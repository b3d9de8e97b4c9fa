package specialist

import (
	"slices"

	"github.com/graphrun/graphrun/handoffs"
)

// AgentCapabilityProfile is what is known of a specialist. It is registered
// apart from the agent itself, which only Config.Run knows.
type AgentCapabilityProfile struct {
	AgentID         string   `json:"agentId"`   // needed
	AgentName       string   `json:"agentName"` // "": the AgentID
	Specialization  string   `json:"specialization"`
	Capabilities    []string `json:"capabilities"`
	Description     string   `json:"description"`
	Examples        []string `json:"examples"`
	AcceptsHandoffs bool     `json:"acceptsHandoffs"` // false: it is known, but nobody hands to it
}

// profile is how package handoffs has it.
func (a *AgentCapabilityProfile) profile() handoffs.Profile {
	return handoffs.Profile{
		ID: a.AgentID, Name: a.AgentName, Specialization: a.Specialization, Capabilities: a.Capabilities,
		Description: a.Description, Examples: a.Examples, Refuses: !a.AcceptsHandoffs,
	}
}

// profileOf is the way back. What it returns shares nothing with the registry.
func profileOf(p *handoffs.Profile) AgentCapabilityProfile {
	return AgentCapabilityProfile{
		AgentID: p.ID, AgentName: p.Title(), Specialization: p.Specialization, Capabilities: slices.Clone(p.Capabilities),
		Description: p.Description, Examples: slices.Clone(p.Examples), AcceptsHandoffs: !p.Refuses,
	}
}
