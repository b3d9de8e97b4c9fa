package nodes

import (
	"errors"
	"fmt"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
)

// Member is an agent of a team: with a model, or any node.
type Member[S any] struct {
	handoffs.Profile
	// Agent is made into the member's node; nil: Node is.
	Agent *AgentConfig[S]
	Node  graph.Node[S]
	// Config is that of the node, or nil.
	Config *graph.NodeConfig
}

// TeamConfig holds what NewTeam makes a team of. Team has all that a team can be
// given; its Agents are Members instead.
type TeamConfig[S any] struct {
	Members []Member[S]
	Team    handoffs.TeamConfig[S]
}

// NewTeam makes a team of agents with models and other nodes. Agents without a
// Name have their profile's ID; their conversation is the team's.
func NewTeam[S any](cfg TeamConfig[S]) (*handoffs.Team[S], error) {
	if cfg.Team.Agents != nil {
		return nil, errors.New("nodes: the agents of a team are its Members")
	}
	var agents []*Agent[S]
	var problems []error
	for i := range cfg.Members {
		m := &cfg.Members[i]
		h := handoffs.Agent[S]{Profile: m.Profile, Node: m.Node, Config: m.Config}
		if m.Agent != nil {
			a, err := memberAgent(m, cfg.Team.Clock)
			if err != nil {
				problems = append(problems, err)
				continue
			}
			agents, h.Node = append(agents, a), a.Node
		}
		cfg.Team.Agents = append(cfg.Team.Agents, h)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	team, err := handoffs.NewTeam(cfg.Team)
	if err != nil {
		return nil, err
	}
	for _, a := range agents {
		a.team = team
	}
	return team, nil
}

func memberAgent[S any](m *Member[S], clock func() time.Time) (*Agent[S], error) {
	if m.Node != nil {
		return nil, fmt.Errorf("nodes: member %q has an Agent and a Node", m.ID)
	}
	c := *m.Agent
	if c.Name == "" {
		c.Name = m.ID
	}
	if c.Clock == nil {
		c.Clock = clock
	}
	return NewAgent(c)
}
