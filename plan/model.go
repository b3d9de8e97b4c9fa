package plan

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/graphrun/graphrun/internal/schemacheck"
	"github.com/graphrun/graphrun/state"
)

// Prompt is what a model is asked by a ModelPlanner or ModelJudge.
type Prompt struct {
	System string
	User   string
	Schema json.RawMessage // of the answer, for models that can be held to one
}

// Ask calls a model and returns its answer, which must be JSON. It may be in a
// fence of three backquotes. It may be called by several goroutines at once.
type Ask func(ctx context.Context, p Prompt) (string, error)

// ModelPlanner is a Planner that asks a model for JSON. An answer that does not
// fit the schema, or is no plan that can be worked on, is shown to the model
// with what is wrong, once; then the run fails with an ErrPlan.
type ModelPlanner struct {
	Ask          Ask
	Instructions string // put before what every planner is told; may be empty
	Stream       bool   // the model may name the first steps and be asked for more
}

// Plan asks the model.
func (m *ModelPlanner) Plan(ctx context.Context, r *Request) (*Proposal, error) {
	if m.Ask == nil {
		return nil, fmt.Errorf("a ModelPlanner needs Ask")
	}
	schema := proposalSchema(r, m.Stream)
	text, err := m.Ask(ctx, Prompt{System: m.system(), User: m.user(r), Schema: schema})
	if err != nil {
		return nil, err
	}
	var p Proposal
	if err := readAnswer(text, schema, &p); err != nil {
		return nil, err
	}
	if !m.Stream && p.More {
		p.More = false
	}
	return &p, nil
}

const planRules = `You make plans for a team of agents. Answer with one JSON object that fits the schema, and nothing else.
Each step names the agent that does it, or a capability if any agent that has it will do. Its task must say all that the agent needs to know.
A step that uses the result of another one lists it in depends_on and names it as ${steps.ID.text} in its task.
Steps that are done stay as they are: do not name them again. If nothing is left to be done, leave steps empty and give the answer for the user.`

const streamRules = `
You may give the first steps alone, with more set to true: you will be asked for the next ones while these are worked on.`

func (m *ModelPlanner) system() string {
	text := planRules
	if m.Stream {
		text += streamRules
	}
	if m.Instructions != "" {
		text = m.Instructions + "\n\n" + text
	}
	return text
}

// user is the request as a text.
func (m *ModelPlanner) user(r *Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Goal: %s\n", r.Goal)
	writeAgents(&b, r)
	writeLedger(&b, r.Ledger)
	writePlan(&b, r.Plan)
	if r.Cause != nil {
		fmt.Fprintf(&b, "\nA new version is needed: %s\n", causeText(r.Cause))
	}
	if len(r.Problems) > 0 {
		fmt.Fprintf(&b, "\nYour last answer cannot be used:\n%s\n", r.Answered)
		b.WriteString("What is wrong with it:\n")
		for _, p := range r.Problems {
			fmt.Fprintf(&b, "- %s\n", p)
		}
	}
	return b.String()
}

func causeText(c *Cause) string {
	text := c.Text
	if c.Step != "" {
		text = fmt.Sprintf("step %s failed (%s): %s", c.Step, c.Code, c.Text)
	}
	return text
}

func writeAgents(b *strings.Builder, r *Request) {
	b.WriteString("\nAgents:\n")
	for i := range r.Agents {
		a := &r.Agents[i]
		if a.System {
			continue
		}
		fmt.Fprintf(b, "- %s", a.ID)
		if a.Description != "" {
			fmt.Fprintf(b, ": %s", a.Description)
		}
		if len(a.Capabilities) > 0 {
			fmt.Fprintf(b, " (can: %s)", strings.Join(a.Capabilities, ", "))
		}
		b.WriteByte('\n')
	}
}

func writeLedger(b *strings.Builder, l *Ledger) {
	if l == nil {
		return
	}
	for _, part := range []struct {
		name string
		list []string
	}{{"Facts", l.Facts}, {"To be looked up", l.Lookup}, {"To be worked out", l.Derive}, {"Guesses", l.Guesses}} {
		if len(part.list) > 0 {
			fmt.Fprintf(b, "\n%s:\n- %s\n", part.name, strings.Join(part.list, "\n- "))
		}
	}
}

// writePlan tells how the plan stands.
func writePlan(b *strings.Builder, p *Plan) {
	if p == nil {
		return
	}
	fmt.Fprintf(b, "\nThe plan so far (version %d):\n", p.Version)
	for i := range p.Steps {
		s := &p.Steps[i]
		fmt.Fprintf(b, "- %s [%s] %s\n", s.ID, s.Status, describe(s))
		if s.Result != nil && s.Result.Text != "" {
			fmt.Fprintf(b, "  result: %s\n", short(s.Result.Text))
		}
	}
}

// mostResult is how many characters of a result a model is shown.
const mostResult = 2000

func short(text string) string {
	runes := []rune(text)
	if len(runes) <= mostResult {
		return text
	}
	return string(runes[:mostResult]) + " …"
}

// readAnswer reads a model's JSON. What is wrong with it is a *Problems.
func readAnswer[V any](text string, schema json.RawMessage, into *V) error {
	data := []byte(schemacheck.Unfenced(text))
	var ps problems
	wrong := func(err error) error {
		ps.add("%s", oneLine(err.Error()))
		return &Problems{List: ps.list, Answer: text}
	}
	if err := state.CheckJSON(data); err != nil {
		return wrong(fmt.Errorf("it is no JSON: %w", err))
	}
	s, err := schemacheck.Compile(schema)
	if err != nil {
		return fmt.Errorf("the schema of answers: %w", err)
	}
	if texts := s.Problems(data); texts != nil {
		for _, text := range texts {
			ps.add("%s", text)
		}
		return &Problems{List: ps.list, Answer: text}
	}
	if err := state.ParseInto(data, into); err != nil {
		return wrong(err)
	}
	return nil
}
