package handoffs

import "time"

// Desk is where the handoffs of a session stand: who works, for whom, what
// waits. It is part of the state and holds what is open only, so that its size
// does not grow with the past. ProcessHandoff is its one writer.
type Desk struct {
	Owner    string    `json:"owner,omitempty"`    // the agent that the user's next message goes to
	Active   string    `json:"active,omitempty"`   // the agent at work, or that was last; of several side by side their caller
	Identity *Identity `json:"identity,omitempty"` // of Active
	Mode     string    `json:"mode,omitempty"`     // "" or ModeDirected
	Directed *Directed `json:"directed,omitempty"`

	Mark    string   `json:"mark,omitempty"`  // the id of the last execution that was looked at
	Taken   int      `json:"taken,omitempty"` // executions that were looked at; Mark is the last of them
	Said    int      `json:"said,omitempty"`  // messages when it was written
	Seq     int      `json:"seq,omitempty"`   // entries in the log
	Made    int      `json:"made,omitempty"`  // frames made so far, for their ids
	Frames  []Frame  `json:"frames,omitempty"`
	Groups  []Group  `json:"groups,omitempty"`
	Queue   []Offer  `json:"queue,omitempty"`   // handoffs that wait: for approval, acceptance, a free target, a retry
	Parked  []Parked `json:"parked,omitempty"`  // agents that were set aside
	Signals []string `json:"signals,omitempty"` // the ids of the last signals, to drop repeated ones

	Class    string             `json:"class,omitempty"`    // economic class
	Counts   map[string]int     `json:"counts,omitempty"`   // by key, see the Count functions
	Spent    Usage              `json:"spent,omitzero"`     // of the whole session
	Breakers map[string]Breaker `json:"breakers,omitempty"` // those that are not closed, or have failures; of shared ones as they were last seen
	Machine  string             `json:"machine,omitempty"`  // the state of the workflow's state machine
	Begun    time.Time          `json:"begun,omitzero"`     // the session's first handoff
	Clock    time.Duration      `json:"clock,omitempty"`    // how far a virtual clock has moved
	Fired    []string           `json:"fired,omitempty"`    // idempotency keys of rules that fired for the events at work
	Scripted int                `json:"scripted,omitempty"` // scheduled signals that have come
	Fault    *Refusal           `json:"fault,omitempty"`    // the run fails with it, or has
	Ended    bool               `json:"ended,omitempty"`    // a policy has ended the run
	Plan     PlanHold           `json:"plan,omitempty"`     // why the plan stands still
	Ends     []StepEnd          `json:"stepEnds,omitempty"` // of the plan's steps, for next_step
	Degraded bool               `json:"degraded,omitempty"` // handoffs are out of order: agents go on alone
}

// ModeDirected is Desk.Mode while a user's choice of an agent bypasses routing.
const ModeDirected = "directed"

// Identity is what a front end shows of an agent.
type Identity struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Icon  string `json:"icon,omitempty"`
	Color string `json:"color,omitempty"`
}

// Directed is the context of ModeDirected.
type Directed struct {
	Target string `json:"targetAgentId"`
	Bypass bool   `json:"bypassRouting"`
}

