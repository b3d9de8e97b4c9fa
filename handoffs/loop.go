package handoffs

// LoopRule finds handoffs that go round in circles. Window rules are
// heuristics: what proves that a run ends are Limits.
//
// A rule looks at handoffs that were accepted, newest first, and rejects the
// next one. Of one that is tried several times only the first attempt counts,
// unless Retries says otherwise. What a rule costs depends on its window, not on
// the log, as long as the handoffs that it counts are not rare.
type LoopRule struct {
	Name string
	Key  LoopKey
	// Window is how many of the last handoffs are looked at; 0 or less: all. Of
	// LoopUnique the window has the next handoff as its last one, and 0 or less
	// is 8; of LoopCycle 0 or less is as far as Longest needs; LoopQuota and
	// LoopProgress have none.
	Window int
	// Threshold: the handoff is one too many if it has happened this often in
	// the window already; 0 or less: 1. Of LoopCycle: which full period in a row
	// the handoff must not complete; below 2: 2. Of LoopUnique: how many
	// different targets a full window must have; 0 or less: 3. Of LoopProgress:
	// for how many handoffs the state may stay as it is; 0 or less: 3.
	Threshold int
	// Kinds are those that are counted, and rejected; nil: transfer, call,
	// escalate and spawn, and returns if Policy.CountReturns says so. Returns
	// are counted, but never rejected. LoopQuota counts all kinds but returns.
	Kinds    []Kind
	From, To string // only handoffs between these are rejected, by all rules; "": any
	Longest  int    // of LoopCycle: the longest period; 0 or less: 8
	Retries  bool   // count retries of one handoff too
	Action   Action // zero: as OnReject of Code
	Code     Code   // "": CodeLoop, of duplicates CodeDeadlock, of quotas CodeQuota, of progress CodeNoProgress
}

// LoopKey says what a LoopRule counts. The zero LoopKey is LoopTarget.
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
