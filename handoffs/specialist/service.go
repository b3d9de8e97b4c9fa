package specialist

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/internal/sessions"
	"github.com/graphrun/graphrun/state"
)

// Config holds what a HandoffService is made of.
type Config struct {
	Router *Router          // needed: who is there
	Run    Runner           // needed: lets an agent work
	Agents *AgentService    // who agents are, for Run; nil: it is given their ids alone
	Policy *handoffs.Policy // nil: Policy(); its Registry is the router's
	Store  checkpoint.Store // keeps the conversations' handoffs, and nothing else; nil: in memory
	Clock  func() time.Time // nil: time.Now
	Logger *slog.Logger     // nil: nothing is logged
}

// HandoffService executes handoffs to specialists and keeps them. It may be used
// by any number of goroutines at once. An agent waits for its specialist: it makes
// one handoff at a time.
type HandoffService struct {
	cfg  Config
	log  *slog.Logger
	book *sessions.Book[conversation]
}

// conversation is what is kept of a conversation.
type conversation struct{ handoffs.State }

var (
	fields = handoffs.FieldsOf(func(c *conversation) *handoffs.State { return &c.State })
	schema = state.MustSchema(fields)
)

// NewHandoffService returns a service, or what is wrong with its configuration.
func NewHandoffService(cfg Config) (*HandoffService, error) {
	if cfg.Router == nil || cfg.Run == nil {
		return nil, errors.New("specialist: a service needs a Router and a Run")
	}
	s := &HandoffService{cfg: cfg, log: logger(cfg.Logger)}
	var err error
	s.book, err = sessions.New(sessions.Config[conversation]{
		Name: "specialist", Fields: fields, Schema: schema, Policy: s.policy("user"), Store: cfg.Store, Clock: cfg.Clock,
	})
	return s, err
}

// policy is the policy for handoffs by an agent, with the agents that are there
// now.
func (s *HandoffService) policy(from string) *handoffs.Policy {
	p := Policy()
	if s.cfg.Policy != nil {
		own := *s.cfg.Policy
		p = &own
	}
	p.Registry, p.Entry = s.cfg.Router.Agents(), from
	if _, known := p.Registry.Get(from); !known { // a generalist need not be registered
		p.Registry = p.Registry.With(handoffs.Profile{ID: from, Refuses: true, Hidden: true})
	}
	return p
}

// ExecuteHandoff lets a specialist work, in a conversation of its own, and
// returns what it says. Whatever goes wrong is a result without Success.
func (s *HandoffService) ExecuteHandoff(ctx context.Context, r HandoffRequest) HandoffResult {
	begun := s.book.Now()
	s.log.InfoContext(ctx, "initiating handoff", "from", r.FromAgentID, "to", cmp.Or(r.ToAgentID, r.SpecialistType), "reason", r.Reason)
	out, err := s.execute(ctx, &r)
	out.Duration = s.book.Now().Sub(begun)
	if err != nil {
		out.Success, out.Error, out.Code = false, err.Error(), handoffs.CodeFailed
		if e, ok := errors.AsType[*handoffs.Error](err); ok {
			out.Error, out.Code = e.Message, e.Code
			out.HandoffID = cmp.Or(out.HandoffID, e.Handoff)
		}
		s.log.WarnContext(ctx, "handoff failed", "handoff", out.HandoffID, "to", cmp.Or(out.AgentID, r.ToAgentID, r.SpecialistType), "error", out.Error)
		return out
	}
	s.log.InfoContext(ctx, "handoff completed", "handoff", out.HandoffID, "to", out.AgentID, "duration", out.Duration, "iterations", out.Iterations)
	return out
}

