package handoffs

// LoopRule finds handoffs that go round in circles. Window rules are
// heuristics: what proves that a run ends are Limits.
type LoopRule struct {
	Name   string
	Key    LoopKey
	Window int // how many of the last handoffs are looked at; 0 or less: all
	// Threshold: the handoff is one too many if it has happened this often in
	// the window already. Of LoopCycle: how many full periods may be seen. Of
	// LoopUnique: how many different agents the window must have.
	Threshold int
	Kinds     []Kind // what is counted; nil: transfer, call, escalate, spawn
	From, To  string // of LoopEdge: only this edge; "": each for itself
	Longest   int    // of LoopCycle: the longest period; 0: 8
	Retries   bool   // count retries of one handoff too
	Action    Action // zero: as OnReject of CodeLoop
	Code      Code   // "": CodeLoop, of duplicates CodeDeadlock, of quotas CodeQuota, of progress CodeNoProgress
}

// LoopKey says what a LoopRule counts.
type LoopKey string

// The keys of loop rules.
const (
	LoopTarget    LoopKey = "target"    // handoffs to the same target
	LoopEdge      LoopKey = "edge"      // from the same source to the same target
	LoopDuplicate LoopKey = "duplicate" // the same source, target and context hash
	LoopCycle     LoopKey = "cycle"     // the sequence of edges repeats with a period
	LoopUnique    LoopKey = "unique"    // too few different agents in the window
	LoopQuota     LoopKey = "quota"     // an edge over the whole run
	LoopProgress  LoopKey = "progress"  // the state's digest has not changed for Threshold handoffs
)
