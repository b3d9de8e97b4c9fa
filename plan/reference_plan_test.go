package plan_test

import (
	"slices"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/plan"
)

// refPlan is how the plan stands.
type refPlan struct {
	p       *program
	linear  bool
	more    bool
	steps   []progStep
	version int
	phase   plan.Phase
	states  map[string]*refStep
	open    []string // steps at work, in the order in which they began
	order   []string // steps that were made ready, in their order
	stop    handoffs.Code
	stopped bool // it fails when nothing is at work any more
	replans int
	stalls  int
	asked   bool // the planner has had its say in this round
}

// refStep is how a step stands.
type refStep struct {
	status  plan.Status
	attempt int
	agent   string
	tried   []string
	raised  bool
	code    handoffs.Code
	value   any
	met     bool // it was made ready, or has begun, once
}

func (s *refStep) final() bool { return s.status.Final() }

func (s *refStep) passed() bool { return s.status == plan.Done || s.status == plan.Skipped }

// begin takes the plan up.
func (l *refPlan) begin(r *reference) {
	*l = refPlan{p: r.p, linear: r.p.Order == plan.Linear, more: r.p.More, steps: r.p.Steps, version: 1, phase: plan.Working, states: map[string]*refStep{}}
	for i := range l.steps {
		l.states[l.steps[i].ID] = &refStep{}
	}
}

func (l *refPlan) step(id string) *progStep {
	i := slices.IndexFunc(l.steps, func(s progStep) bool { return s.ID == id })
	if i < 0 {
		return nil
	}
	return &l.steps[i]
}

func (l *refPlan) at(id string) *refStep { return l.states[id] }

func (l *refPlan) over() bool {
	return l.phase == plan.Finished || l.phase == plan.Broken || l.phase == plan.Abandoned
}

// left counts the steps that are not final.
func (l *refPlan) left() (n int) {
	for i := range l.steps {
		if !l.at(l.steps[i].ID).final() {
			n++
		}
	}
	return n
}

// due lets the planner have its say, if it is asked.
func (l *refPlan) due() bool {
	due := l.asked && !l.over() && !l.stopped
	if l.asked = false; due {
		l.next(l.phase == plan.Replanning)
	}
	return due
}

// round settles what has ended and begins what can begin. It returns the code
// that the run fails with.
func (l *refPlan) round(r *reference, ends []refEnd) string {
	if l.over() {
		return ""
	}
	done, ended := 0, 0
	for _, e := range ends {
		q := l.at(e.step)
		if l.step(e.step) == nil || !slices.Contains(l.open, e.step) || q.attempt != e.attempt {
			continue
		}
		ended++
		l.open = slices.DeleteFunc(l.open, func(id string) bool { return id == e.step })
		q.agent = e.agent
		switch s := l.step(e.step); {
		case !e.good:
			l.failed(s, e.agent, e.code)
		case e.orphan:
			q.agent = e.given
			l.failed(s, e.given, handoffs.CodeOrphan)
		case s.Accept && !enough(e.value):
			l.failed(s, e.agent, plan.CodeNotAccepted)
		default:
			q.status, q.value, q.code = plan.Done, e.value, ""
			done++
			l.passed(e.step)
		}
	}
	if ended > 0 && l.phase == plan.Working && !l.stopped && l.left() > 0 {
		l.judge(done > 0)
	}
	return l.goOn(r, ended > 0)
}

func enough(v any) bool {
	n, ok := v.(int64)
	return ok && n >= 5
}

// judge counts rounds without progress.
func (l *refPlan) judge(progress bool) {
	most := l.p.Stalls
	if most == 0 {
		most = 3
	}
	if progress {
		l.stalls = max(0, l.stalls-1)
		return
	}
	if l.stalls++; most > 0 && l.stalls >= most {
		l.stalls = 0
		l.replan(plan.CodeStalled)
	}
}

// goOn ends the plan, asks the planner or begins steps.
func (l *refPlan) goOn(r *reference, ended bool) string {
	for {
		idle := len(l.open) == 0
		switch {
		case l.over():
			return ""
		case l.stopped:
			if !idle {
				return ""
			}
			l.phase = plan.Broken
			return string(l.stop)
		case l.phase == plan.Replanning:
			l.asked = idle
			return ""
		case l.left() == 0 && l.more:
			l.asked = true
			return ""
		case l.p.EveryRound && ended && idle && l.replans < l.most():
			l.replan("")
			continue
		case l.left() == 0:
			l.phase, l.order = plan.Finished, nil
			return ""
		}
		l.asked = l.more
		id := l.ready()
		if id == "" {
			return ""
		}
		l.start(r, id)
	}
}

// ready takes the next step that can begin; "": none.
func (l *refPlan) ready() string {
	if l.linear {
		if len(l.open) > 0 {
			return ""
		}
		for i := range l.steps {
			if q := l.at(l.steps[i].ID); !q.final() {
				return l.steps[i].ID
			} else if q.status == plan.Failed {
				return ""
			}
		}
		return ""
	}
	if l.p.Parallel > 0 && len(l.open) >= l.p.Parallel {
		return ""
	}
	if len(l.order) > 0 {
		id := l.order[0]
		l.order = l.order[1:]
		return id
	}
	for i := range l.steps {
		if q := l.at(l.steps[i].ID); !q.met && len(l.steps[i].Deps) == 0 && !q.final() {
			return l.steps[i].ID
		}
	}
	return ""
}

// start begins an attempt of a step, at once or when its time has come.
func (l *refPlan) start(r *reference, id string) {
	s, q := l.step(id), l.at(id)
	q.attempt++
	q.met = true
	if q.agent == "" {
		q.agent = s.Agent
	}
	if s.Need != "" {
		if need := l.at(s.Need); need.value == nil {
			l.failed(s, q.agent, plan.CodeInput)
			return
		}
	}
	q.status = plan.Running
	l.open = append(l.open, id)
	if s.Wait > 0 && s.Retry > 0 && q.attempt > 1 && !q.raised {
		r.later = append(r.later, &refLater{step: id, from: r.now + s.Wait<<(q.attempt-2)})
		return
	}
	r.start(id)
}

// passed makes ready what waited for a step alone.
func (l *refPlan) passed(id string) {
	if l.linear {
		return
	}
	for i := range l.steps {
		s := &l.steps[i]
		if q := l.at(s.ID); slices.Contains(s.Deps, id) && !q.met && !q.final() && l.free(s) {
			q.met = true
			l.order = append(l.order, s.ID)
		}
	}
}

func (l *refPlan) free(s *progStep) bool {
	return !slices.ContainsFunc(s.Deps, func(id string) bool { return !l.at(id).passed() })
}
