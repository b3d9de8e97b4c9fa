package stored

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/internal/sessions"
	"github.com/graphrun/graphrun/state"
)

// Config holds what a System is made of.
type Config struct {
	Agents []handoffs.Profile
	// Available says whether an agent can work now; nil: as its profile says.
	Available func(id string) bool
	Invoke    InvokeAgent      // needed
	Store     checkpoint.Store // keeps the sessions, and nothing else; nil: in memory
	Trace     handoffs.Sink    // nil: lines of JSON on standard error
	Retries   int              // of an invocation that failed, under the same handoff; 0 or less: none
	Policy    *handoffs.Policy // nil: Policy()
	Clock     func() time.Time // nil: time.Now
}

// System executes handoffs and keeps them. It may be used by any number of
// goroutines at once.
type System struct {
	cfg    Config
	book   *sessions.Book[session]
	outbox handoffs.Outbox
}

// session is what is kept of a session.
type session struct {
	handoffs.State
	Snapshots []snapshot `json:"snapshots"`
}

var (
	fields  = handoffs.FieldsOf(func(s *session) *handoffs.State { return &s.State })
	talking = state.NewList("snapshots", func(s *session) *[]snapshot { return &s.Snapshots })
	schema  = state.MustSchema(fields, talking)
)

// New returns a system, or all that is wrong with its configuration.
func New(cfg Config) (*System, error) {
	if cfg.Invoke == nil {
		return nil, errors.New("stored: Invoke is nil: set the function that lets an agent work")
	}
	if len(cfg.Agents) == 0 {
		return nil, errors.New("stored: there are no agents")
	}
	p, err := cfg.policy()
	if err != nil {
		return nil, err
	}
	book, err := sessions.New(sessions.Config[session]{Name: "stored", Fields: fields, Schema: schema, Policy: p, Store: cfg.Store, Clock: cfg.Clock})
	if err != nil {
		return nil, err
	}
	if cfg.Trace == nil {
		cfg.Trace = handoffs.NewLineSink(os.Stderr)
	}
	return &System{cfg: cfg, book: book, outbox: handoffs.Outbox{Trace: cfg.Trace}}, nil
}

// policy is the policy with the agents and the retries in it.
func (c *Config) policy() (*handoffs.Policy, error) {
	p := Policy()
	if c.Policy != nil {
		own := *c.Policy
		p = &own
	}
	var rc handoffs.RegistryConfig
	if c.Available != nil {
		rc.Available = func(id string, _ time.Time) bool { return c.Available(id) }
	}
	var err error
	if p.Registry, err = handoffs.NewRegistry(&rc, c.Agents...); err != nil {
		return nil, err
	}
	if p.Entry == "" {
		p.Entry = c.Agents[0].ID
	}
	if c.Retries > 0 && p.Edges == nil {
		p.Edges = []handoffs.Edge{{Name: "any", Retry: &handoffs.Retry{Max: c.Retries, Initial: -1}}}
	}
	return p, nil
}

// ExecuteHandoff validates a handoff, stores it, tells the trace, and invokes the
// target. It returns when the target has. Every error is a *HandoffError.
func (s *System) ExecuteHandoff(ctx context.Context, c HandoffContext) error {
	turn, err := s.begin(ctx, &c)
	for turn != nil {
		if err == nil {
			err = s.cfg.Invoke(ctx, turn.Agent, c.invocation(turn))
		}
		next, kept := s.end(context.WithoutCancel(ctx), &c, turn, err)
		if turn = next; turn != nil {
			err = nil // it is tried again
		} else {
			err = also(err, kept)
		}
	}
	return c.failed(err)
}

// also returns an error with what went wrong beside.
func also(err, beside error) error {
	if beside == nil {
		return err
	}
	return errors.Join(err, beside)
}

