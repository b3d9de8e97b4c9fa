package planning

import (
	"encoding/json"
	"math"

	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/graphfile/internal/task"
	"github.com/graphrun/graphrun/plan"
)

// mostSteps is how many steps a plan of a file may have.
const mostSteps = 10_000

// step is where a step stands in the file.
type step struct {
	f   *source.Fields
	bad map[string]bool // keys of which something wrong was told already
}

// stepsOf reads the steps of a plan or of a proposal.
func (s *Section) stepsOf(f *source.Fields) (out []plan.Step, where []*step) {
	items, _ := f.Items("steps")
	if len(items) > mostSteps {
		s.Rep.Errorf(f.KeyPos("steps"), "there are %d steps, at most %d are allowed", len(items), mostSteps)
		items, s.vague = items[:mostSteps], true
	}
	for _, n := range items {
		st := &step{f: s.Rep.Fields(n, "a step"), bad: map[string]bool{}}
		made := s.step(st)
		if made.ID == "" {
			s.vague = true
			continue
		}
		out, where = append(out, made), append(where, st)
	}
	return out, where
}

// step reads one step, with the keys that plan.Step has in JSON.
func (s *Section) step(st *step) plan.Step {
	f := st.f
	var out plan.Step
	if n := f.Need("id"); n != nil {
		out.ID, _ = f.Text("id")
		if out.ID == "" && n.Kind == source.String {
			s.Rep.Errorf(n.Pos, `"id" needs the step's name`)
		}
	}
	if n := f.Take("agent"); n != nil {
		out.Agent = s.agent(n, `"agent"`)
		st.bad["agent"] = out.Agent == ""
	}
	out.Capability, _ = f.Text("capability")
	out.Task, _ = f.Text("task")
	f.Entries("input")
	if n := f.Take("input"); n != nil && n.Kind == source.Map {
		out.Input, _ = n.Any().(map[string]any)
	}
	out.DependsOn = texts(f, "depends_on")
	out.Accept = s.accept(st)
	out.Retry = retry(f)
	timeout, _ := f.Duration("timeout", 1, task.Longest)
	out.Timeout = plan.Span(timeout)
	out.OnFailure = s.failure(f, "on_failure", st)
	f.Done()
	return out
}

// accept reads {if, schema, check}.
func (s *Section) accept(st *step) *plan.Accept {
	if !st.f.Has("accept") {
		return nil
	}
	f := st.f.Fields("accept", `"accept"`)
	a := &plan.Accept{}
	a.If, _ = f.Text("if")
	a.Check, _ = f.Text("check")
	if n := f.Take("schema"); n != nil {
		if n.Kind != source.Map && n.Kind != source.Bool {
			s.Rep.Errorf(n.Pos, `"schema": expected a JSON Schema, found %s`, n.Kind)
			st.bad["accept"] = true
		} else if text, err := n.MarshalJSON(); err == nil {
			a.Schema = json.RawMessage(text)
		}
	}
	f.Done()
	return a
}

// retry reads {max, initial, factor, most}.
func retry(f *source.Fields) *plan.Retry {
	if !f.Has("retry") {
		return nil
	}
	r := f.Fields("retry", `"retry"`)
	out := &plan.Retry{}
	most, _ := r.Int("max", 1, math.MaxInt32)
	out.Max = int(most)
	out.Factor, _ = r.Float("factor", 1, 1000)
	initial, _ := r.Duration("initial", 1, task.Longest)
	longest, _ := r.Duration("most", 1, task.Longest)
	out.Initial, out.Most = plan.Span(initial), plan.Span(longest)
	r.Done()
	return out
}

// failure reads {do, to}; nil if it is not there.
func (s *Section) failure(f *source.Fields, key string, st *step) *plan.Failure {
	if !f.Has(key) {
		return nil
	}
	g := f.Fields(key, `"`+key+`"`)
	out := &plan.Failure{}
	g.Need("do")
	word, _ := g.OneOf("do", whatToDo()...)
	out.Do = plan.Do(word)
	items, _ := g.Items("to")
	for _, n := range items {
		if name := s.agent(n, `"to"`); name != "" {
			out.To = append(out.To, name)
		} else if st != nil {
			st.bad[key] = true
		}
	}
	g.Done()
	return out
}

// whatToDo are the words for what becomes of a failed step.
func whatToDo() []string {
	return []string{
		string(plan.Reassign), string(plan.Skip), string(plan.SkipBranch), string(plan.Replan), string(plan.Escalate), string(plan.Stop),
	}
}
