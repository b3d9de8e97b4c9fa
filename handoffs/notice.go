package handoffs

import "time"

// HandoffNotice tells watchers of a run that a handoff was accepted. Its line
// in event logs has the type "agent_handoff".
type HandoffNotice struct {
	Handoff     string    `json:"handoffId"`
	From        string    `json:"fromAgentId"`
	To          string    `json:"toAgentId"`
	Kind        Kind      `json:"kind"`
	Reason      Reason    `json:"reason,omitempty"`
	Explanation string    `json:"explanation,omitempty"`
	Task        string    `json:"task,omitempty"`
	Priority    Priority  `json:"priority,omitempty"`
	Rule        string    `json:"rule,omitempty"`
	PlanStep    string    `json:"planStepId,omitempty"`
	At          time.Time `json:"timestamp"`
}

// LineType returns "agent_handoff".
func (*HandoffNotice) LineType() string { return "agent_handoff" }

func noticeOf(o *Offer, at time.Time) *HandoffNotice {
	r := o.Record
	return &HandoffNotice{Handoff: r.ID, From: r.From, To: o.To, Kind: r.Kind, Reason: r.Reason, Explanation: r.Explanation,
		Task: r.Task, Priority: r.Priority, Rule: r.Rule, PlanStep: r.PlanStep, At: at}
}

// AgentChanged tells watchers that another agent is the active one. Its line
// has the type "agent_changed".
type AgentChanged struct {
	From     string    `json:"fromAgentId"`
	To       string    `json:"toAgentId"`
	Identity *Identity `json:"identity,omitempty"`
	// Suspended is the token of what a user's switch has set aside; "": nothing.
	Suspended string `json:"suspended,omitempty"`
}

// LineType returns "agent_changed".
func (*AgentChanged) LineType() string { return "agent_changed" }

// RejectedNotice tells watchers that a handoff was not accepted. Its line has
// the type "handoff_rejected".
type RejectedNotice struct {
	Handoff string `json:"handoffId"`
	From    string `json:"fromAgentId"`
	To      string `json:"toAgentId"`
	Code    Code   `json:"code"`
	Codes   []Code `json:"codes,omitempty"`
	Message string `json:"message"`
}

// LineType returns "handoff_rejected".
func (*RejectedNotice) LineType() string { return "handoff_rejected" }
