package handoffs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Machine is the state machine of a workflow: which states follow which.
type Machine struct {
	Start   string
	Final   []string            // in which a workflow may end; there may be ways on from them all the same
	States  map[string]string   // each state with the agent that is responsible; "": nobody
	Allowed map[string][]string // the states that may follow
	Failed  string              // a state that every working one may go to; "": none
}

// CanMove reports whether a state may follow another one. Every state may
// follow itself, and Failed every one that is not final. From "" is from Start,
// to "" is to stay. A nil Machine allows everything.
func (m *Machine) CanMove(from, to string) bool {
	return m.move(from, to) == nil
}

// Responsible returns the agent that is responsible in a state; "": nobody.
func (m *Machine) Responsible(state string) string {
	if m == nil {
		return ""
	}
	return m.States[state]
}

// move says what is wrong with a transition; nil: nothing.
func (m *Machine) move(from, to string) error {
	if m == nil || to == "" {
		return nil
	}
	if from == "" {
		from = m.Start
	}
	if m.has(to) && (from == to || slices.Contains(m.Allowed[from], to) || to == m.Failed && !slices.Contains(m.Final, from)) {
		return nil
	}
	return errors.New("Invalid state transition: " + from + " -> " + to)
}

func (m *Machine) has(state string) bool {
	_, ok := m.States[state]
	return ok
}

// names returns the states in their order: Start first, the others by name.
func (m *Machine) names() []string {
	names := sortedKeys(m.States)
	if i := slices.Index(names, m.Start); i >= 0 {
		names = slices.Insert(slices.Delete(names, i, i+1), 0, m.Start)
	}
	return names
}

// Validate returns what is wrong with a machine: states that it does not
// have, that Start does not lead to or that lead to no final one, and agents
// that the registry does not have. A nil registry knows all agents.
func (m *Machine) Validate(agents *Registry) []Finding {
	var out []Finding
	add := func(path []string, format string, args ...any) {
		out = append(out, Finding{Code: DefectState, Message: fmt.Sprintf(format, args...), Path: path})
	}
	m.unknownStates(add)
	for _, s := range m.names() {
		id := m.States[s]
		if _, known := agents.Get(id); agents != nil && id != "" && !known {
			out = append(out, Finding{Code: DefectUnknownAgent, Path: []string{id}, Message: fmt.Sprintf("state %s: there is no agent %q", s, id)})
		}
	}
	if len(out) > 0 {
		return out // the rest would follow from it
	}
	reached := m.behind(m.Start)
	var lost []string
	for _, s := range m.names() {
		if !reached[s] {
			lost = append(lost, s)
		}
	}
	if len(lost) > 0 {
		add(lost, "no way leads from %s to %s", m.Start, strings.Join(lost, ", "))
	}
	m.deadEnds(reached, add)
	return out
}

// deadEnds tells of states that lead to no final one.
func (m *Machine) deadEnds(reached map[string]bool, add func([]string, string, ...any)) {
	if len(m.Final) == 0 {
		return
	}
	for _, s := range m.names() {
		behind := m.behind(s)
		if reached[s] && !slices.ContainsFunc(m.Final, func(f string) bool { return behind[f] }) {
			add([]string{s}, "no way leads from %s to a final state", s)
		}
	}
}

// unknownStates tells of states that are named and not among States.
func (m *Machine) unknownStates(add func([]string, string, ...any)) {
	check := func(what, state string) {
		if !m.has(state) {
			add([]string{state}, "%s: there is no state %q", what, state)
		}
	}
	check("start", m.Start)
	for _, s := range m.Final {
		check("final", s)
	}
	if m.Failed != "" {
		check("failed", m.Failed)
	}
	for _, from := range sortedKeys(m.Allowed) {
		check("transition", from)
		for _, to := range m.Allowed[from] {
			check("transition from "+from, to)
		}
	}
}

// behind returns the states that a workflow can come to from one, itself
// included.
func (m *Machine) behind(state string) map[string]bool {
	names, seen := m.names(), map[string]bool{state: true}
	for todo := []string{state}; len(todo) > 0; todo = todo[1:] {
		for _, to := range names {
			if !seen[to] && m.move(todo[0], to) == nil {
				seen[to] = true
				todo = append(todo, to)
			}
		}
	}
	return seen
}
