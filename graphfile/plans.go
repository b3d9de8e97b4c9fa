package graphfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/graphrun/graphrun/graphfile/internal/models"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/internal/expression"
	"github.com/graphrun/graphrun/plan"
	"github.com/graphrun/graphrun/state"
)

// checkPlan reads the expressions of the section plan, reports what is wrong
// with its steps, and returns what the executor of plans is made of; nil: there
// are no plans.
func (t *tree) checkPlan(p *handoffs.Policy) *plan.Config[record] {
	if t.plan == nil || t.schema == nil {
		return nil
	}
	names := t.planFields()
	types := map[string]expression.Type{}
	for _, name := range names {
		types[name] = t.fieldBy[name].typ()
	}
	t.plan.Compile(expression.NewScope(types))
	if p.Registry.Len() == 0 {
		return nil
	}
	s := t.plan
	cfg := &plan.Config[record]{
		Fields: plan.Records{Schema: t.schema}, Registry: p.Registry, Supervisor: p.Supervisor, Names: names,
		Review: s.Review, Replans: s.Replans, Stalls: s.Stalls, Parallel: s.Parallel, OnFailure: s.OnFailure, OnOrphan: s.OnOrphan,
	}
	cfg.Judge, cfg.Checks = s.Go.Judge, s.Go.Checks
	if s.Judge != nil {
		cfg.Judge = plan.ModelJudge(t.planAsk("the judge", s.Judge))
	}
	if cfg.Planner = s.Planner(func(m *models.Spec) plan.Ask { return t.planAsk("the planner", m) }); cfg.Planner != nil {
		cfg.EveryRound = s.EveryRound
	}
	x, err := plan.New(*cfg)
	if err != nil {
		s.TellConfig(err)
		cfg.OnFailure, cfg.OnOrphan = plan.Failure{}, plan.Failure{}
		if x, err = plan.New(*cfg); err != nil {
			return nil
		}
	}
	s.Tell(x.Check)
	return cfg
}

// planFields are the fields that the expressions of a plan may name: those that
// agents and plans do not keep for themselves, and the messages.
func (t *tree) planFields() []string {
	kept := map[string]bool{}
	for _, f := range keptFields(true) {
		kept[f.Name] = f.Name != "messages"
	}
	var out []string
	for _, f := range t.fields {
		if !kept[f.name] {
			out = append(out, f.name)
		}
	}
	return out
}

// newTeam makes the team, which works on plans if there are any.
func (t *tree) newTeam(cfg handoffs.TeamConfig[record], plans *plan.Config[record]) (*handoffs.Team[record], error) {
	if plans == nil {
		return handoffs.NewTeam(cfg)
	}
	made, err := plan.NewTeam(plan.TeamConfig[record]{Team: cfg, Plan: *plans})
	if err != nil {
		return nil, err
	}
	t.planned = made.Executor
	return made.Team, nil
}

// notRead says why JSON cannot be read as a plan.
func notRead(err error) string {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return strings.TrimPrefix(err.Error(), "json: ")
	}
	article := "a "
	if strings.HasPrefix(wrong.Value, "a") || strings.HasPrefix(wrong.Value, "o") {
		article = "an "
	}
	if wrong.Field == "" {
		return "it cannot be " + article + wrong.Value
	}
	return fmt.Sprintf("%q cannot be %s%s", wrong.Field, article, wrong.Value)
}

// inputPlan says what is wrong with a plan that comes with an input.
func (f *File) inputPlan(value any) string {
	data, err := state.AppendAny(nil, value)
	if err != nil {
		return fmt.Sprintf("field \"plan\": %s", plain(err))
	}
	var p plan.Plan
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return "field \"plan\": it is no plan: " + notRead(err)
	}
	if p.Version != 0 {
		return "field \"plan\": \"version\" is not the plan's to say: leave it out"
	}
	var ps *plan.Problems
	if err := f.planned.Check(&p); errors.As(err, &ps) {
		lines := make([]string, len(ps.List))
		for i, problem := range ps.List {
			lines[i] = "field \"plan\": " + plain(problem)
		}
		return strings.Join(lines, "\n")
	}
	return ""
}
