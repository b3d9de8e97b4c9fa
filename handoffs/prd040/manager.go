package prd040

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/graphrun/graphrun/handoffs"
)

// Config holds what a HandoffManager is made of.
type Config struct {
	Agents []handoffs.Profile // one of them is the supervisor
	Policy *handoffs.Policy   // nil: Policy()
	Clock  func() time.Time   // nil: time.Now
	Logger *slog.Logger       // nil: nothing is logged
}

// HandoffManager works on states outside of a graph: each method takes one and
// says what has changed. It keeps nothing of them, and may be used by any number
// of goroutines at once: a program needs one.
type HandoffManager struct {
	manager *handoffs.Manager
	clock   func() time.Time
	log     *slog.Logger
}

// NewHandoffManager returns a manager, or all that is wrong with its agents and
// policy.
func NewHandoffManager(cfg Config) (*HandoffManager, error) {
	p := Policy()
	if cfg.Policy != nil {
		own := *cfg.Policy
		p = &own
	}
	if p.Registry == nil {
		r, err := handoffs.NewRegistry(nil, cfg.Agents...)
		if err != nil {
			return nil, err
		}
		p.Registry = r
	}
	m, err := handoffs.NewManager(p)
	if err != nil {
		return nil, err
	}
	h := &HandoffManager{manager: m, clock: cfg.Clock, log: Logger(cfg.Logger)}
	if h.clock == nil {
		h.clock = func() time.Time { return time.Now().UTC() }
	}
	return h, nil
}

// HandoffResult is what came of a handoff. One that was not accepted is a
// result, not an error.
type HandoffResult struct {
	Accepted        bool           `json:"accepted"`
	Record          *HandoffRecord `json:"record,omitempty"` // nil: there was nothing to record
	RejectionReason string         `json:"rejectionReason,omitempty"`
	Code            handoffs.Code  `json:"code,omitempty"` // of the rejection
	// Turn is what the agent that is active now is told: its task and payload, the
	// results that it waited for, why its handoff was rejected; nil: nobody works.
	Turn *handoffs.Turn `json:"turn,omitempty"`
	// UpdatedState is what changes: the active agent, its identity and the
	// history; of a rejection that the supervisor takes over, with a message.
	UpdatedState *StateUpdate `json:"updatedState,omitempty"`
}

// ValidationResult is what the checks say of a command.
type ValidationResult struct {
	Valid  bool   `json:"valid"`
	Reason string `json:"reason,omitempty"`
}

// ProcessHandoff decides a command of the active agent and carries it out. An
// error is one of the engine, or of a function that the policy was given.
func (m *HandoffManager) ProcessHandoff(ctx context.Context, c HandoffCommand, s *State) (HandoffResult, error) {
	res, err := m.give(ctx, s, s.ActiveAgent, c)
	return m.told(ctx, s, res, err)
}

// Validate tells what ProcessHandoff would say of a command, and changes
// nothing. The checks run in this order and the first one that fails speaks: the
// target exists, is another agent, no system agent unless the source is the
// supervisor, not a target too often of late, has the required capability.
func (m *HandoffManager) Validate(ctx context.Context, c HandoffCommand, s *State) (ValidationResult, error) {
	res, err := m.give(ctx, s, s.ActiveAgent, c)
	if err != nil {
		return ValidationResult{}, err
	}
	r := result(res)
	return ValidationResult{Valid: r.Accepted, Reason: r.RejectionReason}, nil
}

// ProcessUserAgentSelection lets the user choose the agent that goes on. The
// state goes into directed mode. Users are bound by fewer checks than agents:
// rights, loops and capabilities do not concern them; that the agent exists and
// may be chosen does. Choosing the active agent changes nothing.
func (m *HandoffManager) ProcessUserAgentSelection(ctx context.Context, targetAgentID string, s *State) (HandoffResult, error) {
	at := *s
	if len(s.Handoffs.Frames) <= 1 { // nobody waits for the active agent: its turn is over
		res, err := m.manager.Step(ctx, m.batch(s, s.ActiveAgent))
		if err != nil {
			return HandoffResult{}, err
		}
		at.Handoffs, at.HandoffLog = *res.Desk, append(slices.Clip(s.HandoffLog), res.Entries...)
	}
	res, err := m.give(ctx, &at, "", userHandoff(targetAgentID))
	if err == nil { // what ended the turn goes with it
		res.Entries = append(slices.Clip(at.HandoffLog[len(s.HandoffLog):]), res.Entries...)
	}
	return m.told(ctx, s, res, err)
}

// ReturnControl ends the work that the active agent was called for with
// ReturnControl: who called it is active again.
func (m *HandoffManager) ReturnControl(ctx context.Context, outcome handoffs.Outcome, s *State) (HandoffResult, error) {
	c := handoffs.NewCommand("", "", "")
	c.Kind, c.Result = handoffs.Return, &outcome
	return m.ProcessHandoff(ctx, c, s)
}

// give is a step with one command, which is not among the state's executions.
func (m *HandoffManager) give(ctx context.Context, s *State, speaker string, c HandoffCommand) (*handoffs.Result, error) {
	in := m.batch(s, speaker)
	in.Desk.Taken, in.Desk.Mark = 0, ""
	x, err := NewToolExecution(c, in.Now)
	if err != nil {
		return nil, err
	}
	x.Agent = speaker
	in.Executions = []handoffs.Execution{x}
	res, err := m.manager.Step(ctx, in)
	if err == nil {
		res.Desk.Taken, res.Desk.Mark = s.Handoffs.Taken, s.Handoffs.Mark
	}
	return res, err
}

// batch is what the manager works on.
func (m *HandoffManager) batch(s *State, speaker string) *handoffs.Batch {
	desk := s.Handoffs
	return &handoffs.Batch{
		Session: s.SessionID, Task: strconv.Itoa(desk.Seq), Desk: &desk, Log: handoffs.LogOf(s.HandoffLog), Speaker: speaker,
		Now: m.clock(), Messages: len(s.Messages), PlanStep: s.Plan.StepID(),
	}
}

// told makes the result of a step, and logs it.
func (m *HandoffManager) told(ctx context.Context, s *State, res *handoffs.Result, err error) (HandoffResult, error) {
	if err != nil {
		return HandoffResult{}, err
	}
	for _, n := range res.Notices {
		LogNotice(ctx, m.log, n)
	}
	r := result(res)
	if len(res.Turns) > 0 {
		r.Turn = &res.Turns[0]
	}
	r.UpdatedState = updateOf(s, res)
	return r, nil
}

// result reads what came of a step's handoff off its entries.
func result(res *handoffs.Result) HandoffResult {
	out := HandoffResult{Accepted: true}
	for i := range res.Entries {
		e := &res.Entries[i]
		if e.Record == nil && e.Event != handoffs.EventStale || e.Status() == handoffs.Superseded {
			continue
		}
		if e.Record != nil {
			r := *e.Record
			r.To = e.To
			out.Record = &r
		}
		if e.Code != "" {
			out.Accepted, out.Code, out.RejectionReason = false, e.Code, e.Message
		}
		return out
	}
	return out
}

// updateOf is what a step changes.
func updateOf(s *State, res *handoffs.Result) *StateUpdate {
	u := &StateUpdate{desk: res.Desk, entries: res.Entries}
	u.ExtendedState = viewOf(res.Desk, handoffs.LogOf(append(slices.Clip(s.HandoffLog), res.Entries...)))
	for _, r := range res.Messages {
		u.Messages = append(u.Messages, r.Message())
	}
	return u
}
