package protocol

import (
	"slices"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// MaxHandoffs is how many handoffs a workflow may make.
const MaxHandoffs = 5

// Policy returns the policy of the handoff protocol, with handoffs enabled.
// Registry and Entry are left to the caller.
func Policy() *handoffs.Policy {
	fail := handoffs.Action{Do: handoffs.FailRun}
	return &handoffs.Policy{
		Name:    "protocol",
		Limits:  handoffs.Limits{Handoffs: MaxHandoffs},
		Classes: handoffs.EconomicClasses(),
		Loops:   []handoffs.LoopRule{{Name: "same handoff in three", Key: handoffs.LoopDuplicate, Window: 3, Threshold: 1}},
		Breaker: &handoffs.BreakerPolicy{Key: handoffs.BreakAll, Threshold: 3},
		OnReject: map[handoffs.Code]handoffs.Action{
			"":                    fail,
			handoffs.CodeApproval: {Do: handoffs.EndRun},
			handoffs.CodeExpired:  {Do: handoffs.EndRun},
			handoffs.CodeDisabled: {Do: handoffs.ToSource},
		},
		OnFailure: fail,
		Context:   handoffs.ContextPolicy{Mode: handoffs.ContextArtifacts},
		Volatile:  handoffs.DefaultVolatile(),
		Degrade:   true,
		Texts: handoffs.Texts{
			handoffs.CodeBreaker: "handoffs temporarily disabled",
		},
	}
}

// Config says how a workflow hands over. The zero Config is the independent
// mode.
type Config struct {
	// EnableHandoffs opts in. Rollout names the economic classes that it holds
	// for; nil: all, also none.
	EnableHandoffs bool
	Rollout        []string
	Class          string // that the workflow begins with: simple, medium or complex; "": none
	// Fallback lets an agent go on alone, and all others with it, when a handoff
	// is rejected, instead of failing the run.
	Fallback  bool
	Loopbacks []Loopback
	// RequiresHumanApproval says whether a person must approve a handoff to an
	// agent; nil: none. It must be pure.
	RequiresHumanApproval func(agentName string, context Context) bool
}

// Loopback is a way back for another try, which is counted for itself.
type Loopback struct {
	From, To string
	Quota    int // how often it may be taken in a workflow; 0 or less: not at all
}

// Policy returns the policy for a workflow. Registry and Entry are left to the
// caller.
func (c *Config) Policy() *handoffs.Policy {
	p := Policy()
	p.Class = c.Class
	p.Disabled = !c.EnableHandoffs || c.Rollout != nil && !slices.Contains(c.Rollout, c.Class)
	if c.Fallback {
		p.OnReject[""] = handoffs.Action{Do: handoffs.DegradeTo}
	}
	for _, l := range c.Loopbacks {
		quota := l.Quota
		if quota <= 0 {
			quota = -1
		}
		p.Edges = append(p.Edges, handoffs.Edge{From: []string{l.From}, To: []string{l.To}, Limits: handoffs.Limits{Handoffs: quota}, Apart: true})
	}
	if p.Edges != nil {
		p.Edges = append(p.Edges, handoffs.Edge{Name: "any"})
	}
	if c.RequiresHumanApproval != nil {
		p.Approve = &handoffs.ApprovalPolicy{When: c.approval(), Words: true}
	}
	return p
}

// approval is the guard of handoffs that a person must approve.
func (c *Config) approval() *handoffs.Guard {
	return &handoffs.Guard{Text: "requires human approval", Holds: func(f handoffs.Facts) (bool, string, error) {
		to, _ := f("target")
		payload, _ := f("payload")
		name, _ := to.(string)
		values, _ := payload.(map[string]any)
		u, err := updateOf(values)
		if err != nil {
			return true, err.Error(), nil // what nobody can read a person looks at
		}
		return c.RequiresHumanApproval(name, u.Context), name, nil
	}}
}

// updateOf reads an update out of a payload. Other keys are passed over.
func updateOf(payload map[string]any) (u Update, err error) {
	if len(payload) == 0 {
		return u, nil
	}
	data, err := state.AppendAny(nil, payload)
	if err != nil {
		return u, err
	}
	return u, unmarshal(data, &u)
}
