package handoffs

import "time"

// Rule says when whom to hand to: a handoff rule as data.
type Rule struct {
	Name       string   // "3.1"; no other rule has it
	From       []string // agents; nil: any
	To         string   // an agent; "": by Capability
	Capability string
	When       *Guard // nil: always
	// Triggers are the events the rule answers: "QUOTES_RECEIVED". A rule
	// without triggers is tried at every turn of From that ends without a handoff.
	Triggers []string
	Next     string // the workflow's state behind it; "": as it was
	// Again is the state instead of Next if what failed may be tried again, as
	// Rules.Retries says; "": Next in any case.
	Again       string
	Kind        Kind // "": Transfer
	Reason      Reason
	Explanation string   // may have {…}: {source}, {target}, {capability}, {trigger}, {rule}, or a fact; "": why the rule fired
	Task        string   // may have {…} too
	Priority    Priority // "": Normal
	// Urgency may raise Priority: it gives one, or nothing; nil: nothing does.
	Urgency *Value
	Payload []RulePayload // nil: what the trigger carries goes on as it is
	Order   int           // rules of a lower order are tried first; of one order the one with more conditions (From, Triggers, When), then the first
	Group   string        // of the rules of one group at most one fires for an event; "": the trigger's name
	Limits  Limits        // Handoffs: how many it may make in a run
	// Retry makes the rule one that tries again what failed: its first handoff
	// in a session waits as long as the first retry, the second as the second,
	// and when none is left it does not fire any more; nil: none waits.
	Retry    *Retry
	Context  *ContextPolicy
	Approval *ApprovalPolicy
	OnReject map[Code]Action
	Place    string // file:line:col, for messages
}

// RulePayload is a key that a rule puts into the payload. A value of nil
// counts as missing.
type RulePayload struct {
	PayloadField
	From *Value // nil: the trigger's payload has it
}

// Value computes something from the facts.
type Value struct {
	Text string // as people read it
	Eval func(Facts) (any, error)
}

// Rules are handoff rules, and what is known of the agents that they speak of.
type Rules struct {
	List []Rule
	// Retries says which failures may be tried again, for Rule.Again; it sees
	// the payload that the rule has made; nil: those with "retryable": true in it.
	Retries *Guard
	Backoff time.Duration // the first wait of a Rule.Retry that names none; 0: as Retry has it

	// Emits says who emits which trigger, so that Lint can follow the rules:
	// one that is not named is emitted by nobody. Nil: not known.
	Emits []Emission
	// Sets names the fields of the state that an agent's turns may change. Lint
	// takes others for unchanged behind them. An agent that is absent may
	// change any.
	Sets map[string][]string
	// Expect says how many handoffs a run without errors makes until the
	// workflow is in a state, or an agent has work if there is no machine.
	Expect map[string]int
	// ExpectAt are the places of its entries, file:line:col, for messages.
	ExpectAt map[string]string
}

// Emission says who emits a trigger, and when.
type Emission struct {
	Trigger string
	By      []string // agents; nil: any, or an event from outside
	In      []string // the workflow's states; nil: any
	When    *Guard   // what holds then, in its Range; nil: not known
	Place   string   // file:line:col, for messages
}

// order returns the places of rules in the order in which they are tried.
// They are sorted by insertion: few rules answer one event.
func (r *Rules) order(places []int) {
	for i := range places {
		for j := i; j > 0 && r.List[places[j]].before(&r.List[places[j-1]]); j-- {
			places[j], places[j-1] = places[j-1], places[j]
		}
	}
}

// before reports whether a rule is tried before one that stands ahead of it.
func (r *Rule) before(o *Rule) bool {
	if r.Order != o.Order {
		return r.Order < o.Order
	}
	return r.conditions() > o.conditions()
}

// conditions counts the sorts of conditions that a rule names.
func (r *Rule) conditions() (n int) {
	for _, named := range [...]bool{len(r.From) > 0, len(r.Triggers) > 0, r.When != nil} {
		if named {
			n++
		}
	}
	return n
}

// group is the group of a rule for an event.
func (r *Rule) group(trigger string) string {
	if r.Group != "" {
		return r.Group
	}
	return trigger
}

// kind is the kind of a rule's handoffs.
func (r *Rule) kind() Kind {
	if r.Kind == "" {
		return Transfer
	}
	return r.Kind
}

// edge is the edge that a rule's handoffs take.
func (r *Rule) edge() *Edge {
	e := &Edge{
		Name: r.Name, From: r.From, Capability: r.Capability, Kinds: []Kind{r.kind()},
		Context: r.Context, Limits: r.Limits, Retry: r.Retry, Approval: r.Approval,
		OnReject: r.OnReject, Priority: r.Priority, Next: r.Next,
	}
	if r.To != "" {
		e.To, e.Capability = []string{r.To}, ""
	}
	for i := range r.Payload {
		e.Payload = append(e.Payload, r.Payload[i].PayloadField)
	}
	return e
}
