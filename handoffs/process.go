package handoffs

import (
	"cmp"
	"context"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// ProcessHandoff is the node process_handoff: it works on what agents, users
// and the time have brought, writes what came of it, and sends the agents that
// have a turn. Where people must approve it asks them; where a limit or a
// policy ends the run it writes first and fails in the step behind.
func (t *Team[S]) ProcessHandoff(ctx context.Context, s S) (graph.Command[S], error) {
	own := t.borrow()
	defer t.giveBack(own)
	*own = s
	return t.process(ctx, own)
}

func (t *Team[S]) process(ctx context.Context, s *S) (graph.Command[S], error) {
	look, in, err := t.batch(ctx, s)
	if err != nil {
		return graph.Command[S]{}, err
	}
	if d := look.Desk; d.Fault != nil && !in.Started {
		if in.Started, err = t.goesOn(ctx, d.Fault); err != nil || !in.Started {
			return graph.Command[S]{}, cmp.Or(err, d.failure())
		}
	}
	if err := t.firstLook(ctx, &look, in); err != nil {
		return graph.Command[S]{}, err
	}
	in.Hold = t.plans()
	res, err := t.step(ctx, in, nil)
	if err != nil {
		return graph.Command[S]{}, err
	}
	if t.stuck(res, look.Desk) {
		if res, err = t.hear(ctx, in, res); err != nil {
			return graph.Command[S]{}, err
		}
	}
	return t.carryOut(ctx, s, &look, res, nil)
}

// failure is the error by which the run fails.
func (d *Desk) failure() error {
	f := d.Fault
	return &Error{Code: f.Code, Codes: f.Codes, Handoff: f.Handoff, From: d.Active, To: f.Target, Message: f.Message}
}

// goesOn reports whether a run goes on behind the failure of an agent that has
// failed it: where it was told already, and somebody resumes. Whoever has the
// conversation has a turn then, as behind a user's message.
func (t *Team[S]) goesOn(ctx context.Context, f *Refusal) (bool, error) {
	if f.Code != CodeFailed || t.plans() {
		return false, nil
	}
	told, err := graph.Tally(ctx, "fault")
	return told > 1, err
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
	talk := look.Messages
	in := &Batch{
		Session: info.Thread, Task: info.Task, Desk: look.Desk, Log: look.Log, Executions: look.Executions,
		Messages: len(look.Messages), Started: look.Turn.Started, Now: t.now(), Facts: t.facts(s),
		Texts: func(agent string, from int) []string { return textsOf(talk, agent, from) },
	}
	t.planBatch(s, in)
	if t.cfg.Digest != nil {
		in.Digest = t.cfg.Digest(*s)
	}
	in.Context = func(p *ContextPolicy, turn *Turn) (*Sent, error) {
		if sent := p.noteWhole(talk, turn); sent != nil {
			return sent, nil
		}
		return p.note(t.input(s, talk, turn))
	}
	return look, in, nil
}

// firstLook puts a task that may ask at the time at which it ran first: it asks
// then what it has asked before, and no answer is lost to what fell due since.
func (t *Team[S]) firstLook(ctx context.Context, look *Sight, in *Batch) (err error) {
	news := in.Started || look.Desk.unread(look.Executions) < len(look.Executions)
	if news || !t.m.p.Virtual.IsZero() {
		return nil
	}
	in.Now, err = graph.Once(ctx, "time", func(context.Context) (time.Time, error) { return in.Now, nil })
	return err
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

// tell shows lines to whoever watches the run.
func tell[L any](ctx context.Context, lines []L) error {
	for _, line := range lines {
		if err := graph.Emit(ctx, line); err != nil {
			return err
		}
	}
	return nil
}

// carryOut makes the command of a step of the manager, and of what the plan
// changed with it; nil: it was not asked.
func (t *Team[S]) carryOut(ctx context.Context, s *S, look *Sight, res *Result, plan *PlanMove[S]) (graph.Command[S], error) {
	ws, err := t.cfg.Fields.Write(t.update(look, res))
	if err != nil {
		return graph.Command[S]{}, err
	}
	if plan != nil {
		if err := tell(ctx, plan.Lines); err != nil {
			return graph.Command[S]{}, err
		}
	}
	if err := tell(ctx, res.Notices); err != nil {
		return graph.Command[S]{}, err
	}
	if plan != nil {
		ws = append(ws, plan.Writes...)
	}
	parts := append(make([]graph.Command[S], 0, 2), t.cmd.Update(ws...))
	if plan != nil && plan.Goto != "" && res.Fault == nil {
		parts = append(parts, t.cmd.Goto(plan.Goto))
		if len(res.Turns) == 0 {
			return t.cmd.All(parts...), nil
		}
	}
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
	case t.plans() && res.Fault == nil && !res.Desk.Ended && len(res.Desk.Ends) > 0:
		parts = append(parts, t.cmd.Goto(NodeNext))
	case res.Fault != nil, len(res.Asks) > 0, res.Waiting && !res.Desk.Ended:
		parts = append(parts, t.cmd.Goto(NodeProcess))
	case res.Desk.Ended:
		parts = append(parts, t.cmd.Goto(NodeComplete))
	case plan == nil && t.moreSteps(s, res.Desk):
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
		u.Messages = append(u.Messages, r.Message())
	}
	return u
}

// Message makes the message of a reply: a tool message if it answers a call,
// else a system message by the agent.
func (r Reply) Message() state.Message {
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
