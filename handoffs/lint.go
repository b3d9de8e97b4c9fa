package handoffs

import (
	"fmt"
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
// reasoned about where they have a Range; others may hold or not. Where there
// are rules, agents are taken to hand over by rules and edges alone, and
// Rules.Emits and Rules.Sets let it see more. The workflow's state is taken to
// be moved by rules and edges, and by agents to states that they, or nobody, are
// responsible for. Findings behind which a run may still be right are warnings.
// The last ones are those of Verify.
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
