package specialist

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/internal/sessions"
	"github.com/graphrun/graphrun/state"
)

// ExecuteHandoff decides a handoff, runs the specialist in a conversation of its
// own, and returns when it has ended. Whatever goes wrong is a result with
// Success false. A specialist hands on by another ExecuteHandoff, under the
// conversation of its run.
func (s *HandoffService) ExecuteHandoff(ctx context.Context, r HandoffRequest) HandoffResult {
	return s.execute(ctx, &r, "", r.Context.RequiredCapabilities)
}

// execute is ExecuteHandoff to the request's agent, or to one that has a
// capability.
func (s *HandoffService) execute(ctx context.Context, r *HandoffRequest, capability string, needs []string) HandoffResult {
	begun := s.cfg.Clock()
	if r.Timestamp.IsZero() {
		r.Timestamp = begun
	}
	if r.MaxIterations <= 0 {
		r.MaxIterations = MaxIterations
	}
	s.cfg.Logger.InfoContext(ctx, "initiating handoff", "from", r.FromAgentID, "to", r.ToAgentID, "capability", capability, "conversationId", r.ConversationID)
	res, err := s.attempt(ctx, r, capability, needs)
	out := HandoffResult{
		HandoffID: r.ID, AgentID: r.ToAgentID, AgentName: s.title(r.ToAgentID), Success: err == nil,
		Duration: s.cfg.Clock().Sub(begun), Iterations: res.Iterations,
	}
	if err != nil {
		out.fail(err)
		s.cfg.Logger.ErrorContext(ctx, "handoff failed", "handoffId", out.HandoffID, "to", out.AgentID, "duration", out.Duration, "error", out.Error)
		return out
	}
	out.Result, out.ConversationSummary = res.Response, SummarizeConversation(&res)
	s.cfg.Logger.InfoContext(ctx, "handoff completed", "handoffId", out.HandoffID, "to", out.AgentID, "duration", out.Duration, "iterations", out.Iterations)
	return out
}

// fail notes why, and of a handoff that was rejected its id.
func (r *HandoffResult) fail(err error) {
	r.Error = err.Error()
	if e, ok := errors.AsType[*handoffs.Error](err); ok {
		r.Code, r.Error = e.Code, e.Message
		r.HandoffID = cmp.Or(r.HandoffID, e.Handoff)
	}
}

// title is an agent's name; that of an unknown one is its id.
func (s *HandoffService) title(id string) string {
	if p, ok := s.cfg.Router.registry().Get(id); ok {
		return p.Title()
	}
	return id
}

// attempt decides the handoff and runs the specialist. Behind it the request
// has the handoff's id, and the agent that it went to.
func (s *HandoffService) attempt(ctx context.Context, r *HandoffRequest, capability string, needs []string) (AgentResult, error) {
	r.ID = ""
	if strings.TrimSpace(r.ConversationID) == "" || strings.TrimSpace(r.FromAgentID) == "" {
		return AgentResult{}, errors.New("the request needs a conversationId and a fromAgentId")
	}
	t := s.talk(r.ConversationID)
	if err := t.enter(ctx, r.FromAgentID); err != nil {
		return AgentResult{}, err
	}
	defer t.leave()
	turn, err := s.begin(ctx, t, r, r.command(capability, needs))
	if err != nil {
		return AgentResult{}, err
	}
	r.ID, r.ToAgentID = turn.Handoff, turn.Agent
	own := s.open(t, r, turn)
	res, failed := s.run(t.during(ctx), r, own)
	own.end()
	if err := s.finish(context.WithoutCancel(ctx), t, own.turn, &res, failed); err != nil {
		return res, err
	}
	if failed != nil {
		return res, &handoffs.Error{Code: handoffs.CodeFailed, Handoff: r.ID, From: r.FromAgentID, To: r.ToAgentID, Message: failed.Error(), Err: failed}
	}
	return res, nil
}

