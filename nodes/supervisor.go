package nodes

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/graphrun/graphrun/handoffs"
)

// SupervisorConfig holds what NewSupervisor makes a team of. Lead with an Agent,
// Workers and Team.Fields are required.
type SupervisorConfig[S any] struct {
	// Lead is the supervisor; an ID of "" is "supervisor".
	Lead    Member[S]
	Workers []Worker[S]
	// FullHistory shows the models also what other agents did with their tools.
	// Else they see what the others answered, and a supervisor sees of a worker
	// that it called the result alone. The state has all of it in any case.
	FullHistory bool
	// NoForward leaves out the tool forward_message, by which a supervisor makes
	// the last answer of a worker its own, letter by letter, without saying it again.
	NoForward bool
	// Team is what a team can be given beside its agents. What its Policy does not
	// say is the supervisor's: who hands to whom, the supervisor as entry, 50
	// handoffs for each message of the user, and that the model which asks for a handoff is told why it
	// is rejected.
	Team handoffs.TeamConfig[S]
}

// Worker is an agent under a supervisor.
type Worker[S any] struct {
	Member[S]
	// TakesOver hands the conversation to the worker, who keeps it for the user's
	// next messages and may hand it back. Else the worker is called: the
	// supervisor waits for the result and goes on.
	TakesOver bool
	// Workers make the worker a supervisor of its own. It needs an Agent then.
	Workers []Worker[S]
}

// defaultHandoffs bounds a ready-made team.
const defaultHandoffs = 50

// NewSupervisor makes a team of an agent that talks to the user and lets others
// work for it. Supervisors may be nested to any depth: all of them are agents of
// one team, so a worker of a worker survives a crash, and pauses for a question,
// as any agent does. A compiled graph cannot be a worker; give a worker a Node
// for what is no agent with a model.
//
// A worker is told its task and what people and agents have said, without the
// calls by which others handed over.
func NewSupervisor[S any](cfg SupervisorConfig[S]) (*handoffs.Team[S], error) {
	lead := cfg.Lead
	lead.ID = cmp.Or(lead.ID, "supervisor")
	if len(cfg.Workers) == 0 {
		return nil, errors.New("nodes: a supervisor needs Workers")
	}
	p := policyOf(cfg.Team.Policy, lead.ID)
	p.Supervisor = cmp.Or(p.Supervisor, lead.ID)
	b := &supervision[S]{cfg: &cfg, others: othersOf(cfg.FullHistory)}
	if err := b.add(Worker[S]{Member: lead, Workers: cfg.Workers}, ""); err != nil {
		return nil, err
	}
	if p.Edges == nil {
		p.Edges = b.edges
	}
	cfg.Team.Policy = p
	return NewTeam(TeamConfig[S]{Members: b.members, Team: cfg.Team})
}

// othersOf is what the models of a ready-made team see of one another.
func othersOf(full bool) Others {
	if full {
		return OthersWork
	}
	return OthersAnswers
}

// policyOf is a copy of a policy, with what a ready-made team decides itself.
func policyOf(given *handoffs.Policy, entry string) *handoffs.Policy {
	p := handoffs.Policy{}
	if given != nil {
		p = *given
	}
	p.Entry = cmp.Or(p.Entry, entry)
	if p.OnReject == nil {
		p.OnReject = map[handoffs.Code]handoffs.Action{"": {Do: handoffs.ToSource}}
	}
	if p.Limits == (handoffs.Limits{}) {
		p.Limits.Handoffs, p.PerMessage = defaultHandoffs, true
	}
	return &p
}

// supervision is a team under a supervisor that is being made.
type supervision[S any] struct {
	cfg     *SupervisorConfig[S]
	others  Others
	members []Member[S]
	edges   []handoffs.Edge
}

// add adds an agent, the edges to and from its workers, and those.
func (b *supervision[S]) add(w Worker[S], above string) error {
	if w.Agent == nil && (above == "" || w.Workers != nil) {
		return fmt.Errorf("nodes: the supervisor %q needs an Agent", w.ID)
	}
	called, takes := workersOf(w.Workers)
	if w.Agent != nil {
		a := *w.Agent
		a.Handoffs.Others = cmp.Or(a.Handoffs.Others, b.others)
		a.Handoffs.Kind = cmp.Or(a.Handoffs.Kind, kindFor(called != nil, takes != nil || w.TakesOver))
		if w.Workers != nil && !b.cfg.NoForward {
			a.Tools = append(slices.Clone(a.Tools), forwardTool(b.cfg.Team.Fields, append(slices.Clone(called), takes...)))
		}
		w.Agent = &a
	}
	b.members = append(b.members, w.Member)
	b.edge(w.ID, called, handoffs.Call)
	b.edge(w.ID, takes, handoffs.Transfer)
	if w.TakesOver {
		b.edge(w.ID, []string{above}, handoffs.Transfer)
	}
	for _, under := range w.Workers {
		if err := b.add(under, w.ID); err != nil {
			return err
		}
	}
	return nil
}

// workersOf parts workers by how they get work.
func workersOf[S any](ws []Worker[S]) (called, takes []string) {
	for _, w := range ws {
		if w.TakesOver {
			takes = append(takes, w.ID)
		} else {
			called = append(called, w.ID)
		}
	}
	return called, takes
}

// kindFor is how an agent's model hands over; "": both ways are there.
func kindFor(calls, transfers bool) handoffs.Kind {
	switch {
	case calls && transfers:
		return ""
	case transfers:
		return handoffs.Transfer
	}
	return handoffs.Call
}

func (b *supervision[S]) edge(from string, to []string, k handoffs.Kind) {
	if len(to) > 0 {
		b.edges = append(b.edges, edgeOf(from, to, k, b.others))
	}
}

// edgeOf is a way from an agent to others, who see of others what o says.
func edgeOf(from string, to []string, k handoffs.Kind, o Others) handoffs.Edge {
	return handoffs.Edge{
		Name: from + " " + string(k), From: []string{from}, To: to, Kinds: []handoffs.Kind{k},
		Context: &handoffs.ContextPolicy{Mode: handoffs.ContextCustom, Custom: o.context},
	}
}