// Frame is an agent's stay: from when it was handed to until it returns, hands
// over or is cancelled. The frames of a session are a tree: a frame's Caller
// waits for it.
type Frame struct {
	ID      string     `json:"id"`
	Agent   string     `json:"agent"`
	Handoff string     `json:"handoff,omitempty"` // that brought the agent here; "" of the first one
	Origin  string     `json:"origin,omitempty"`  // the call or branch of a spawn that it goes back to; Handoff itself if no transfer came behind
	Call    string     `json:"call,omitempty"`    // the call or spawn that it owes a result to, kept by transfers; "": nobody waits
	Caller  string     `json:"caller,omitempty"`  // the frame that waits for it
	Group   string     `json:"group,omitempty"`   // the spawn it is a branch of
	Branch  string     `json:"branch,omitempty"`
	Step    string     `json:"planStep,omitempty"`
	Root    *StepRoot  `json:"root,omitempty"`  // of the plan's step that ends with it; nil: of none
	Depth   int        `json:"depth,omitempty"` // of calls around it
	Epoch   int        `json:"epoch,omitempty"` // counts its turns: what an older turn emits is stale
	State   FrameState `json:"state"`
	Turns   int        `json:"turns,omitempty"` // it has begun
	Waits   int        `json:"waits,omitempty"` // results it waits for

	Task    string         `json:"task,omitempty"`
	Payload map[string]any `json:"payload,omitempty"`
	Context *Sent          `json:"context,omitempty"`
	Limits  Limits         `json:"limits,omitzero"`  // its own bounds
	Spent   Usage          `json:"spent,omitzero"`   // by it and those it called
	Handed  int            `json:"handed,omitempty"` // handoffs made by it and those it called
	Begun   time.Time      `json:"begun,omitzero"`
	Until   *Until         `json:"until,omitempty"`   // what it waits for
	Wake    time.Time      `json:"wake,omitzero"`     // when its wait ends
	Came    []Signal       `json:"came,omitempty"`    // signals that came while it waited
	Results []CallResult   `json:"results,omitempty"` // that came for it since its last turn
	Visited []string       `json:"visited,omitempty"` // rungs of the ladder that were tried
	Grants  []string       `json:"grants,omitzero"`
	Retries int            `json:"retries,omitempty"`

	Edge       string   `json:"edge,omitempty"`       // that it came by
	Reply      string   `json:"reply,omitempty"`      // the tool call that its result answers
	Then       *Then    `json:"then,omitempty"`       // what it does when its results are there
	Refused    *Refusal `json:"refused,omitempty"`    // of its last handoff
	Misses     int      `json:"misses,omitempty"`     // refusals in a row
	Asked      []string `json:"asked,omitempty"`      // the calls and spawns of its last turn, in their order
	Expired    bool     `json:"expired,omitempty"`    // its wait ended by time
	Detached   bool     `json:"detached,omitempty"`   // nobody waits any more: its result becomes a message
	Stays      bool     `json:"stays,omitempty"`      // it returns by a Return only
	Kind       Kind     `json:"kind,omitempty"`       // of the handoff that brought it
	Capability string   `json:"capability,omitempty"` // that it was chosen for
	Rule       bool     `json:"rule,omitempty"`       // a rule handed to it
	Again      bool     `json:"again,omitempty"`      // its wait is that before a retry
	Told       bool     `json:"told,omitempty"`       // its task's end is in the log
	Owes       string   `json:"owes,omitempty"`       // the type of the result that its call wants; "": any
	Rescues    bool     `json:"rescues,omitempty"`    // it took over from an agent that had failed
	Settled    bool     `json:"settled,omitempty"`    // its handoff has its last status
	From       string   `json:"from,omitempty"`       // who handed to it
	Reason     Reason   `json:"reason,omitempty"`
	Intent     string   `json:"intent,omitempty"`
	Why        string   `json:"why,omitempty"`   // the explanation of its handoff
	Needs      []string `json:"needs,omitempty"` // the capabilities that were asked for
}

// Then is a handoff that waits for the results of calls of the same turn.
type Then struct {
	ID      string  `json:"handoffId"`
	Reply   string  `json:"reply,omitempty"`
	Command Command `json:"command"`
}

// FrameState says what a frame does.
type FrameState string

// The states of frames.
const (
	FrameRunning FrameState = "running" // its agent has a turn
	FrameCalling FrameState = "calling" // it waits for results
	FrameWaiting FrameState = "waiting" // for a signal or a time
	FrameInput   FrameState = "input"   // for the user's next message
	FrameReady   FrameState = "ready"   // it gets its turn behind next_step
)

// CallResult is the result of a call or a spawn, for the agent that made it.
type CallResult struct {
	Handoff   string         `json:"handoffId"`
	Agent     string         `json:"agentId"` // who returned: behind a transfer another one than was called
	Task      string         `json:"task,omitempty"`
	Outcome   Outcome        `json:"outcome"`
	Parts     []BranchResult `json:"parts,omitempty"` // of a spawn, in the order of its branches
	Conflicts []Conflict     `json:"conflicts,omitempty"`
}

// BranchResult is the result of one branch of a spawn.
type BranchResult struct {
	Branch  string  `json:"branch"`
	Agent   string  `json:"agentId"`
	Done    bool    `json:"done,omitempty"` // false while it is at work
	Outcome Outcome `json:"outcome,omitzero"`
}

// Conflict is a key that branches of a spawn wrote with different values.
type Conflict struct {
	Key    string         `json:"key"`
	Values map[string]any `json:"values"`           // by branch
	Winner string         `json:"winner,omitempty"` // the branch whose value was taken; "": none
}

// Group is a spawn that is not joined yet.
type Group struct {
	ID     string         `json:"id"`     // the handoff's
	Caller string         `json:"caller"` // frame
	Join   Join           `json:"join,omitzero"`
	Parts  []BranchResult `json:"parts"`
	Due    time.Time      `json:"due,omitzero"`
	Reply  string         `json:"reply,omitempty"` // the tool call that its result answers
}

