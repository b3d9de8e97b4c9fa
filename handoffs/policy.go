package handoffs

import "time"

// Policy is everything a Manager decides by. All of it is values: the same
// policy, desk, log and command give the same decision. A Policy must not be
// changed once a Manager has it.
type Policy struct {
	Name     string // shown in explanations; a preset's name for example
	Registry *Registry
	// Supervisor may hand to system agents, and gets what is rejected unless
	// OnReject says otherwise; "": there is none.
	Supervisor string
	// Entry is the agent that begins; "": the supervisor.
	Entry string

	Checks []Check // in their order; nil: DefaultChecks()
	// UserChecks are those for handoffs that users ask for; nil: without the
	// loop rules, capability and system rights of DefaultChecks.
	UserChecks []Check

	Edges   []Edge   // who may hand to whom; nil: everyone to everyone
	Rules   *Rules   // handoff rules as data; nil: none
	Machine *Machine // guards the workflow's states; nil: none
	Loops   []LoopRule
	// Limits of a run, that is of a session's thread. A policy without Limits,
	// Edges, Rules, Loops and Classes makes at most 20 handoffs.
	Limits Limits
	// PerMessage lets Limits and Classes count handoffs and turns anew when a run
	// begins with an input, a message of the user: for conversations that go on.
	// Their other bounds hold for the thread.
	PerMessage bool
	// Results are types of results by name: a value of one is a map with these
	// fields. Beside them there are the types of PayloadField; what a type of
	// another name is nobody looks at.
	Results    map[string][]PayloadField
	Classes    map[string]Limits // economic classes by name
	Class      string            // the class that sessions begin with; "": none
	Breaker    *BreakerPolicy    // nil: none
	Router     Router            // chooses among agents with a capability; nil: FirstMatch
	Queue      QueuePolicy
	Approve    *ApprovalPolicy // nil: only edges and rules ask
	Ladder     []string        // of Escalate: agents in order; behind the last one a person is asked, if LadderAsks, else it fails
	LadderAsks bool
	LadderTime time.Duration // how long that person may take; then the escalation fails with CodeLadder; 0 or less: no bound

	OnReject   map[Code]Action // "" is the rest; what is absent goes to the supervisor with an error message, or back to the source if there is none
	OnMultiple Multiple        // several handoffs in one turn
	OnSwitch   Switch          // a user chooses another agent
	OnSiblings Siblings        // the owner hands over while others are at work
	OnFailure  Action          // an agent's turn failed; zero: as OnReject of CodeFailed

	Context ContextPolicy
	Depth   int           // of calls; 0: 16; less: no bound
	Accept  time.Duration // how long a target may take to accept; 0 or less: no bound
	// Misses is how many handoffs of one frame may be given back to it in a row
	// before it fails with the last code; 0: 3; less: no bound.
	Misses int
	// KeepActive leaves the active agent as it is during calls.
	KeepActive bool
	// CountReturns lets loop rules count returns as handoffs.
	CountReturns bool
	// Endless says that handoffs need not end: nothing must bound them then, and
	// the policy's user sees to it. Otherwise NewManager refuses a policy in which
	// nothing gets less on some cycle of agents.
	Endless bool
	// Free lets commands leave out explanation, task and intent; Need names
	// those that must be there: "reason", "explanation", "task", "intent".
	Need []string
	// Upper writes ids in upper case.
	Upper bool
	// Disabled is the single-agent mode: handoffs are rejected with CodeDisabled.
	Disabled bool
	// Degrade goes on without handoffs when the handling of one fails by an
	// error, of a router or a context's function say, and not of a rule: the
	// step is done again, and handoffs are rejected with CodeDisabled from then on.
	Degrade bool
	Secrets Redactor // what is stored of payloads and texts passes it; nil: as it is
	Texts   Texts    // messages by code; what is absent has the default text
	// Volatile names keys of payloads that do not count for context hashes.
	Volatile []string
	// MostPayload is the size of a command's JSON in bytes; 0: 1 MiB.
	MostPayload int
	// Virtual is the start of a virtual clock, which usage and waits move;
	// zero: real time.
	Virtual time.Time
	// Script are signals that come by themselves under a virtual clock.
	Script []Scheduled
}

// Scheduled is a signal with its time under a virtual clock.
type Scheduled struct {
	After  time.Duration // from the clock's start
	When   *Guard        // sees the state's fields then; if it does not hold the signal does not come; nil: it comes
	Signal Signal
}

// Action says what becomes of a handoff that is rejected or fails.
type Action struct {
	Do     ActionKind
	Target string // of RouteTo
}

// ActionKind is the sort of an Action. The zero ActionKind is DoDefault.
type ActionKind string

