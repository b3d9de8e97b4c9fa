package handoffs

import (
	"slices"
	"strings"
)

// everyone returns the ids of all agents in the order of registration.
func (p *Policy) everyone() []string {
	var ids []string
	for a := range p.Registry.All() {
		ids = append(ids, a.ID)
	}
	return ids
}

// able returns the ids of the agents with a capability.
func (p *Policy) able(capability string) []string {
	var ids []string
	for a := range p.Registry.All() {
		if a.Has(capability) {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

// targets returns the agents that a rule may hand to.
func (p *Policy) targets(r *Rule) []string {
	switch {
	case r.To != "":
		return []string{r.To}
	case r.Capability != "":
		return p.able(r.Capability)
	}
	return nil // an escalation goes up the ladder, as any agent's may
}

// leads returns the agents that an edge may lead to.
func (p *Policy) leads(e *Edge) []string {
	if e.Capability == "" {
		return orAll(e.To, p)
	}
	out := slices.Clone(e.To)
	for _, id := range p.able(e.Capability) {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// orAll returns a list of agents, or all agents instead of none.
func orAll(ids []string, p *Policy) []string {
	if len(ids) == 0 {
		return p.everyone()
	}
	return ids
}

// first is the agent that begins; "": not known.
func (p *Policy) first() string {
	if p.Entry != "" {
		return p.Entry
	}
	return p.Supervisor
}

// mesh reports whether a policy leaves it to the agents whom they hand to.
func (p *Policy) mesh() bool { return p.Edges == nil && p.Rules == nil }

// title names an edge.
func (e *Edge) title() string {
	if e.Name != "" {
		return "edge " + e.Name
	}
	to := slices.Clone(e.To)
	if e.Capability != "" {
		to = append(to, e.Capability)
	}
	return "edge " + listed(e.From) + " -> " + listed(to)
}

// listed is a list of names on one line; an empty one stands for all.
func listed(names []string) string {
	if len(names) == 0 {
		return "*"
	}
	return strings.Join(names, ", ")
}

// overlap reports whether two lists of names, of which an empty one stands
// for all, have one in common.
func overlap(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return true
	}
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// admits reports whether a list, which stands for all if it is empty, has
// something.
func admits[T comparable](list []T, one T) bool { return len(list) == 0 || slices.Contains(list, one) }

// coversAll reports whether a list, which stands for all if it is empty, has
// all of another one.
func coversAll[T comparable](a, b []T) bool {
	if len(a) == 0 {
		return true
	}
	return len(b) > 0 && !slices.ContainsFunc(b, func(t T) bool { return !slices.Contains(a, t) })
}
