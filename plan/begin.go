package plan

import (
	"fmt"
	"slices"
	"time"

	"github.com/graphrun/graphrun/handoffs"
)

// begin starts the steps that can begin.
func (r *round[S]) begin() (out []handoffs.StepStart, err error) {
	for {
		id := r.nextReady()
		if id == "" {
			return out, nil
		}
		start, err := r.start(r.ix.step(id))
		if err != nil {
			return nil, err
		}
		if start != nil {
			out = append(out, *start)
		}
		if c := &r.course; c.Phase != Working || c.Cause != nil {
			return out, nil
		}
	}
}

// nextReady takes the next step that can begin; "": there is none, or enough
// are at work. In a graph those that others have made ready go first.
func (r *round[S]) nextReady() string {
	c := &r.course
	if r.ix.linear {
		id := r.ix.plan.Steps[c.Cursor].ID
		if s := r.step(id).Status; len(c.Open) > 0 || s != "" && s != Pending {
			return ""
		}
		return id
	}
	if most := r.x.cfg.Parallel; most > 0 && len(c.Open) >= most {
		return ""
	}
	if len(c.Ready) > 0 {
		id := c.Ready[0]
		c.Ready = c.Ready[1:]
		return id
	}
	for ; c.Root < len(r.ix.roots); c.Root++ {
		id := r.ix.plan.Steps[r.ix.roots[c.Root]].ID
		if s := r.step(id).Status; s == "" || s == Pending {
			c.Root++
			return id
		}
	}
	return ""
}

// start begins an attempt of a step. Nil: it failed before it began.
func (r *round[S]) start(s *Step) (*handoffs.StepStart, error) {
	p := r.change(s.ID)
	p.Attempt++
	p.Version, p.Status, p.Begun, p.Ended = r.course.Version, Running, r.now, time.Time{}
	r.course.Open = append(r.course.Open, s.ID)
	out := &handoffs.StepStart{Step: s.ID, Attempt: p.Attempt, Beside: !r.ix.linear, Free: p.Raised, After: s.Retry.wait(p)}
	c := &out.Command
	c.Target, c.Capability = r.who(s, p)
	t := &r.ix.texts[r.ix.at[s.ID]]
	var err error
	if c.Task, c.Payload, err = t.fill(r.env(t)); err != nil {
		end := &handoffs.StepEnd{Step: s.ID, Agent: p.Agent, Attempt: p.Attempt}
		r.course.Open = slices.DeleteFunc(r.course.Open, func(id string) bool { return id == s.ID })
		return nil, r.failed(s, p, end, CodeInput, err.Error())
	}
	c.Explanation = fmt.Sprintf("step %q of plan %q", s.ID, r.course.Plan)
	c.Budget.Time = time.Duration(s.Timeout)
	if p.Raised {
		c.Reason, c.Explanation = handoffs.ErrorRecovery, fmt.Sprintf("step %q of plan %q failed: %s", s.ID, r.course.Plan, p.Error)
		c.Payload = withError(c.Payload, p)
	}
	r.log(EventStarted, s.ID, Running, Event{Agent: p.Agent, Attempt: p.Attempt})
	return out, nil
}

// who does a step: the agent that has it, the one that the plan names, or
// whoever the router chooses for the capability. Behind a failure of that one
// the same is asked again.
func (r *round[S]) who(s *Step, p *Progress) (target, capability string) {
	switch {
	case p.Attempt > 1 && p.Agent != "":
	case s.Agent != "":
		p.Agent = s.Agent
	case s.Capability != "":
		p.Agent = ""
		return "", s.Capability
	default:
		p.Agent = r.x.cfg.Supervisor
	}
	return p.Agent, ""
}

// withError adds what went wrong to a payload.
func withError(payload map[string]any, p *Progress) map[string]any {
	out := map[string]any{}
	for k, v := range payload {
		out[k] = v
	}
	out["error"], out["errorCode"] = p.Error, string(p.Code)
	if n := len(p.Tried); n > 0 {
		out["failedAgentId"] = p.Tried[n-1]
	}
	return out
}

// wait is how long an attempt waits before it begins.
func (t *Retry) wait(p *Progress) time.Duration {
	if t == nil || t.Initial <= 0 || p.Attempt < 2 || p.Raised {
		return 0
	}
	factor, most := t.Factor, float64(t.Most)
	if factor == 0 {
		factor = 2
	}
	if most <= 0 {
		most = float64(longest)
	}
	wait := float64(t.Initial)
	for range p.Attempt - 2 {
		if wait *= max(factor, 1); wait >= most {
			break
		}
	}
	return time.Duration(min(wait, most))
}

// longest is the longest wait of a Retry without Most.
const longest = 10 * 365 * 24 * time.Hour