// The actions.
const (
	DoDefault  ActionKind = ""          // as the policy has it for the rest
	ToSource   ActionKind = "source"    // the source goes on and is told why
	RouteTo    ActionKind = "route"     // another agent takes over, with an error message
	DoEscalate ActionKind = "escalate"  // the next rung of the ladder
	AskPerson  ActionKind = "interrupt" // a person decides
	DegradeTo  ActionKind = "degrade"   // the source goes on alone, handoffs are out of order from now on
	FailRun    ActionKind = "fail"      // the run fails with the typed error
	EndRun     ActionKind = "end"       // the run ends
)

// Multiple says what becomes of several handoffs in one turn.
type Multiple string

// What OnMultiple can be. Calls always run before a transfer.
const (
	TakeFirst Multiple = ""           // the first transfer in the order of the turn; the others are superseded
	TakeNone  Multiple = "reject_all" // all are rejected
	// FanOut makes all transfers of a turn that has nothing else, side by side:
	// the first one takes over, the others work as calls that nobody waits for, so
	// that their results become messages. Their edges must be Parallel. Other
	// turns are as with TakeFirst.
	FanOut Multiple = "fanout"
)

// Switch says what becomes of agents at work when a user chooses another one.
type Switch string

// What OnSwitch can be.
const (
	SuspendWork Switch = ""        // they are set aside under a token; Resume goes on with them
	AbandonWork Switch = "abandon" // they are cancelled
	BranchOff   Switch = "branch"  // the chosen agent works beside them and returns to them
)

// Siblings says what becomes of branches at work when the owner hands over.
type Siblings string

// What OnSiblings can be.
const (
	WaitForThem Siblings = ""       // the handoff waits for their join
	DetachThem  Siblings = "detach" // they go on, and their results come as messages
	CancelThem  Siblings = "cancel"
)

// Edge is a way from agents to agents. Edges are tried in their order; the
// first that fits is the handoff's.
type Edge struct {
	Name       string
	From       []string // nil: any agent
	To         []string // agents; nil: any, or those of Capability
	Capability string
	Kinds      []Kind // nil: any
	Reasons    []Reason
	// Guard must hold; nil: it does. It sees the state's fields and the payload.
	Guard   *Guard
	Payload []PayloadField // what the payload must have; nil: anything
	Closed  bool           // keys that Payload does not name are errors

	Context       *ContextPolicy // nil: that of the policy
	Limits        Limits         // Handoffs: how often it may be taken in a run; a quota. Time, Tokens: of the target's frame
	Retry         *Retry         // when the target fails; nil: none
	Approval      *ApprovalPolicy
	OnReject      map[Code]Action // before that of the policy
	Priority      Priority
	Result        string   // the type of result that callers expect, see Policy.Results; "": that of the target's profile
	Apart         bool     // its handoffs are counted by Limits.Handoffs alone, not by those of the run or class
	Parallel      bool     // of FanOut: its transfers may be made beside others of the same turn
	CompletesStep bool     // a transfer ends the plan's step as done
	Returns       string   // "": as the target's profile; "explicit"; "auto"
	Next          string   // the workflow's state behind it
	When          []string // the workflow's states in which it may be taken; nil: any
}

// PayloadField is a key of a payload with its type.
type PayloadField struct {
	Key      string
	Type     string // as in graph files: any (also if empty), string, int, float, bool, list, map
	Optional bool
	Enum     []any // the values it may have; nil: any
}

// Guard is a condition over the state and the command's payload.
type Guard struct {
	Text string // as people read it
	// Holds says whether it does, and with which values: "quotes = 3".
	Holds func(Facts) (holds bool, because string, err error)
	// Range is the same condition for Lint to reason about, as alternatives of
	// comparisons that must all hold; nil: not known. See Compare.
	Range [][]Comparison
}

// Facts are what guards and rules see: the state's fields, and payload, task,
// reason, target, source of the command.
type Facts func(name string) (any, bool)

// Retry says whether and when a failed call of a target is repeated. The
// handoff keeps its id.
type Retry struct {
	Max     int           // retries beside the first attempt; 0: 3; less: none
	Initial time.Duration // before the first retry; 0: one second; less: none
	Factor  float64       // 0: 2; below 1: 1
	Most    time.Duration // 0: no bound
	Jitter  bool          // drawn from the handoff's id: the same in every run
}

// Texts holds messages by code: they may name {target}, {source}, {capability},
// {limit}, {value}.
type Texts map[Code]string

// Redactor takes secrets out of what is stored.
type Redactor interface {
	// Redact returns the text without its secrets. It must be pure and may be
	// called by several goroutines at once.
	Redact(text string) string
}
