package handoffs

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Manager decides handoffs and carries them out on a Desk. It does no input or
// output and reads no clock: what it does depends on its arguments alone. It
// does not change and may be used by any number of goroutines at once.
type Manager struct {
	p      Policy
	checks []Check
	user   []Check
	plan   []Check
	edges  map[string]*Edge // by name
	rooms  sync.Pool        // of *room
}

// NewManager returns a Manager for a policy, or all that is wrong with it. A
// policy whose handoffs need not end is an ErrEndless that names the cycle,
// unless it is Policy.Endless: Verify says what counts.
func NewManager(p *Policy) (*Manager, error) {
	if p == nil || p.Registry == nil {
		return nil, errors.New("handoffs: a policy needs a registry of agents")
	}
	m := &Manager{p: *p.bounded(), checks: p.Checks, user: p.UserChecks, edges: map[string]*Edge{}}
	if m.checks == nil {
		m.checks = DefaultChecks()
	}
	if m.user == nil {
		m.user = UserChecks()
	}
	m.plan = planChecks(m.checks)
	if m.p.Entry == "" {
		m.p.Entry = p.Supervisor
	}
	problems := append(m.nameEdges(), p.Registry.Err())
	problems = append(problems, m.unknownAgents()...)
	if m.p.Entry == "" {
		problems = append(problems, errors.New("handoffs: a policy needs an Entry or a Supervisor, the agent that begins"))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	if err := errors.Join(m.p.fansOut(), m.p.unfitResults(), m.p.endless()); err != nil {
		return nil, err
	}
	return m, nil
}

// Policy returns the manager's policy, with what was left out filled in. It
// must not be changed.
func (m *Manager) Policy() *Policy { return &m.p }

// nameEdges gives edges without a name that of their ends, and those of rules
// beside.
func (m *Manager) nameEdges() (problems []error) {
	m.p.Edges = slices.Clone(m.p.Edges)
	for i := range m.p.Edges {
		e := &m.p.Edges[i]
		if e.Name == "" {
			e.Name = fmt.Sprintf("%s->%s", orAny(e.From), orAny(append(slices.Clone(e.To), e.Capability)))
			for n := 2; m.edges[e.Name] != nil; n++ {
				e.Name = fmt.Sprintf("%s->%s#%d", orAny(e.From), orAny(append(slices.Clone(e.To), e.Capability)), n)
			}
		}
		if m.edges[e.Name] != nil {
			problems = append(problems, fmt.Errorf("handoffs: two edges are named %q", e.Name))
		}
		m.edges[e.Name] = e
	}
	if m.p.Rules != nil {
		for i := range m.p.Rules.List {
			e := m.p.Rules.List[i].edge()
			e.Name = "rule " + m.p.Rules.List[i].Name
			m.edges[e.Name] = e
		}
	}
	return problems
}

func orAny(names []string) string {
	text := ""
	for _, n := range names {
		if n == "" {
			continue
		}
		if text != "" {
			text += ","
		}
		text += n
	}
	if text == "" {
		return "*"
	}
	return text
}

// unknownAgents tells of agents that the policy names and nobody registered.
func (m *Manager) unknownAgents() (problems []error) {
	known := func(what, id string) {
		if _, ok := m.p.Registry.Get(id); id != "" && !ok {
			problems = append(problems, fmt.Errorf("handoffs: %s: there is no agent %q", what, id))
		}
	}
	known("supervisor", m.p.Supervisor)
	if m.p.Entry != m.p.Supervisor {
		known("entry", m.p.Entry)
	}
	for _, id := range m.p.Ladder {
		known("ladder", id)
	}
	for _, e := range m.p.Edges {
		for _, id := range slices.Concat(e.From, e.To) {
			known("edge "+e.Name, id)
		}
	}
	for _, code := range sortedKeys(m.p.OnReject) {
		known("on reject "+string(code), m.p.OnReject[code].Target)
	}
	return problems
}
