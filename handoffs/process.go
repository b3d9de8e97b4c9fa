package handoffs

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// ProcessHandoff is the node process_handoff: it works on what agents, users
// and the time have brought, writes what came of it, and sends the agents that
// have a turn. Where people must approve it asks them; where a limit or a
// policy ends the run it writes first and fails in the step behind.
func (t *Team[S]) ProcessHandoff(ctx context.Context, s S) (graph.Command[S], error) {
	look, in, err := t.batch(ctx, &s)
	if err != nil {
		return graph.Command[S]{}, err
	}
	if d := look.Desk; d.Fault != nil && !in.Started {
		return graph.Command[S]{}, &Error{Code: d.Fault.Code, Codes: d.Fault.Codes, Handoff: d.Fault.Handoff, From: d.Active, To: d.Fault.Target, Message: d.Fault.Message}
	}
	res, err := t.m.Step(ctx, in)
	if err != nil {
		return graph.Command[S]{}, err
	}
	if t.stuck(res, look.Desk) {
		if res, err = t.hear(ctx, in, res); err != nil {
			return graph.Command[S]{}, err
		}
	}
	return t.carryOut(ctx, &s, &look, res)
}

// batch gathers what the manager works on.
func (t *Team[S]) batch(ctx context.Context, s *S) (Sight, *Batch, error) {
	look, err := t.cfg.Fields.Look(s)
	if err != nil {
		return look, nil, err
	}
	info, err := graph.Task(ctx)
	if err != nil {
		return look, nil, err
	}
	in := &Batch{
		Session: info.Thread, Task: info.Task, Desk: look.Desk, Log: look.Log, Executions: look.Executions,
		Messages: len(look.Messages), Started: look.Turn.Started, Now: t.now(), Facts: t.facts(s),
		Texts: func(agent string, from int) []string { return textsOf(look.Messages, agent, from) },
	}
	if t.cfg.Plan != nil {
		in.PlanStep = t.cfg.Plan.Step(*s)
	}
	if t.cfg.Digest != nil {
		in.Digest = t.cfg.Digest(*s)
	}
	in.Context = func(p *ContextPolicy, turn *Turn) (*Sent, error) { return p.note(t.input(s, &look, turn)) }
	return look, in, nil
}

func (t *Team[S]) now() time.Time {
	switch {
	case !t.m.p.Virtual.IsZero():
		return time.Time{}
	case t.cfg.Clock != nil:
		return t.cfg.Clock()
	}
	return time.Now().UTC()
}

func (t *Team[S]) facts(s *S) Facts {
	if t.cfg.Facts != nil {
		return t.cfg.Facts(s)
	}
	return t.cfg.Fields.Facts(s)
}

// textsOf returns what an agent has said from a place on.
func textsOf(ms []state.Message, agent string, from int) (texts []string) {
	for i := min(from, len(ms)); i < len(ms); i++ {
		if ms[i].Role == state.RoleAI && ms[i].Name == agent {
			texts = append(texts, ms[i].Text())
		}
	}
	return texts
}

// stuck reports whether nothing can go on before somebody answers, and all
// that came of the step is in the state already.
func (t *Team[S]) stuck(res *Result, before *Desk) bool {
	if len(res.Turns) > 0 || res.Fault != nil || res.Desk.Ended || len(res.Entries) > 0 || res.Desk.Taken != before.Taken {
		return false
	}
	return len(res.Asks) > 0 || res.Waiting
}

// Question is what a run asks that waits for signals or for a time: answer it
// with a Signal.
type Question struct {
	Waiting []string  `json:"waiting"` // the agents
	Signals []string  `json:"signals"` // what they wait for
	Until   time.Time `json:"until,omitzero"`
}

// hear asks people for approvals, or waits for what agents wait for, and
// works on the answers.
func (t *Team[S]) hear(ctx context.Context, in *Batch, res *Result) (*Result, error) {
	next := *in
	next.Started = false
	switch {
	case len(res.Asks) > 0:
		answered, err := t.ask(ctx, res.Asks)
		if err != nil {
			return nil, err
		}
		next.Rulings = answered
	case t.cfg.Block && !res.Until.IsZero():
		if err := sleepUntil(ctx, res.Until.Sub(in.Now)); err != nil {
			return nil, err
		}
		next.Now = t.now()
	default:
		s, err := t.await(ctx, res)
		if err != nil {
			return nil, err
		}
		next.Signals, next.Now = []Signal{s}, t.now()
	}
	return t.m.Step(ctx, &next)
}

