package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/internal/expression"
	"github.com/graphrun/graphrun/internal/schemacheck"
	"github.com/graphrun/graphrun/state"
)

// The names that a step's expressions see beside the state's fields.
const (
	nameGoal   = "goal"
	nameSteps  = "steps"
	nameResult = "result"
)

// compiler reads the texts of steps.
type compiler struct {
	begin  expression.Scope // of what a step begins with
	end    expression.Scope // of its acceptance
	checks map[string]Check
}

// newCompiler makes a compiler for texts that may use these fields of the state.
func newCompiler(fields []string, checks map[string]Check) *compiler {
	types := map[string]expression.Type{nameGoal: {Kind: expression.String}, nameSteps: {Kind: expression.Map}}
	for _, name := range fields {
		if name != nameGoal && name != nameSteps {
			types[name] = expression.Type{}
		}
	}
	begin := expression.NewScope(types)
	return &compiler{begin: begin, end: begin.With(nameResult, expression.Type{}), checks: checks}
}

// stepTexts are a step's texts, ready to be evaluated.
type stepTexts struct {
	task   *expression.Template // nil: there is none
	input  *expression.Value    // nil: there is none
	accept *expression.Condition
	schema *schemacheck.Schema
	needs  []string // the steps whose results they name
}

// step compiles the texts of a step.
func (x *compiler) step(s *Step) (t stepTexts, err error) {
	var problems problems
	x.read(s, &t, &problems)
	return t, problems.err()
}

// read compiles the texts of a step and tells what is wrong with them.
func (x *compiler) read(s *Step, t *stepTexts, p *problems) {
	var err error
	p.key = "task"
	if s.Task != "" {
		if t.task, err = expression.CompileTemplate(s.Task, x.begin); err != nil {
			p.add("step %q: task: %w", s.ID, err)
		}
	}
	p.key = "input"
	if len(s.Input) > 0 {
		if t.input, err = expression.CompileValue(s.Input, x.begin); err != nil {
			p.add("step %q: input: %w", s.ID, err)
		}
	}
	p.key = "accept"
	if a := s.Accept; a != nil {
		x.accept(s, a, t, p)
	}
	t.needs = named(s)
}

func (x *compiler) accept(s *Step, a *Accept, t *stepTexts, p *problems) {
	var err error
	if a.If != "" {
		if t.accept, err = expression.CompileCondition(a.If, x.end); err != nil {
			p.add("step %q: accept if: %w", s.ID, err)
		}
	}
	if len(a.Schema) > 0 {
		if t.schema, err = schemacheck.Compile(a.Schema); err != nil {
			p.add("step %q: accept schema: %s", s.ID, oneLine(err.Error()))
		}
	}
	if _, ok := x.checks[a.Check]; a.Check != "" && !ok {
		p.add("step %q: accept: there is no check %q", s.ID, a.Check)
	}
}

// stepName finds the steps that an expression names.
var stepName = regexp.MustCompile(`\bsteps\s*(?:\?\.|\.)\s*([A-Za-z_]\w*)|\bsteps\s*\[\s*(?:"([^"]*)"|'([^']*)')\s*\]`)

// named lists the steps whose results a step's texts name, each once.
func named(s *Step) (ids []string) {
	look := func(text string) {
		if !strings.Contains(text, nameSteps) {
			return
		}
		for _, m := range stepName.FindAllStringSubmatch(text, -1) {
			if id := m[1] + m[2] + m[3]; !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	look(s.Task)
	lookIn(s.Input, look)
	if s.Accept != nil {
		look(s.Accept.If)
	}
	return ids
}

// lookIn shows all texts inside a value.
func lookIn(v any, look func(string)) {
	switch v := v.(type) {
	case string:
		look(v)
	case []any:
		for _, e := range v {
			lookIn(e, look)
		}
	case map[string]any:
		for _, k := range sortedKeys(v) {
			lookIn(v[k], look)
		}
	}
}

// env is what the expressions of a step see.
type env struct {
	goal   string
	steps  map[string]any
	result map[string]any
	facts  handoffs.Facts
}

// Lookup gives the value of a name.
func (e *env) Lookup(name string) (any, bool) {
	switch {
	case name == nameGoal:
		return e.goal, true
	case name == nameSteps:
		return e.steps, true
	case name == nameResult && e.result != nil:
		return e.result, true
	case e.facts != nil:
		return e.facts(name)
	}
	return nil, false
}

// fill evaluates a step's task and input.
func (t *stepTexts) fill(e *env) (task string, input map[string]any, err error) {
	if t.task != nil {
		v, err := t.task.Value(e)
		if err != nil {
			return "", nil, fmt.Errorf("task: %w", err)
		}
		task = textOf(v)
	}
	if t.input != nil {
		v, err := t.input.Eval(e)
		if err != nil {
			return "", nil, fmt.Errorf("input: %w", err)
		}
		input, _ = v.(map[string]any)
	}
	return task, input, nil
}

// textOf is a value as a text: JSON, if it is none.
func textOf(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	data, err := state.AppendAny(nil, v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}
