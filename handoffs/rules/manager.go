package rules

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/bus"
	"github.com/graphrun/graphrun/handoffs/internal/sessions"
	"github.com/graphrun/graphrun/state"
)

// Config holds what a HandoffManager is made of. The zero Config is enough.
type Config struct {
	Policy *handoffs.Policy // nil: Workflow()
	Bus    MessageBus       // nil: one within the process
	Store  checkpoint.Store // keeps the requests, and nothing else; nil: in memory
	Clock  func() time.Time // nil: time.Now
}

// HandoffManager leads requests through the workflow: it decides handoffs,
// keeps what is pending, and tells the bus. Agents are programs of their own that
// accept what they are handed, and say when they have done it. It may be used by
// any number of goroutines at once.
type HandoffManager struct {
	book *sessions.Book[request]
	bus  MessageBus
}

// request is what is kept of a request.
type request struct {
	handoffs.State
	Facts map[string]any `json:"facts"` // that rules see
	Told  int            `json:"told"`  // how long the log was when the last step began: what is behind it may not have been told
}

var (
	fields = handoffs.FieldsOf(func(r *request) *handoffs.State { return &r.State })
	facts  = state.NewMap("facts", func(r *request) *map[string]any { return &r.Facts })
	told   = state.NewValue("told", func(r *request) *int { return &r.Told })
	schema = state.MustSchema(fields, facts, told)
)

// NewHandoffManager returns a manager, or all that is wrong with its policy.
func NewHandoffManager(cfg Config) (*HandoffManager, error) {
	p := Workflow()
	if cfg.Policy != nil {
		own := *cfg.Policy
		p = &own
	}
	if p.Registry == nil {
		return nil, errors.New("rules: the policy has no agents: set its Registry")
	}
	for a := range p.Registry.All() {
		waiting := *a
		waiting.External = true
		p.Registry = p.Registry.With(waiting)
	}
	if len(p.Edges) == 0 && p.Rules != nil {
		p.Edges = paths(p.Rules.List)
	}
	book, err := sessions.New(sessions.Config[request]{Name: "rules", Fields: fields, Schema: schema, Policy: p, Store: cfg.Store, Clock: cfg.Clock})
	if err != nil {
		return nil, err
	}
	if cfg.Bus == nil {
		cfg.Bus = bus.NewLocal(nil)
	}
	return &HandoffManager{book: book, bus: cfg.Bus}, nil
}

// paths are the ways that rules lead, for agents that hand over themselves.
func paths(list []handoffs.Rule) (edges []handoffs.Edge) {
	for i := range list {
		r := &list[i]
		edges = append(edges, handoffs.Edge{Name: "path " + r.Name, From: r.From, To: one(r.To), Capability: r.Capability, Next: cmp.Or(r.Again, r.Next)})
	}
	return edges
}

// Bus returns the bus that handoffs are told by.
func (m *HandoffManager) Bus() MessageBus { return m.bus }

// Log returns what has happened to a request, for the views of package handoffs:
// handoffs.History with the status completed, for example. That of a request that
// has not begun is empty.
func (m *HandoffManager) Log(ctx context.Context, requestID string) (handoffs.Log, error) {
	at, err := m.book.Load(ctx, requestID)
	return handoffs.LogOf(at.HandoffLog), err
}

// StartWorkflow begins a request: the first agent is at work on it. Known are the
// facts that rules see; a request that has begun is an error.
func (m *HandoffManager) StartWorkflow(ctx context.Context, c AgentContext, known map[string]any) (AgentTask, error) {
	if strings.TrimSpace(c.RequestID) == "" {
		return AgentTask{}, errors.New("rules: a request needs an id")
	}
	after, _, err := m.step(ctx, c.RequestID, func(at *request, in *handoffs.Batch) ([]state.Write[request], error) {
		if len(at.Handoffs.Frames) > 0 {
			return nil, errors.New("rules: the request has begun already")
		}
		in.Started = true
		ws := put(learned(known))
		for _, f := range [...]struct{ key, id string }{{"requestId", c.RequestID}, {"sessionId", c.SessionID}, {"userId", c.UserID}} {
			if f.id != "" {
				ws = append(ws, facts.Put(f.key, f.id))
			}
		}
		return ws, nil
	})
	_, task := atWork(&after, c.RequestID)
	return task, err
}

// put adds what is known to the facts, in the order of the keys.
func put(known map[string]any) (ws []state.Write[request]) {
	for _, key := range slices.Sorted(maps.Keys(known)) {
		ws = append(ws, facts.Put(key, known[key]))
	}
	return ws
}

