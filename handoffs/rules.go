package handoffs

import "time"

// Rule says when whom to hand to: a handoff rule as data.
type Rule struct {
	Name       string   // "3.1"
	From       []string // agents; nil: any
	To         string   // an agent; "": by Capability
	Capability string
	When       *Guard // nil: always
	// Triggers are the events the rule answers: "QUOTES_RECEIVED". A rule
	// without triggers is tried at every turn of From that ends without a handoff.
	Triggers    []string
	Next        string // the workflow's state behind it; "": as it was
	Kind        Kind   // "": Transfer
	Reason      Reason
	Explanation string // may have {…} as Texts
	Task        string
	Priority    Priority
	Urgency     *Value // may raise Priority; nil: nothing does
	Payload     []RulePayload
	Order       int    // rules of a lower order are tried first; of one order the more specific one, then the first
	Group       string // of the rules of one group at most one fires for an event; "": the triggers' name
	Limits      Limits
	Retry       *Retry
	Context     *ContextPolicy
	Approval    *ApprovalPolicy
	OnReject    map[Code]Action
	Place       string // file:line:col, for messages
}

// RulePayload is a key that a rule puts into the payload.
type RulePayload struct {
	PayloadField
	From *Value // nil: the trigger's payload has it
}

// Value computes something from the facts.
type Value struct {
	Text string
	Eval func(Facts) (any, error)
}

// Rules are handoff rules, in the order in which they are tried.
type Rules struct {
	List []Rule
	// Retries says which failures may be tried again and how long to wait.
	Backoff time.Duration
}

// Machine is the state machine of a workflow: which states follow which.
type Machine struct {
	Start   string
	Final   []string
	States  map[string]string   // each state with the agent that is responsible; "": nobody
	Allowed map[string][]string // the states that may follow
	Failed  string              // a state that every working one may go to; "": none
}
