package handoffs

import (
	"strings"
	"time"
)

// ApprovalPolicy says which handoffs a person must approve. The zero
// ApprovalPolicy asks about all, for as long as it takes.
type ApprovalPolicy struct {
	When     *Guard        // nil: all
	Agents   []string      // targets; nil: all
	Expires  time.Duration // 0 or less: never
	Default  Answer        // when it expires: Approve, or anything else, which disapproves; "": Disapprove
	Text     string        // the question; "": a text that names who, whom, why and the task
	OnReject Action        // zero: as the policy says for CodeApproval
	Words    bool          // a plain "yes" approves, whatever its case, and every other word disapproves
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
	NoAnswer   Answer = ""         // nobody has answered: look at the clock, and go on asking
)

// Approval is what a person is asked.
type Approval struct {
	Handoff  string         `json:"handoffId"`
	Question string         `json:"question"`
	From     string         `json:"from"`
	To       string         `json:"to"`
	Path     []string       `json:"path,omitempty"` // the agents whose calls led there, outermost first; From is the last
	Reason   Reason         `json:"reason,omitempty"`
	Why      string         `json:"why,omitempty"`
	Task     string         `json:"task,omitempty"`
	Payload  map[string]any `json:"payload,omitempty"`
	Context  *Sent          `json:"context,omitempty"`
	Expires  time.Time      `json:"expires,omitzero"`
	Asked    int            `json:"asked,omitempty"` // how often before
	Choices  []Answer       `json:"choices"`
	Edge     string         `json:"edge,omitempty"` // that it is taken by
}

// Ruling is a person's answer to an Approval. As an answer to the run's
// question it is an object, or one of the words alone; see ParseRuling.
type Ruling struct {
	Decision Answer         `json:"decision"`
	Reason   string         `json:"reason,omitempty"`
	Target   string         `json:"target,omitempty"`  // of Redirect
	Task     string         `json:"task,omitempty"`    // of Edit; "": as it was
	Payload  map[string]any `json:"payload,omitempty"` // of Edit: these keys are set
	By       string         `json:"by,omitempty"`
}

// allAnswers are the answers that a person may give.
func allAnswers() []Answer { return []Answer{Approve, Disapprove, Edit, Redirect, Defer} }

// newApproval makes what a person is asked about a handoff to an agent. Path
// names the agents that led there, the source is the last.
func newApproval(p *ApprovalPolicy, r *Record, to string, path []string, sent *Sent) *Approval {
	a := &Approval{
		Handoff: r.ID, From: r.From, To: to, Path: path, Reason: r.Reason, Why: r.Explanation,
		Task: r.Task, Payload: r.Payload, Context: sent, Question: p.Text, Choices: allAnswers(),
	}
	if a.Question == "" {
		a.Question = a.text(r.Kind)
	}
	return a
}

// again returns the question anew, after it was asked so often.
func (a *Approval) again(asked int) *Approval {
	b := *a
	b.Asked = asked
	return &b
}

// text is the question that names who, whom, why and the task.
func (a *Approval) text(k Kind) string {
	var b strings.Builder
	b.WriteString("May " + a.From)
	for i := len(a.Path) - 2; i >= 0; i-- {
		b.WriteString(", called by " + a.Path[i])
	}
	if len(a.Path) > 1 {
		b.WriteString(",")
	}
	b.WriteString(" " + approvalVerb(k, a.To) + "?")
	why := a.Why
	if why == "" {
		why = string(a.Reason)
	}
	if why != "" {
		b.WriteString("\nWhy: " + why)
	}
	if a.Task != "" {
		b.WriteString("\nTask: " + a.Task)
	}
	return b.String()
}

func approvalVerb(k Kind, to string) string {
	if to == "" {
		to = "somebody"
	}
	switch k {
	case Call:
		return "call " + to
	case Spawn:
		return "start " + to
	case Escalate:
		return "escalate to " + to
	}
	return "hand over to " + to
}