// learned is what may be known of a request from now on. Whose it is stays as it
// is.
func learned(known map[string]any) map[string]any {
	out := maps.Clone(known)
	for _, id := range []string{"requestId", "sessionId", "userId"} {
		delete(out, id)
	}
	return out
}

// Handoff hands the request over that an agent works on, along a way of the
// rules, without asking their conditions. The task waits until its target accepts
// it. The error is a *handoffs.Error. Behind a handoff that was rejected the error
// monitor has the work; one that Validate does not let pass, or that comes from an
// agent that is not at work (handoffs.CodeStale), changes nothing.
func (m *HandoffManager) Handoff(ctx context.Context, h AgentHandoff) (AgentTask, error) {
	if err := h.Validate(); err != nil {
		return AgentTask{}, err
	}
	c := handoffs.NewCommand(h.ToAgent, handoffs.Delegation, h.Reason)
	c.Kind, c.Task, c.Payload, c.Priority = handoffs.Transfer, h.Task.Type, h.Task.Payload, h.Task.Priority
	return m.hand(ctx, h.Context.RequestID, "", h.FromAgent, nil, nil, c)
}

// hand ends an agent's turn with commands, behind which the workflow is in the
// last one of states, and returns the task that came of it.
func (m *HandoffManager) hand(ctx context.Context, requestID, handoff, agent string, states []string, known map[string]any, cs ...handoffs.Command) (AgentTask, error) {
	after, res, err := m.step(ctx, requestID, func(at *request, in *handoffs.Batch) ([]state.Write[request], error) {
		turn := turnOf(&at.Handoffs, agent, handoff)
		if turn == nil {
			return nil, stale(handoff, agent)
		}
		if err := m.StateMachine().path(at.Handoffs.Machine, states); err != nil {
			return nil, err
		}
		for i := range cs {
			x, err := sessions.Ending(in, turn, &cs[i])
			if err != nil {
				return nil, err
			}
			in.Executions = append(in.Executions, x)
		}
		more := learned(known)
		in.Facts = seeing(at.Facts, more)
		return put(more), nil
	})
	if err == nil {
		err = refused(res)
	}
	if err != nil {
		return AgentTask{}, err
	}
	return next(&after, requestID), nil
}

// seeing are the facts that rules see.
func seeing(known, more map[string]any) handoffs.Facts {
	return func(name string) (any, bool) {
		if v, ok := more[name]; ok {
			return v, true
		}
		v, ok := known[name]
		return v, ok
	}
}

// refused returns why a step's handoff was rejected, or no rule made one; nil:
// neither is so.
func refused(res *handoffs.Result) error {
	for i := range res.Entries {
		e := &res.Entries[i]
		switch {
		case e.Event == handoffs.EventRule:
			code := handoffs.CodeGuard
			return &handoffs.Error{Code: code, Codes: []handoffs.Code{code}, From: e.From, Message: strings.Join(append([]string{e.Message}, e.Why...), "; ")}
		case e.Status() == handoffs.Rejected:
			return sessions.Refusal(res)
		}
	}
	return nil
}

// stale is the error of what comes from an agent that is not at work on it.
func stale(handoff, agent string) error {
	return &handoffs.Error{Code: handoffs.CodeStale, Codes: []handoffs.Code{handoffs.CodeStale}, Handoff: handoff, From: agent,
		Message: agent + " is not at work on this task"}
}

// turnOf returns the turn of an agent that is at work, on a handoff or, if that
// is "", on whatever it is; nil: it is not.
func turnOf(d *handoffs.Desk, agent, handoff string) *handoffs.Turn {
	for i := range d.Frames {
		if f := &d.Frames[i]; f.Agent == agent && f.State == handoffs.FrameRunning && (handoff == "" || f.Handoff == handoff) {
			return &handoffs.Turn{Agent: agent, Frame: f.ID, Epoch: f.Epoch}
		}
	}
	return nil
}

// step is a step of a request, which the bus is told of. What was told behind
// the step before is told again, as nobody knows whether it went out; a bus
// drops what it has had.
func (m *HandoffManager) step(ctx context.Context, requestID string, act func(*request, *handoffs.Batch) ([]state.Write[request], error)) (request, *handoffs.Result, error) {
	from := 0
	after, res, err := m.book.Step(ctx, requestID, func(at *request, in *handoffs.Batch) ([]state.Write[request], error) {
		from, in.Facts = at.Told, seeing(at.Facts, nil)
		ws, err := act(at, in)
		return append(ws, told.Set(in.Log.Len())), err
	})
	if err != nil || res == nil {
		return after, res, err
	}
	return after, res, m.publish(ctx, requestID, &after, from)
}