func (s *HandoffService) execute(ctx context.Context, r *HandoffRequest) (out HandoffResult, err error) {
	book, err := s.book.With(s.policy(r.FromAgentID))
	if err != nil {
		return out, err
	}
	session := cmp.Or(r.Context.CorrelationID, r.ConversationID)
	turn, err := begin(ctx, book, session, r)
	if err != nil {
		return out, err
	}
	out.HandoffID, out.AgentID, out.AgentName = turn.Handoff, turn.Agent, turn.Agent
	if p, ok := book.Manager().Policy().Registry.Get(turn.Agent); ok {
		out.AgentName = p.Title()
	}
	s.log.InfoContext(ctx, "executing handoff", "handoff", turn.Handoff, "agent", turn.Agent)
	run, err := s.cfg.Run(ctx, s.input(r, turn, session))
	out.Iterations = run.Iterations
	if kept := end(context.WithoutCancel(ctx), book, session, turn, &run, err); err == nil {
		err = kept
	}
	if err != nil {
		return out, err
	}
	out.Success, out.Result = true, run.Response
	out.ConversationSummary = SummarizeConversation(run.Iterations, run.ToolCalls)
	return out, nil
}

// begin decides a handoff and stores it. It returns the specialist's turn.
func begin(ctx context.Context, book *sessions.Book[conversation], session string, r *HandoffRequest) (*handoffs.Turn, error) {
	_, res, err := book.Step(ctx, session, func(_ *conversation, in *handoffs.Batch) ([]state.Write[conversation], error) {
		in.Context = func(*handoffs.ContextPolicy, *handoffs.Turn) (*handoffs.Sent, error) {
			return &handoffs.Sent{Policy: handoffs.ContextBrief, Until: len(r.Context.ConversationHistory)}, nil
		}
		x, err := sessions.Execution(in, r.FromAgentID, r.command())
		in.Speaker, in.Executions = r.FromAgentID, append(in.Executions, x)
		return nil, err
	})
	if err != nil {
		return nil, err
	}
	if turn := sessions.Begun(res); turn != nil {
		return turn, nil
	}
	return nil, sessions.Refusal(res)
}

// command is the handoff that a request asks for.
func (r *HandoffRequest) command() *handoffs.Command {
	c := handoffs.NewCommand(r.ToAgentID, handoffs.Delegation, r.Reason)
	if r.ToAgentID == "" {
		c.Capability = r.SpecialistType
	}
	c.Kind, c.Task, c.Intent, c.Payload, c.Priority = handoffs.Call, r.Task, r.Context.OriginalRequest, r.Context.CompletedWork, r.Priority
	c.Needs, c.Trace = r.Context.RequiredCapabilities, r.ConversationID
	return &c
}

// end stores what came of the specialist's work, and gives it back.
func end(ctx context.Context, book *sessions.Book[conversation], session string, turn *handoffs.Turn, run *RunOutput, failed error) error {
	_, _, err := book.Step(ctx, session, func(_ *conversation, in *handoffs.Batch) ([]state.Write[conversation], error) {
		if !sessions.AtWork(in.Desk, turn) {
			return nil, sessions.ErrNothing
		}
		c := handoffs.NewCommand("", "", "")
		c.Kind, c.Result = handoffs.Return, &handoffs.Outcome{Status: handoffs.Completed, Text: run.Response}
		c.Usage = handoffs.Usage{Calls: run.Iterations}
		x, err := sessions.Ending(in, turn, &c)
		if failed != nil {
			x, err = sessions.Failure(in, turn, failed)
		}
		in.Executions = append(in.Executions, x)
		return nil, err
	})
	return err
}

// GetHandoffHistory returns the handoffs of a user's conversation, oldest first:
// also those that specialists made in their turn, and those that came to nothing.
func (s *HandoffService) GetHandoffHistory(ctx context.Context, conversationID string) ([]PastHandoff, error) {
	at, err := s.book.Load(ctx, conversationID)
	var out []PastHandoff
	for h := range handoffs.History(handoffs.LogOf(at.HandoffLog), handoffs.Filter{}) {
		out = append(out, PastHandoff{
			ID: h.ID, FromAgentID: h.From, ToAgentID: h.To, Reason: h.Explanation, Task: h.Task, ConversationID: h.Trace,
			Timestamp: h.At, Status: h.Status, Error: h.Message,
		})
	}
	return out, err
}
