package plan

import (
	"context"
	"errors"
	"fmt"

	"github.com/graphrun/graphrun/graph"
)

// Question is what a person is asked about a plan.
type Question struct {
	Type     string   `json:"type"` // "plan_review"
	Plan     *Plan    `json:"plan"`
	Cause    *Cause   `json:"cause,omitempty"`    // of a later version
	Changes  []string `json:"changes,omitempty"`  // against the version before
	Problems []string `json:"problems,omitempty"` // with the plan that the person gave last
}

// Ruling is a person's answer.
type Ruling struct {
	Decision string `json:"decision"`         // approve, edit or reject
	Plan     *Plan  `json:"plan,omitempty"`   // of edit: the plan to be worked on
	Reason   string `json:"reason,omitempty"` // of reject: what the planner is told
	By       string `json:"by,omitempty"`
}

// The decisions of a Ruling.
const (
	Approve = "approve"
	Edit    = "edit"
	Reject  = "reject"
)

// mostReviews bounds how often a person is asked about one version.
const mostReviews = 20

// reviewed reports whether a person is to look at what comes now.
func (x *Executor[S]) reviewed(g *Sight) bool {
	switch {
	case g.Course.Phase == "" || g.Course.Phase.over():
		return x.cfg.Review.First
	case g.Plan.More: // only more steps of the same plan
		return false
	}
	return x.cfg.Review.Later
}

// review asks a person. A plan that they reject is made anew by the planner,
// who is told why, and may answer instead; without a planner it is given up, and
// what is returned has none.
func (x *Executor[S]) review(ctx context.Context, r *round[S], d drafted) (drafted, error) {
	q := Question{Type: "plan_review", Plan: d.Plan, Cause: r.course.Cause}
	for n := 1; n <= mostReviews; n++ {
		if r.ix != nil {
			q.Changes = Diff(r.ix.plan, q.Plan)
		}
		a, err := graph.Interrupt[Ruling](ctx, fmt.Sprintf("review %d", n), q)
		if err != nil {
			return d, err
		}
		e := Event{Message: a.Decision, Agent: a.By}
		switch a.Decision {
		case Approve:
			r.note(EventReviewed, e, "")
			return d, nil
		case Edit:
			edited, err := x.edited(&r.sight, d.Plan, a.Plan)
			if err == nil {
				r.note(EventReviewed, e, "")
				d.Plan = edited
				return d, nil
			}
			var ps *Problems
			if !errors.As(err, &ps) {
				return d, err
			}
			q.Problems = ps.texts()
		case Reject:
			e.Message += ": " + a.Reason
			r.note(EventReviewed, e, "")
			if x.cfg.Planner == nil {
				return drafted{}, nil
			}
			d, err = graph.Once(ctx, fmt.Sprintf("plan %d", n+1), func(ctx context.Context) (drafted, error) {
				return x.propose(ctx, &r.sight, r.course.Asked, "a person rejected the plan: "+a.Reason)
			})
			if err != nil {
				return d, err
			}
			r.course.Asked += d.Asked
			r.learned(d.Ledger)
			if d.Answer != nil {
				return d, nil
			}
			q.Plan, q.Problems = d.Plan, nil
		default:
			q.Problems = []string{fmt.Sprintf("decision %q is none of approve, edit, reject", a.Decision)}
		}
	}
	return d, fmt.Errorf("plan: nobody approved the plan in %d reviews", mostReviews)
}

// edited is the plan that a person gave, as the version that they were asked
// about. As for planners, steps that are done stay.
func (x *Executor[S]) edited(g *Sight, asked, given *Plan) (*Plan, error) {
	var ps problems
	if given == nil {
		ps.add("an edit needs a plan")
		return nil, ps.err()
	}
	p, err := x.merge(g, asked.Goal, &Proposal{Goal: given.Goal, Order: given.Order, Steps: given.Steps, More: given.More})
	if err == nil {
		p.ID, p.Version = asked.ID, asked.Version
	}
	return p, err
}

// givenUp ends a plan that a person has rejected.
func (x *Executor[S]) givenUp(r *round[S]) (graph.Command[S], error) {
	r.course.Plan, r.course.Version, r.course.Heard = nameOf(r.sight.Plan), max(1, r.sight.Plan.Version), r.sight.Heard()
	r.course.Phase = Abandoned
	r.note(EventOver, Event{Message: string(Abandoned)}, "")
	u := r.update()
	if r.sight.Plan.Version == 0 {
		p := *r.sight.Plan
		p.ID, p.Version = nameOf(&p), 1
		u.Plan = &p
	}
	ws, err := x.cfg.Fields.Write(u)
	return x.cmd.Update(ws...), err
}
