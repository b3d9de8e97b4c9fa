package nodes

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/graphrun/graphrun/handoffs"
)

// SwarmConfig holds what NewSwarm makes a team of. Members and Team.Fields are
// required.
type SwarmConfig[S any] struct {
	Members []Member[S]
	// Default is the agent that begins; "": the first one.
	Default string
	// Allowed says by an agent's ID to whom it may hand over; one that is absent
	// hands to nobody. Nil: everyone hands to everyone.
	Allowed map[string][]string
	// FullHistory shows the models also what other agents did with their tools, not
	// only what they answered.
	FullHistory bool
	// Team is what a team can be given beside its agents. What its Policy does not
	// say is the swarm's: who hands to whom, who begins, 50 handoffs for each message of the user, and
	// that the model which asks for a handoff is told why it is rejected.
	Team handoffs.TeamConfig[S]
}

// NewSwarm makes a team of peers. Each hands the conversation to others by tools
// named transfer_to_ID; who has it answers the user, also the next message, until
// it hands it on. An agent that gets it is told why, and what people and agents
// have said, without the calls by which others handed over.
func NewSwarm[S any](cfg SwarmConfig[S]) (*handoffs.Team[S], error) {
	if len(cfg.Members) == 0 {
		return nil, errors.New("nodes: a swarm needs Members")
	}
	p := policyOf(cfg.Team.Policy, cmp.Or(cfg.Default, cfg.Members[0].ID))
	edges, err := cfg.edges()
	if err != nil {
		return nil, err
	}
	if p.Edges == nil {
		p.Edges = edges
	}
	cfg.Team.Policy = p
	members := slices.Clone(cfg.Members)
	for i := range members {
		if m := &members[i]; m.Agent != nil {
			a := *m.Agent
			a.Handoffs.PerTarget, a.Handoffs.Kind = true, handoffs.Transfer
			a.Handoffs.Others = cmp.Or(a.Handoffs.Others, othersOf(cfg.FullHistory))
			m.Agent = &a
		}
	}
	return NewTeam(TeamConfig[S]{Members: members, Team: cfg.Team})
}

// edges are the ways between the members.
func (cfg *SwarmConfig[S]) edges() ([]handoffs.Edge, error) {
	ids := make([]string, len(cfg.Members))
	for i := range cfg.Members {
		ids[i] = cfg.Members[i].ID
	}
	var problems []error
	for _, from := range slices.Sorted(maps.Keys(cfg.Allowed)) {
		for _, id := range append([]string{from}, cfg.Allowed[from]...) {
			if !slices.Contains(ids, id) {
				problems = append(problems, fmt.Errorf("nodes: a swarm's Allowed names %q, which is none of its members", id))
			}
		}
	}
	if cfg.Default != "" && !slices.Contains(ids, cfg.Default) {
		problems = append(problems, fmt.Errorf("nodes: a swarm's Default is %q, which is none of its members", cfg.Default))
	}
	edges := make([]handoffs.Edge, 0, len(ids))
	for _, from := range ids {
		to := slices.Clone(ids)
		if cfg.Allowed != nil {
			to = slices.Clone(cfg.Allowed[from])
		}
		if to = slices.DeleteFunc(to, func(id string) bool { return id == from }); len(to) > 0 {
			edges = append(edges, edgeOf(from, to, handoffs.Transfer, othersOf(cfg.FullHistory)))
		}
	}
	return edges, errors.Join(problems...)
}
