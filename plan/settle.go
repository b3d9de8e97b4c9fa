package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// The codes of steps that failed, beside those of handoffs.
const (
	CodeNotAccepted handoffs.Code = "not_accepted" // the result of a step was not accepted
	CodeInput       handoffs.Code = "step_input"   // a step's task or input could not be made
	CodeStalled     handoffs.Code = "stalled"      // there was no progress for too long
	CodeReplans     handoffs.Code = "replans"      // there were too many new versions
)

// settle looks at the work of a step that has ended. What is told of an attempt
// that is not the one at work is passed over.
func (r *round[S]) settle(e *handoffs.StepEnd) error {
	step := r.ix.step(e.Step)
	at := slices.Index(r.course.Open, e.Step)
	if step == nil || at < 0 || r.step(e.Step).Attempt != e.Attempt {
		return nil
	}
	r.course.Open = slices.Delete(r.course.Open, at, at+1)
	r.ended++
	p := r.change(e.Step)
	p.Agent, p.Ended = e.Agent, r.now
	good := e.Outcome.Status == handoffs.Completed || e.Outcome.Status == handoffs.Partial
	switch {
	case e.Orphan && good:
		left := *e
		left.Agent, p.Agent = e.Given, e.Given
		return r.failed(step, p, &left, handoffs.CodeOrphan, fmt.Sprintf("%s has left it; %s took over", e.Given, e.Agent))
	case !good:
		code := e.Outcome.Code
		if code == "" {
			code = handoffs.CodeFailed
		}
		return r.failed(step, p, e, code, e.Outcome.Error)
	}
	result := &Result{Text: e.Outcome.Text, Value: e.Outcome.Value, Outputs: e.Outcome.Outputs, Agent: e.Agent, Spent: e.Spent}
	if err := r.accept(step, result); err != nil {
		return r.failed(step, p, e, CodeNotAccepted, err.Error())
	}
	r.complete(step, p, result, e)
	return nil
}

// complete notes that a step is done.
func (r *round[S]) complete(step *Step, p *Progress, result *Result, e *handoffs.StepEnd) {
	p.Status, p.Result, p.Code, p.Error = Done, result, "", ""
	r.done++
	r.log(EventDone, step.ID, Done, Event{Agent: p.Agent, Attempt: p.Attempt, Handoff: e.Handoff})
	r.passed(step.ID)
}

// passed lets those go on that waited for a step.
func (r *round[S]) passed(id string) {
	r.course.Left--
	if r.ix.linear {
		if r.course.Cursor < len(r.ix.plan.Steps)-1 {
			r.course.Cursor++
		}
		return
	}
	for _, i := range r.ix.next[r.ix.at[id]] {
		next := &r.ix.plan.Steps[i]
		q := r.change(next.ID)
		if q.Met++; q.Met == len(next.DependsOn) && !q.Status.Final() {
			r.course.Ready = append(r.course.Ready, next.ID)
		}
	}
}

// accept says what is wrong with a step's result; nil: nothing.
func (r *round[S]) accept(step *Step, result *Result) error {
	a, t := step.Accept, &r.ix.texts[r.ix.at[step.ID]]
	if a == nil {
		return nil
	}
	if result.Value == nil && t.schema != nil {
		if v, err := state.ParseAny([]byte(strings.TrimSpace(result.Text))); err == nil {
			result.Value = v
		}
	}
	if t.schema != nil {
		if texts := t.schema.ProblemsOf(forSchema(result.Value)); texts != nil {
			return fmt.Errorf("its value does not fit the schema: %s", strings.Join(texts, "; "))
		}
	}
	if t.accept != nil {
		env := r.env(t)
		env.result = resultEnv(result, Done)
		switch ok, err := t.accept.Holds(env); {
		case err != nil:
			return fmt.Errorf("accept: %w", err)
		case !ok:
			return fmt.Errorf("%s does not hold: %s", a.If, t.accept.Explainer().Because(env))
		}
	}
	if a.Check != "" {
		return r.x.cfg.Checks[a.Check](r.ctx, r.ix.plan, step, result)
	}
	return nil
}

// oneLine puts the lines of a text into one.
func oneLine(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, " ")
}

// forSchema is a value as the schema's library knows it.
func forSchema(v any) any {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = forSchema(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = forSchema(v[k])
		}
		return out
	}
	return v
}

// env is what a step's texts see: the results of the steps that they name.
func (r *round[S]) env(t *stepTexts) *env {
	e := &env{goal: r.ix.plan.Goal, steps: map[string]any{}, facts: r.stateFacts()}
	for _, id := range t.needs {
		p := r.step(id)
		if p.Result == nil {
			e.steps[id] = map[string]any{"status": string(p.Status)}
			continue
		}
		e.steps[id] = resultEnv(p.Result, p.Status)
	}
	return e
}

func resultEnv(r *Result, s Status) map[string]any {
	return map[string]any{"text": r.Text, "value": r.Value, "outputs": r.Outputs, "agent": r.Agent, "status": string(s)}
}

func (r *round[S]) stateFacts() handoffs.Facts {
	if r.facts == nil {
		if r.x.cfg.Facts != nil {
			r.facts = r.x.cfg.Facts(r.s)
		} else {
			r.facts = r.x.cfg.Fields.Facts(r.s)
		}
	}
	return r.facts
}
