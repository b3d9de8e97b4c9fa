package plan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// PlanNode is the node NodePlanner. It asks the planner for a plan, a new
// version or more steps, and a person where a review is due; then next_step
// goes on. The planner's answer is stored before a person is asked.
func (x *Executor[S]) PlanNode(ctx context.Context, s S) (graph.Command[S], error) {
	g, err := x.cfg.Fields.Look(&s)
	if err != nil {
		return graph.Command[S]{}, err
	}
	r, err := x.round(ctx, &s)
	if err != nil {
		return graph.Command[S]{}, err
	}
	if r.now, err = graph.Once(ctx, "time", func(context.Context) (time.Time, error) { return x.now(&g), nil }); err != nil {
		return graph.Command[S]{}, err
	}
	d, err := x.draft(ctx, &g)
	if err != nil {
		return graph.Command[S]{}, err
	}
	r.course.Asked += d.Asked
	if d.Answer != nil {
		return x.answer(r, d.Answer)
	}
	r.learned(d.Ledger)
	if x.reviewed(&g) {
		if d, err = x.review(ctx, r, d); err != nil {
			return graph.Command[S]{}, err
		}
	}
	switch {
	case d.Answer != nil:
		return x.answer(r, d.Answer)
	case d.Plan == nil:
		return x.givenUp(r)
	}
	again := g.Course.Phase == Replanning
	if err := r.take(d.Plan); err != nil {
		return graph.Command[S]{}, err
	}
	r.course.Answer = d.Say
	if again {
		r.course.Replans++
	}
	if err := r.tell(); err != nil {
		return graph.Command[S]{}, err
	}
	mv, err := r.Move()
	return x.cmd.Update(mv.Writes...), err
}

// learned keeps what a planner says about the task.
func (r *round[S]) learned(l *Ledger) {
	if l != nil {
		r.course.Ledger = l
	}
}

func (x *Executor[S]) now(g *Sight) time.Time {
	switch {
	case !x.cfg.Virtual.IsZero():
		return x.cfg.Virtual.Add(g.Desk.Clock)
	case x.cfg.Clock != nil:
		return x.cfg.Clock()
	}
	return time.Now().UTC()
}

// drafted is what the planner has come to, as it is stored.
type drafted struct {
	Plan   *Plan     `json:"plan,omitempty"`
	Answer *Proposal `json:"answer,omitempty"`
	Say    string    `json:"say,omitempty"` // when the plan is done
	Ledger *Ledger   `json:"ledger,omitempty"`
	Asked  int       `json:"asked,omitempty"` // how often it was asked for this
}

// draft returns the plan to go on with: that of the state, if nobody has taken
// it up, else the planner's. An answer instead ends the plan.
func (x *Executor[S]) draft(ctx context.Context, g *Sight) (drafted, error) {
	if x.newPlan(g) {
		p := *g.Plan
		p.ID, p.Version = nameOf(&p), 1
		return drafted{Plan: &p}, x.Check(&p)
	}
	if x.cfg.Planner == nil {
		return drafted{}, errors.New("plan: there is no plan, and no planner to make one")
	}
	return graph.Once(ctx, "plan", func(ctx context.Context) (drafted, error) {
		return x.propose(ctx, g, g.Course.Asked, "")
	})
}

// propose asks the planner, who was asked so often before. If what it proposes
// is not right it is told why and asked once more.
func (x *Executor[S]) propose(ctx context.Context, g *Sight, asked int, why string) (drafted, error) {
	q := x.request(g)
	q.Asked = asked
	if why != "" {
		q.Cause = &Cause{Text: why}
	}
	for attempt := 1; ; attempt++ {
		d, pr, err := x.proposal(ctx, g, q)
		d.Asked = attempt
		var ps *Problems
		if err == nil || !errors.As(err, &ps) || attempt == 2 {
			return d, err
		}
		q.Problems, q.Rejected, q.Answered, q.Asked = ps.texts(), pr, ps.Answer, asked+attempt
		if data, err := json.Marshal(pr); pr != nil && err == nil {
			q.Answered = string(data)
		}
	}
}

// proposal asks the planner once, and looks at what it proposes.
func (x *Executor[S]) proposal(ctx context.Context, g *Sight, q *Request) (drafted, *Proposal, error) {
	pr, err := x.cfg.Planner.Plan(ctx, q)
	switch {
	case err != nil:
		return drafted{}, nil, fmt.Errorf("plan: planner: %w", err)
	case pr == nil:
		pr = &Proposal{}
	case pr.Answer != "" && len(pr.Steps) == 0 && len(g.Course.Open) == 0:
		return drafted{Answer: pr}, pr, nil
	}
	p, err := x.merge(g, q.Goal, pr)
	return drafted{Plan: p, Ledger: pr.Ledger, Say: pr.Answer}, pr, err
}

// request is what a planner is asked.
func (x *Executor[S]) request(g *Sight) *Request {
	q := &Request{Goal: g.Plan.Goal, Messages: g.Messages, Cause: g.Course.Cause, Replans: g.Course.Replans, Most: x.most(), Ledger: g.Course.Ledger}
	for p := range x.cfg.Registry.All() {
		q.Agents = append(q.Agents, *p)
	}
	if c := g.Course; c.Phase != "" && !c.Phase.over() {
		q.Plan = view(g)
		return q
	}
	for i := len(g.Messages) - 1; i >= 0; i-- {
		if g.Messages[i].Role == state.RoleHuman {
			q.Goal = g.Messages[i].Text()
			break
		}
	}
	return q
}

// say adds what the planner says to the user.
func (r *round[S]) say(text string) {
	m := state.Text(state.RoleAI, text)
	m.Name = NodePlanner
	r.messages = append(r.messages, m)
}

// answer ends the plan with what the planner says to the user.
func (x *Executor[S]) answer(r *round[S], pr *Proposal) (graph.Command[S], error) {
	if r.ix != nil && !r.course.Phase.over() {
		for i := range r.ix.plan.Steps {
			if id := r.ix.plan.Steps[i].ID; !r.step(id).Status.Final() {
				r.drop(id)
			}
		}
		r.course.Open, r.course.Left, r.course.Cause = nil, 0, nil
		r.finish(Finished, pr.Answer)
	} else if r.course.Phase == "" { // a plan before this stays as it ended
		r.course.Phase = Finished
		r.note(EventOver, Event{Message: string(Finished)}, "")
	}
	r.course.Heard = r.sight.Heard()
	r.say(pr.Answer)
	ws, err := x.cfg.Fields.Write(r.update())
	if err != nil {
		return graph.Command[S]{}, err
	}
	if err := r.tell(); err != nil {
		return graph.Command[S]{}, err
	}
	return x.cmd.Update(ws...), nil
}
