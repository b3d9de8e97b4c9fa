package plan

import (
	"slices"

	"github.com/graphrun/graphrun/handoffs"
)

// failed says what becomes of a step whose attempt has failed.
func (r *round[S]) failed(step *Step, p *Progress, e *handoffs.StepEnd, code handoffs.Code, why string) error {
	p.Status, p.Code, p.Error = Failed, code, why
	if e.Agent != "" && !slices.Contains(p.Tried, e.Agent) {
		p.Tried = append(slices.Clip(p.Tried), e.Agent)
	}
	r.log(EventFailed, step.ID, Failed, Event{Agent: e.Agent, Attempt: p.Attempt, Handoff: e.Handoff, Code: code, Message: why})
	if r.course.Phase != Working || r.course.Cause != nil { // it is replanned already, or fails
		return nil
	}
	if code != handoffs.CodeOrphan && !p.Raised && step.Retry.left(p) {
		r.again(step, p)
		return nil
	}
	f := r.policy(step, code)
	if f.Do == Reassign && !p.Raised {
		if to := r.another(step, p, f.To); to != "" {
			p.Agent = to
			r.again(step, p)
			return nil
		}
		f = Failure{Do: Escalate}
	}
	cause := &Cause{Step: step.ID, Agent: e.Agent, Code: code, Text: why}
	switch f.Do {
	case Skip:
		r.skip(step, p, why)
	case SkipBranch:
		r.skipBranch(step, why)
	case Replan:
		r.replan(cause)
	case Escalate:
		if !r.raise(step, p, f.To) {
			r.course.Cause = cause
		}
	default:
		r.course.Cause = cause
	}
	return nil
}

// policy is what the step, or else the configuration, says about a failure.
func (r *round[S]) policy(step *Step, code handoffs.Code) Failure {
	f := r.x.cfg.OnFailure
	if step.OnFailure != nil && step.OnFailure.Do != "" {
		f = *step.OnFailure
	}
	if code == handoffs.CodeOrphan && r.x.cfg.OnOrphan.Do != "" {
		f = r.x.cfg.OnOrphan
	}
	if f.Do == "" {
		f.Do = Escalate
	}
	return f
}

// again puts a step among those that begin, under its next attempt.
func (r *round[S]) again(step *Step, p *Progress) {
	p.Status = Pending
	if !r.ix.linear {
		r.course.Ready = append(r.course.Ready, step.ID)
	}
}

// raise gives a step to the supervisor, once.
func (r *round[S]) raise(step *Step, p *Progress, to []string) bool {
	target := r.x.cfg.Supervisor
	if len(to) > 0 {
		target = to[0]
	}
	if target == "" || p.Raised {
		return false
	}
	p.Agent, p.Raised = target, true
	r.again(step, p)
	return true
}

// another is the next agent for a step; "": there is none.
func (r *round[S]) another(step *Step, p *Progress, to []string) string {
	if to == nil {
		for _, a := range r.x.cfg.Registry.ForCapability(step.Capability, r.now) {
			if step.Capability != "" && !a.System {
				to = append(to, a.ID)
			}
		}
	}
	for _, id := range to {
		if !slices.Contains(p.Tried, id) {
			return id
		}
	}
	return ""
}

// skip lets the plan go on without a step's result.
func (r *round[S]) skip(step *Step, p *Progress, why string) {
	p.Status, p.Ended = Skipped, r.now
	r.log(EventSkipped, step.ID, Skipped, Event{Agent: p.Agent, Attempt: p.Attempt, Message: why})
	r.passed(step.ID)
}

// skipBranch skips a step and all that depend on it: of a linear plan all that
// are left.
func (r *round[S]) skipBranch(step *Step, why string) {
	places := []int{r.ix.at[step.ID]}
	if r.ix.linear {
		for i := places[0] + 1; i < len(r.ix.plan.Steps); i++ {
			places = append(places, i)
		}
	}
	for n := 0; n < len(places); n++ {
		s := &r.ix.plan.Steps[places[n]]
		p := r.change(s.ID)
		if n > 0 {
			if p.Status.Final() {
				continue
			}
			why = "it depends on " + step.ID
		}
		if !r.ix.linear {
			places = append(places, r.ix.next[places[n]]...)
		}
		p.Status, p.Ended = Skipped, r.now
		r.course.Left--
		r.course.Ready = slices.DeleteFunc(r.course.Ready, func(id string) bool { return id == s.ID })
		r.log(EventSkipped, s.ID, Skipped, Event{Agent: p.Agent, Attempt: p.Attempt, Message: why})
	}
}

// replan asks the planner for a new version, or fails the plan if there were
// too many.
func (r *round[S]) replan(cause *Cause) {
	if r.x.cfg.Planner == nil || r.course.Replans >= r.x.most() {
		if r.x.cfg.Planner != nil {
			cause = &Cause{Step: cause.Step, Agent: cause.Agent, Code: CodeReplans, Text: "no new version is left: " + cause.Text}
		}
		r.course.Cause = cause
		return
	}
	r.course.Phase, r.course.Cause = Replanning, cause
	r.note(EventReplan, Event{Code: cause.Code, Agent: cause.Agent, Message: cause.Text}, cause.Step)
}

// left reports whether a step may be tried again by the same agent.
func (t *Retry) left(p *Progress) bool {
	if t == nil {
		return false
	}
	most := t.Max
	if most == 0 {
		most = 3
	}
	return p.Attempt <= most
}
