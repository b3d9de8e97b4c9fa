package handoffs

import (
	"fmt"
	"slices"
	"strings"
)

// Defect is the stable code of what is wrong with a policy.
type Defect string

// The defects.
const (
	DefectDoubleTrigger  Defect = "double_trigger"  // two rules can fire on one event
	DefectShadowed       Defect = "shadowed"        // an earlier rule or edge is always taken instead
	DefectNeverFires     Defect = "never_fires"     // a rule cannot fire
	DefectRetryEntry     Defect = "retry_entry"     // a failure and its retry name different states to go on in
	DefectUnanswered     Defect = "unanswered"      // no rule answers a trigger
	DefectNoProvider     Defect = "no_provider"     // nobody has a capability
	DefectUnknownAgent   Defect = "unknown_agent"   // there is no such agent
	DefectUnknownClass   Defect = "unknown_class"   // there is no such economic class
	DefectName           Defect = "name"            // a name is missing, or there twice
	DefectTarget         Defect = "target"          // a rule hands to nobody
	DefectState          Defect = "state"           // of the workflow's machine
	DefectStuck          Defect = "stuck"           // no way leads on to a final state
	DefectUnreached      Defect = "unreached"       // nothing leads to an agent
	DefectExpect         Defect = "expect"          // another number of handoffs was expected
	DefectPayload        Defect = "payload"         // a rule's payload does not fit an edge
	DefectApprovalBypass Defect = "approval_bypass" // a way around a person's approval
	DefectEndless        Defect = "endless"         // a run need not end
)

// Finding is something wrong with a policy.
type Finding struct {
	Code    Defect
	Message string
	Path    []string // what shows it: agents in the order of a run, or states of the machine
	Place   string   // file:line:col, if it is known
	Warning bool     // the policy can be used
}

// String returns place, message and path on one line.
func (f Finding) String() string {
	text := f.Message
	if f.Place != "" {
		text = f.Place + ": " + text
	}
	if len(f.Path) > 1 && !strings.Contains(text, way(f.Path)) {
		text += " [" + way(f.Path) + "]"
	}
	return text
}

func way(path []string) string { return strings.Join(path, " -> ") }

// Lint looks for what is wrong with a policy, without running it. Guards are
// reasoned about where they have a Range; others may hold or not. Where
// agents hand over by rules only, Rules.Emits and Rules.Sets let it see more.
// It takes the workflow's state to be moved by rules and edges, and by agents
// to states that they or nobody are responsible for. It ends with what Verify
// finds.
func Lint(p *Policy) []Finding {
	if p == nil {
		return nil
	}
	l := newLinting(p)
	l.agents()
	l.states()
	l.names()
	l.rulePairs()
	l.edgePairs()
	l.emissions()
	l.retryEntries()
	l.payloads()
	l.approvals()
	l.ways()
	return append(l.out, Verify(p)...)
}

// linting collects findings about one policy.
type linting struct {
	p      *Policy
	rules  []Rule // none without rules
	fields lintFields
	out    []Finding
}

func newLinting(p *Policy) *linting {
	l := &linting{p: p}
	if p.Rules != nil {
		l.rules = p.Rules.List
	}
	l.fields = l.collectFields()
	return l
}

// add notes a finding; warn one with which the policy can be used.
func (l *linting) add(code Defect, place string, path []string, format string, args ...any) {
	l.out = append(l.out, Finding{Code: code, Message: fmt.Sprintf(format, args...), Path: path, Place: place})
}

func (l *linting) warn(code Defect, place string, path []string, format string, args ...any) {
	l.add(code, place, path, format, args...)
	l.out[len(l.out)-1].Warning = true
}

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
	if r.To != "" {
		return []string{r.To}
	}
	if r.Capability == "" {
		return nil
	}
	return p.able(r.Capability)
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

// mesh reports whether agents may hand to whom they like.
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