// command is the handoff that a request asks for.
func (r *HandoffRequest) command(capability string, needs []string) *handoffs.Command {
	c := handoffs.NewCommand(r.ToAgentID, handoffs.CapabilityMatch, r.Reason)
	c.Kind, c.Capability, c.Needs = handoffs.Call, capability, needs
	c.Task, c.Intent, c.Payload, c.Trace = r.Task, r.Context.OriginalRequest, r.Context.CompletedWork, r.Context.CorrelationID
	return &c
}

// begin lets the manager decide.
func (s *HandoffService) begin(ctx context.Context, t *talk, r *HandoffRequest, c *handoffs.Command) (*handoffs.Turn, error) {
	b, err := s.book()
	if err != nil {
		return nil, err
	}
	if _, ok := b.Manager().Policy().Registry.Get(r.FromAgentID); !ok {
		return nil, fmt.Errorf("agent %q is not registered, and not the generalist", r.FromAgentID)
	}
	_, res, err := b.Step(ctx, t.desk, func(_ *desk, in *handoffs.Batch) (_ []state.Write[desk], err error) {
		var x handoffs.Execution
		if t.turn != nil {
			x, err = sessions.Ending(in, t.turn, c)
		} else {
			in.Speaker = r.FromAgentID
			x, err = sessions.Execution(in, r.FromAgentID, c)
		}
		in.Executions = append(in.Executions, x)
		return nil, err
	})
	if err != nil {
		return nil, err
	}
	t.turns(res)
	if turn := sessions.Begun(res); turn != nil {
		return turn, nil
	}
	return nil, sessions.Refusal(res)
}

// run lets the specialist work. Its context ends when it has. A panic is its
// failure: whoever asked would wait for ever otherwise.
func (s *HandoffService) run(ctx context.Context, r *HandoffRequest, own *talk) (_ AgentResult, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			s.cfg.Logger.ErrorContext(ctx, "the specialist panicked", "handoffId", r.ID, "to", r.ToAgentID, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("the specialist panicked: %v", p)
		}
	}()
	p, _ := s.cfg.Router.registry().Get(r.ToAgentID) // agents are never taken away
	s.cfg.Logger.InfoContext(ctx, "executing handoff", "handoffId", r.ID, "to", r.ToAgentID, "conversationId", own.id)
	return s.cfg.Run(ctx, AgentRun{
		Agent: profileOf(p), UserInput: BuildSpecialistInput(r), ConversationID: own.id, UserID: r.Context.UserID,
		MaxIterations: r.MaxIterations, ConversationHistory: []state.Message{},
	})
}

// finish notes what came of the specialist's turn: the one that asked goes on.
func (s *HandoffService) finish(ctx context.Context, t *talk, turn *handoffs.Turn, done *AgentResult, failed error) error {
	b, err := s.book()
	if err != nil {
		return err
	}
	_, res, err := b.Step(ctx, t.desk, func(_ *desk, in *handoffs.Batch) ([]state.Write[desk], error) {
		if !sessions.AtWork(in.Desk, turn) {
			return nil, &handoffs.Error{Code: handoffs.CodeStale, Handoff: turn.Handoff, To: turn.Agent, Message: "the work was cancelled meanwhile"}
		}
		x, err := sessions.Ending(in, turn, outcome(done, failed))
		in.Executions = append(in.Executions, x)
		return nil, err
	})
	if res != nil {
		t.turns(res)
	}
	return err
}

// outcome is the command that ends the specialist's turn.
func outcome(done *AgentResult, failed error) *handoffs.Command {
	c := handoffs.NewCommand("", "", "")
	c.Kind, c.Result = handoffs.Return, &handoffs.Outcome{Status: handoffs.Completed, Text: done.Response}
	if failed != nil {
		c.Result.Status, c.Result.Text, c.Result.Error = handoffs.Failed, "", failed.Error()
	}
	return &c
}