// StoreHandoffEvent validates a handoff, stores it and tells the trace, and
// returns its id. The target counts as being at work. Every error is a
// *HandoffError; there is an id beside it if only the trace failed.
func (s *System) StoreHandoffEvent(ctx context.Context, c HandoffContext) (id string, err error) {
	turn, err := s.begin(ctx, &c)
	if turn != nil {
		id = turn.Handoff
	}
	return id, c.failed(err)
}

// LogHarnessEvent tells the trace of an event.
func (s *System) LogHarnessEvent(ctx context.Context, e handoffs.TraceEvent) error {
	return s.cfg.Trace.Log(ctx, e)
}

// begin decides a handoff, stores what came of it and tells the trace. With a
// turn it is stored, even if the trace failed.
func (s *System) begin(ctx context.Context, c *HandoffContext) (*handoffs.Turn, error) {
	policy := s.book.Manager().Policy()
	if e := c.incomplete(policy.Registry); e != nil {
		return nil, also(e, s.LogHarnessEvent(ctx, c.invalid(e, s.book.Now())))
	}
	res, err := s.step(ctx, c.SessionID, func(at *session, in *handoffs.Batch) ([]state.Write[session], error) {
		last, more, err := snapshots(at.Snapshots, c.ConversationHistory, policy.Secrets)
		if err != nil {
			return nil, err
		}
		in.Context = func(*handoffs.ContextPolicy, *handoffs.Turn) (*handoffs.Sent, error) {
			return &handoffs.Sent{Policy: handoffs.ContextFull, Until: len(c.ConversationHistory), Hash: last}, nil
		}
		x, err := sessions.Execution(in, c.FromAgent, c.command(s.book.Manager()))
		in.Speaker, in.Executions = c.FromAgent, append(in.Executions, x)
		return []state.Write[session]{talking.Append(more...)}, err
	})
	turn := sessions.Begun(res)
	if res != nil && turn == nil {
		err = also(sessions.Refusal(res), err)
	}
	return turn, err
}

// end stores how the target's turn has ended, if it has not handed on. With
// another turn it is to be tried again.
func (s *System) end(ctx context.Context, c *HandoffContext, turn *handoffs.Turn, failed error) (*handoffs.Turn, error) {
	res, err := s.step(ctx, c.SessionID, func(_ *session, in *handoffs.Batch) ([]state.Write[session], error) {
		if !sessions.AtWork(in.Desk, turn) {
			return nil, sessions.ErrNothing
		}
		if failed == nil {
			return nil, nil
		}
		x, err := sessions.Failure(in, turn, failed)
		in.Executions = append(in.Executions, x)
		return nil, err
	})
	return sessions.Begun(res), err
}

// step is a step of a session, which the trace is told of. The error is the
// trace's if there is a result.
func (s *System) step(ctx context.Context, id string, next func(*session, *handoffs.Batch) ([]state.Write[session], error)) (*handoffs.Result, error) {
	after, res, err := s.book.Step(ctx, id, next)
	if res == nil {
		return nil, err
	}
	log := handoffs.LogOf(after.HandoffLog)
	_, err = s.outbox.Publish(ctx, id, log, log.Len()-len(res.Entries))
	return res, err
}

// invalid tells the trace of a handoff that did not come to its session.
func (c *HandoffContext) invalid(e *handoffs.Error, at time.Time) handoffs.TraceEvent {
	return handoffs.TraceEvent{
		ID:   fmt.Sprintf("%s/%s/%s/%s", c.SessionID, e.From+"->"+e.To, at.Format(time.RFC3339Nano), handoffs.TraceFailure),
		Type: handoffs.TraceFailure, At: at, Session: c.SessionID, Trace: c.HarnessTraceID, From: e.From, To: e.To, Kind: handoffs.Transfer,
		Reason: handoffs.Reason(c.Reason), Intent: c.UserIntent, Status: handoffs.Rejected,
		Decision: handoffs.RoutingTrace{Explanation: c.Reason, Code: e.Code, Codes: e.Codes, Message: e.Message},
	}
}