// Offer is a handoff that was decided and has not begun.
type Offer struct {
	Record   *Record   `json:"record"`
	To       string    `json:"to"`
	Status   Status    `json:"status"` // AwaitingApproval, PendingAccept, or Failed while it waits for a retry
	Level    int       `json:"level"`  // of its priority: the lowest goes first
	Since    time.Time `json:"since"`
	Due      time.Time `json:"due,omitzero"`  // when it times out
	Next     time.Time `json:"next,omitzero"` // when its next attempt begins
	Attempt  int       `json:"attempt,omitempty"`
	Asked    int       `json:"asked,omitempty"` // how often a person was asked
	Edge     string    `json:"edge,omitempty"`
	State    string    `json:"state,omitempty"`    // the workflow's state that the command names
	Class    string    `json:"class,omitempty"`    // the economic class that the command names
	External bool      `json:"external,omitempty"` // its target accepts by a signal
	Frame    Frame     `json:"frame"`              // as it will be
	Source   string    `json:"source,omitempty"`   // the frame of the source
	Approval *Approval `json:"approval,omitempty"` // what the person is asked
}

// Parked are frames that were set aside, by a user's switch for example.
type Parked struct {
	Token  string    `json:"token"`
	Owner  string    `json:"owner"`
	Active string    `json:"active"`
	Frames []Frame   `json:"frames,omitempty"`
	Groups []Group   `json:"groups,omitempty"`
	Queue  []Offer   `json:"queue,omitempty"`
	Reason string    `json:"reason,omitempty"`
	Plan   bool      `json:"plan,omitempty"` // a plan goes on with them
	Ends   []StepEnd `json:"stepEnds,omitempty"`
}

// Sent tells what an agent was given of the conversation. The text itself is
// not stored: it is made anew from the messages by the same policy.
type Sent struct {
	Policy ContextMode `json:"policy"`
	From   int         `json:"from,omitempty"`  // the messages of the state that it was made of: from
	Until  int         `json:"until,omitempty"` // and up to, without
	Hash   string      `json:"hash,omitempty"`  // of what was sent
	Bytes  int         `json:"bytes,omitempty"`
	Tokens int         `json:"tokens,omitempty"`
	Left   int         `json:"left,omitempty"` // messages that were left out
}

// Turn is what an agent's task is told about its turn. It is laid over the
// state of that task alone. The zero Turn is the first agent's, before any
// handoff.
type Turn struct {
	Agent   string         `json:"agent,omitempty"`
	Frame   string         `json:"frame,omitempty"`
	Epoch   int            `json:"epoch,omitempty"`
	Handoff string         `json:"handoff,omitempty"`
	From    string         `json:"from,omitempty"`   // who handed to it
	Called  bool           `json:"called,omitempty"` // somebody waits for its result
	Task    string         `json:"task,omitempty"`
	Reason  Reason         `json:"reason,omitempty"`
	Intent  string         `json:"intent,omitempty"`
	Payload map[string]any `json:"payload,omitempty"`
	Number  int            `json:"number,omitempty"`  // of its turns in this frame, from 1
	Results []CallResult   `json:"results,omitempty"` // of what it had called
	Why     string         `json:"why,omitempty"`     // the explanation of its handoff
	Needs   []string       `json:"needs,omitempty"`   // the capabilities that were asked for
	Signals []Signal       `json:"signals,omitempty"` // that ended its wait
	Expired bool           `json:"expired,omitempty"` // its wait ended by time
	Refused *Refusal       `json:"refused,omitempty"` // its handoff was not accepted
	Context *Sent          `json:"context,omitempty"`
	Grants  []string       `json:"grants,omitzero"`
	Step    string         `json:"planStep,omitempty"`
	Branch  string         `json:"branch,omitempty"`
	Started bool           `json:"started,omitempty"` // for process_handoff: the run has just begun
	Attempt int            `json:"attempt,omitempty"` // from 2 on it is a retry
}

// Refusal tells an agent why a handoff of its, or of the agent that it takes
// over from, was not accepted.
type Refusal struct {
	Handoff string         `json:"handoffId"`
	Target  string         `json:"targetAgentId"`
	Code    Code           `json:"code"`
	Codes   []Code         `json:"codes,omitempty"`
	Message string         `json:"message"`
	Task    string         `json:"task,omitempty"` // what the target was to do
	Payload map[string]any `json:"payload,omitempty"`
}
