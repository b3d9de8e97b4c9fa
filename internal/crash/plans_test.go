package crash_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/graphrun/graphrun/plan"
	"github.com/graphrun/graphrun/state"
)

// plans is what a state holds of one plan, in all its versions, and what was said.
type plans struct {
	log      []plan.Event
	course   plan.Course
	steps    map[string]plan.Progress // those that the log tells of
	messages []state.Message
}

// plansOf reads the fields of a state.
func plansOf(schema *state.RecordSchema, values *state.Record) (*plans, error) {
	p := &plans{steps: map[string]plan.Progress{}}
	list, ok := values.Get("plan_log")
	if !ok || list == nil {
		return p, nil
	}
	data, err := state.AppendAny(nil, list)
	if err == nil {
		err = state.ParseInto(data, &p.log)
	}
	look, bad := plan.Records{Schema: schema}.Look(values)
	if err = errors.Join(err, bad); err != nil {
		return nil, err
	}
	p.course, p.messages = *look.Course, look.Messages
	for _, e := range p.log {
		if q, ok := look.Progress(e.Step); ok {
			p.steps[e.Step] = q
		}
	}
	return p, nil
}

// check says what was done twice, and where the log, the course and the steps do
// not agree.
func (p *plans) check() error {
	open, done := map[string]bool{}, map[string]bool{}
	for i, e := range p.log {
		if e.Seq != i+1 {
			return fmt.Errorf("entry %d of the plan's log has the number %d", i+1, e.Seq)
		}
		if e.Step != "" && done[e.Step] {
			return fmt.Errorf("step %s is %s behind its end", e.Step, e.Event)
		}
		switch e.Event {
		case plan.EventStarted:
			if open[e.Step] {
				return fmt.Errorf("step %s has begun twice", e.Step)
			}
			open[e.Step] = true
		case plan.EventDone:
			done[e.Step] = true
			delete(open, e.Step)
		case plan.EventFailed, plan.EventDropped, plan.EventSkipped:
			delete(open, e.Step)
		}
	}
	if p.course.Seq != len(p.log) {
		return fmt.Errorf("the course counts %d entries of %d", p.course.Seq, len(p.log))
	}
	return p.agree(open, done)
}

// agree says which step does not stand as the log says.
func (p *plans) agree(open, done map[string]bool) error {
	for id, q := range p.steps {
		if (q.Status == plan.Running) != open[id] || (q.Status == plan.Done) != done[id] {
			return fmt.Errorf("step %s is %s, the log says otherwise", id, q.Status)
		}
		if q.Status == plan.Done && p.said(q.Result) > 1 {
			return fmt.Errorf("the result of step %s was said twice", id)
		}
		if slices.Contains(p.course.Open, id) != open[id] {
			return fmt.Errorf("the course has %v at work, the log says otherwise of %s", p.course.Open, id)
		}
	}
	for id := range done {
		if _, ok := p.steps[id]; !ok {
			return fmt.Errorf("step %s is done, and nothing is known of it", id)
		}
	}
	return nil
}

// said counts how often an agent said what a step has come to.
func (p *plans) said(r *plan.Result) (n int) {
	for i := range p.messages {
		if m := &p.messages[i]; m.Role == state.RoleAI && m.Name == r.Agent && m.Text() == r.Text {
			n++
		}
	}
	return n
}
