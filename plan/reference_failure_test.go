package plan_test

import (
	"slices"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/plan"
)

// failed says what becomes of a step whose attempt has failed.
func (l *refPlan) failed(s *progStep, agent string, code handoffs.Code) {
	q := l.at(s.ID)
	q.status, q.code = plan.Failed, code
	if agent != "" && !slices.Contains(q.tried, agent) {
		q.tried = append(slices.Clip(q.tried), agent)
	}
	if l.phase != plan.Working || l.stopped {
		return
	}
	if code != handoffs.CodeOrphan && !q.raised && q.attempt <= s.Retry {
		l.again(s)
		return
	}
	f := l.policy(s, code)
	if f.Do == plan.Reassign {
		if to := l.another(s, q, f.To); to != "" && !q.raised {
			q.agent = to
			l.again(s)
			return
		}
		f = plan.Failure{Do: plan.Escalate}
	}
	switch f.Do {
	case plan.Skip:
		q.status = plan.Skipped
		l.passed(s.ID)
	case plan.SkipBranch:
		l.skipBranch(s.ID)
	case plan.Replan:
		l.replan(code)
	case plan.Escalate:
		to := l.p.Supervisor
		if len(f.To) > 0 {
			to = f.To[0]
		}
		if to == "" || q.raised {
			l.stop, l.stopped = code, true
			return
		}
		q.agent, q.raised = to, true
		l.again(s)
	default:
		l.stop, l.stopped = code, true
	}
}

func (l *refPlan) policy(s *progStep, code handoffs.Code) plan.Failure {
	f := l.p.OnFailure
	if s.OnFailure.Do != "" {
		f = s.OnFailure
	}
	if code == handoffs.CodeOrphan && l.p.OnOrphan.Do != "" {
		f = l.p.OnOrphan
	}
	if f.Do == "" {
		f.Do = plan.Escalate
	}
	return f
}

func (l *refPlan) again(s *progStep) {
	l.at(s.ID).status = plan.Pending
	if !l.linear {
		l.order = append(l.order, s.ID)
	}
}

func (l *refPlan) another(s *progStep, q *refStep, to []string) string {
	if to == nil && s.Capability != "" {
		to = can(s.Capability)
	}
	for _, id := range to {
		if !slices.Contains(q.tried, id) {
			return id
		}
	}
	return ""
}

// skipBranch skips a step and all that wait for it, through others as well.
func (l *refPlan) skipBranch(id string) {
	l.at(id).status = plan.Skipped
	for i := range l.steps {
		s := &l.steps[i]
		behind := slices.Contains(s.Deps, id)
		if l.linear {
			behind = i > slices.IndexFunc(l.steps, func(s progStep) bool { return s.ID == id })
		}
		if q := l.at(s.ID); behind && !q.final() {
			l.order = slices.DeleteFunc(l.order, func(o string) bool { return o == s.ID })
			l.skipBranch(s.ID)
		}
	}
}

// replan lets the planner make a new version, if one is left.
func (l *refPlan) replan(code handoffs.Code) {
	switch {
	case l.p.Proposals == nil:
		l.stop, l.stopped = code, true
	case l.replans >= l.most():
		l.stop, l.stopped = plan.CodeReplans, true
	default:
		l.phase = plan.Replanning
	}
}

// whole are those of some steps that wait for none but such.
func (l *refPlan) whole(ids []string) []string {
	for again := true; again; {
		n := len(ids)
		ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
			s := l.step(id)
			return s != nil && slices.ContainsFunc(s.Deps, func(d string) bool { return !slices.Contains(ids, d) }) && l.at(id).passed()
		})
		again = len(ids) < n
	}
	return ids
}

// most is how many new versions there may be.
func (l *refPlan) most() int {
	switch {
	case l.p.Replans == 0 && l.p.EveryRound:
		return 10
	case l.p.Replans == 0:
		return 3
	}
	return max(0, l.p.Replans)
}

// next takes up what the planner says.
func (l *refPlan) next(again bool) {
	var kept []progStep
	var ids []string
	for _, s := range l.steps {
		if l.more || l.at(s.ID).passed() {
			kept, ids = append(kept, s), append(ids, s.ID)
		}
	}
	q := l.p.propose(l.version, ids, l.whole(ids))
	for _, s := range q.Steps {
		ids = append(ids, s.ID)
	}
	ids = l.whole(ids)
	kept = slices.DeleteFunc(kept, func(s progStep) bool { return !slices.Contains(ids, s.ID) })
	if q.Answer && len(l.open) > 0 { // it is said when those at work are done
		q = proposal{}
	}
	streams := l.more && l.phase == plan.Working
	if q.Answer {
		for _, s := range l.steps {
			if p := l.at(s.ID); !p.final() {
				p.status = plan.Superseded
			}
		}
		l.phase = plan.Finished
		return
	}
	for _, s := range l.steps {
		if !slices.Contains(ids, s.ID) {
			l.at(s.ID).status = plan.Superseded
		}
	}
	l.steps = append(slices.Clip(kept), q.Steps...)
	if !streams {
		l.order = nil
	}
	for i := range l.steps {
		s := &l.steps[i]
		if streams && slices.ContainsFunc(kept, func(k progStep) bool { return k.ID == s.ID }) {
			continue
		}
		if p := l.at(s.ID); p == nil || !p.passed() && !slices.Contains(l.open, s.ID) {
			l.states[s.ID] = &refStep{}
		}
	}
	for i := range l.steps {
		s := &l.steps[i]
		if p := l.at(s.ID); len(s.Deps) > 0 && p.status == "" && !p.met && l.free(s) && !l.linear {
			p.met = true
			l.order = append(l.order, s.ID)
		}
	}
	l.version++
	l.phase, l.more = plan.Working, q.More
	if again {
		l.replans++
	}
}
