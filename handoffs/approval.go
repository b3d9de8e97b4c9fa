package handoffs

import "time"

// ApprovalPolicy says which handoffs a person must approve.
type ApprovalPolicy struct {
	When     *Guard        // nil: all
	Agents   []string      // targets; nil: all
	Expires  time.Duration // 0 or less: never
	Default  Answer        // when it expires; "": Disapprove
	Text     string        // the question; "": a text that names who, whom and the task
	OnReject Action        // zero: as the policy says for CodeApproval
	Words    bool          // a plain "yes" approves, whatever its case, and everything else disapproves
}

// Answer is what a person decides.
type Answer string

// The answers.
const (
	Approve    Answer = "approve"
	Disapprove Answer = "reject"
	Edit       Answer = "edit"     // approve with another task or payload
	Redirect   Answer = "redirect" // to another agent
	Defer      Answer = "defer"    // ask again later
)

// Approval is what a person is asked.
type Approval struct {
	Handoff  string         `json:"handoffId"`
	Question string         `json:"question"`
	From     string         `json:"from"`
	To       string         `json:"to"`
	Path     []string       `json:"path,omitempty"` // the agents whose calls led there, outermost first
	Reason   Reason         `json:"reason,omitempty"`
	Why      string         `json:"why,omitempty"`
	Task     string         `json:"task,omitempty"`
	Payload  map[string]any `json:"payload,omitempty"`
	Context  *Sent          `json:"context,omitempty"`
	Expires  time.Time      `json:"expires,omitzero"`
	Asked    int            `json:"asked,omitempty"` // how often before
	Choices  []Answer       `json:"choices"`
}

// Ruling is a person's answer to an Approval. As an answer to the run's
// question it is an object, or one of the words alone.
type Ruling struct {
	Decision Answer         `json:"decision"`
	Reason   string         `json:"reason,omitempty"`
	Target   string         `json:"target,omitempty"`  // of Redirect
	Task     string         `json:"task,omitempty"`    // of Edit; "": as it was
	Payload  map[string]any `json:"payload,omitempty"` // of Edit: these keys are set
	By       string         `json:"by,omitempty"`
}
