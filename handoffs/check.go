package handoffs

import "time"

// Code is the stable code of why a handoff was rejected or failed.
type Code string

// The codes.
const (
	CodeSyntax      Code = "syntax"  // the command is not one
	CodeMissing     Code = "missing" // something that is needed is empty
	CodeNotFound    Code = "not_found"
	CodeUnavailable Code = "unavailable"
	CodeSelf        Code = "self"
	CodeSystem      Code = "system_target"
	CodeSelectable  Code = "not_selectable"
	CodeAccepts     Code = "not_accepting"
	CodeCapability  Code = "capability"
	CodeNoProvider  Code = "no_provider" // nobody has the capability
	CodeEdge        Code = "edge"        // no edge allows it
	CodeGuard       Code = "guard"       // an edge's guard does not hold
	CodePayload     Code = "payload"
	CodeTransition  Code = "transition" // of the workflow's state machine
	CodeLoop        Code = "loop"
	CodeDeadlock    Code = "deadlock" // the same handoff with the same context
	CodeQuota       Code = "quota"    // of an edge
	CodeNoProgress  Code = "no_progress"
	CodeLimit       Code = "limit"    // handoffs of the run
	CodeEconomic    Code = "economic" // of the class
	CodeAgents      Code = "agents"   // too many different agents
	CodeDepth       Code = "depth"
	CodeTurns       Code = "turns"    // too many turns
	CodeBudget      Code = "budget"   // tokens
	CodeDeadline    Code = "deadline" // time
	CodeBreaker     Code = "breaker_open"
	CodeApproval    Code = "not_approved"
	CodeExpired     Code = "approval_expired"
	CodeStale       Code = "stale" // its frame has ended, or another turn has begun
	CodeSuperseded  Code = "superseded"
	CodeRefused     Code = "refused" // by the target
	CodeAcceptTime  Code = "accept_timeout"
	CodeFailed      Code = "failed" // the target's work failed
	CodeCancelled   Code = "cancelled"
	CodeJoin        Code = "join" // too few branches succeeded
	CodeJoinTime    Code = "join_timeout"
	CodeConflict    Code = "conflict"
	CodeDisabled    Code = "disabled"
	CodeToken       Code = "token"    // no suspended work has it
	CodeNoCall      Code = "no_call"  // a return without a caller
	CodeLadder      Code = "ladder"   // every rung was tried
	CodeMultiple    Code = "multiple" // several handoffs in one turn
	CodeOrphan      Code = "orphan"   // the owner of a plan's step has left
)

// Case is a handoff as checks see it. Checks must not change it. A spawn is one
// case for each of its branches, with the branch's target.
type Case struct {
	Policy  *Policy
	Desk    *Desk
	Log     Log
	Command *Command
	Now     time.Time
	Session string

	From   string   // the source's id
	Source *Profile // nil: it is not registered
	Target *Profile // nil: it is not registered
	Frame  *Frame   // of the source; nil: it has none
	Edge   *Edge    // that fits; nil: none
	Near   []Edge   // edges between the two whose guard, kind or state does not fit
	Hash   string   // of the command's canonical context
	Digest string   // of the state, for LoopProgress; "": not known
	Facts  Facts
	Depth  int // of the frame that the target would get
}

// Failure is what a check has against a handoff.
type Failure struct {
	Code    Code
	Message string
	Rule    string // the rule or limit that it broke; may be empty
	Action  Action // what to do about it; zero: as the policy says for the code
	// Ask makes it a question: a person decides, as this says, if no check has
	// anything else against the handoff. Nil: the handoff is rejected.
	Ask *ApprovalPolicy
}

// Check is one step of the pipeline that every handoff passes.
type Check struct {
	Name string
	// Run returns what is wrong; nothing: the check passes. It must be pure, and
	// may be called by several goroutines at once. All checks run, also those
	// behind one that failed: Case.Target may be nil.
	Run func(*Case) []Failure
}

// Verdict is what a Decision says.
type Verdict string

// The verdicts.
const (
	Allow  Verdict = "allow"
	Reject Verdict = "reject"
	Ask    Verdict = "ask" // a person must approve
)

// Decision is what the pipeline made of a handoff. The first failure decides,
// all are told.
type Decision struct {
	Verdict  Verdict
	Failures []Failure // of Reject; of Ask the questions, in the order of the checks
	Edge     *Edge
	Approval *ApprovalPolicy // of Ask: that of the first question
	Why      []string        // how rules came to it
}