func sleepUntil(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// await asks for a signal.
func (t *Team[S]) await(ctx context.Context, res *Result) (Signal, error) {
	q := Question{Until: res.Until}
	for i := range res.Desk.Frames {
		if f := &res.Desk.Frames[i]; f.State == FrameWaiting && f.Until != nil {
			q.Waiting, q.Signals = append(q.Waiting, f.Agent), append(q.Signals, f.Until.Signals...)
		}
	}
	for i := range res.Desk.Queue {
		q.Waiting, q.Signals = append(q.Waiting, res.Desk.Queue[i].To), append(q.Signals, "accept", "refuse")
	}
	answer, err := graph.Interrupt[signalAnswer](ctx, "wait", q)
	return answer.Signal, err
}

// signalAnswer is a signal as an answer to a question of the run holds it.
type signalAnswer struct{ Signal }

// UnmarshalJSON reads an answer.
func (s *signalAnswer) UnmarshalJSON(data []byte) error {
	v, err := state.ParseAny(data)
	if err == nil {
		s.Signal, err = ParseSignal(v)
	}
	return err
}

// ask asks people for approvals, all at once.
func (t *Team[S]) ask(ctx context.Context, asks []Approval) ([]Answered, error) {
	rulings, errs := make([]Answered, len(asks)), make([]error, len(asks))
	for i := range asks {
		a := &asks[i]
		rulings[i].Handoff = a.Handoff
		rulings[i].Ruling, errs[i] = askOne(ctx, a, t.m.approvalOf(a).Words)
	}
	return rulings, firstWaiting(errs)
}

// askOne asks for one approval. An answer that cannot be read leaves the
// question open.
func askOne(ctx context.Context, a *Approval, words bool) (Ruling, error) {
	key := a.Handoff + "/" + strconv.Itoa(a.Asked)
	if words {
		r, err := graph.Interrupt[wordRuling](ctx, key, a)
		return r.Ruling, err
	}
	r, err := graph.Interrupt[strictRuling](ctx, key, a)
	return r.Ruling, err
}

// strictRuling and wordRuling are rulings as answers to a question of the run
// hold them.
type (
	strictRuling struct{ Ruling }
	wordRuling   struct{ Ruling }
)

// UnmarshalJSON reads an answer.
func (r *strictRuling) UnmarshalJSON(data []byte) (err error) {
	r.Ruling, err = readRuling(data, &ApprovalPolicy{})
	return err
}

// UnmarshalJSON reads an answer of which "yes" approves.
func (r *wordRuling) UnmarshalJSON(data []byte) (err error) {
	r.Ruling, err = readRuling(data, &ApprovalPolicy{Words: true})
	return err
}

func readRuling(data []byte, p *ApprovalPolicy) (Ruling, error) {
	v, err := state.ParseAny(data)
	if err != nil {
		return Ruling{}, err
	}
	return ParseRuling(v, p)
}

// firstWaiting prefers the errors of questions that are open to others.
func firstWaiting(errs []error) error {
	for _, err := range errs {
		if err != nil && errors.Is(err, graph.ErrInterrupted) {
			return err
		}
	}
	return errors.Join(errs...)
}

// carryOut makes the command of a step of the manager.
func (t *Team[S]) carryOut(ctx context.Context, s *S, look *Sight, res *Result) (graph.Command[S], error) {
	ws, err := t.cfg.Fields.Write(t.update(look, res))
	if err != nil {
		return graph.Command[S]{}, err
	}
	for _, n := range res.Notices {
		if err := graph.Emit(ctx, n); err != nil {
			return graph.Command[S]{}, err
		}
	}
	parts := []graph.Command[S]{t.cmd.Update(ws...)}
	switch {
	case len(res.Turns) > 0:
		packets := make([]graph.Packet[S], len(res.Turns))
		for i := range res.Turns {
			lay, err := t.cfg.Fields.Lay(&res.Turns[i])
			if err != nil {
				return graph.Command[S]{}, err
			}
			packets[i] = t.cmd.To(res.Turns[i].Agent, lay)
		}
		parts = append(parts, t.cmd.Send(packets...))
	case res.Fault != nil, len(res.Asks) > 0, res.Waiting && !res.Desk.Ended:
		parts = append(parts, t.cmd.Goto(NodeProcess))
	case res.Desk.Ended:
		parts = append(parts, t.cmd.Goto(NodeComplete))
	case t.cfg.Plan != nil && t.cfg.Plan.More(*s):
		parts = append(parts, t.cmd.Goto(NodeNext))
	default:
		parts = append(parts, t.cmd.Goto(NodeComplete))
	}
	return t.cmd.All(parts...), nil
}

// update is what the state keeps of a step.
func (t *Team[S]) update(look *Sight, res *Result) *Update {
	u := &Update{Desk: res.Desk, Entries: res.Entries}
	if res.Desk.Active != look.Desk.Active {
		u.Active = res.Desk.Active
	}
	for _, r := range res.Messages {
		u.Messages = append(u.Messages, messageOf(r))
	}
	return u
}

// messageOf makes the message of a reply.
func messageOf(r Reply) state.Message {
	role := state.RoleSystem
	if r.Call != "" {
		role = state.RoleTool
	}
	m := state.Text(role, r.Text)
	m.ToolCallID = r.Call
	if r.Call != "" {
		m.Name, m.Status = ToolName, "success"
		if r.Error {
			m.Status = "error"
		}
	} else {
		m.Name = r.Agent
	}
	return m
}

// Complete is the node complete, where a run ends: it notes that the agent's
// work is done.
func (t *Team[S]) Complete(ctx context.Context, s S) (graph.Command[S], error) {
	look, in, err := t.batch(ctx, &s)
	if err != nil || look.Desk.Ended {
		return graph.Command[S]{}, err
	}
	in.Ending = true
	res, err := t.m.Step(ctx, in)
	if err != nil {
		return graph.Command[S]{}, err
	}
	ws, err := t.cfg.Fields.Write(t.update(&look, res))
	return t.cmd.Update(ws...), err
}
