package planning

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/graphfile/internal/page"
	"github.com/graphrun/graphrun/plan"
	"github.com/graphrun/graphrun/state"
)

// Default is the plan as a field of a record holds it; nil: there is none.
func (s *Section) Default() (any, error) {
	if !s.HasPlan() {
		return nil, nil
	}
	data, err := json.Marshal(&s.Begin)
	if err != nil {
		return nil, err
	}
	return state.ParseAny(data)
}

// Tell reports what package plan finds wrong with the plan and with the
// proposals, but for what was told already.
func (s *Section) Tell(check func(*plan.Plan) error) {
	if s.HasPlan() {
		s.tell(s.steps, check(&s.Begin), s.vague)
	}
	if s.Script == nil {
		return
	}
	for _, e := range s.Script.entries {
		// What a proposal's steps depend on is known in the run.
		p := &plan.Plan{Order: plan.Graph, Steps: slices.Clone(e.Steps)}
		for i := range p.Steps {
			p.Steps[i].DependsOn = nil
		}
		if len(p.Steps) > 0 {
			s.tell(e.steps, check(p), true)
		}
	}
}

// tell reports problems with steps; of vague ones only those that do not depend
// on which steps there are.
func (s *Section) tell(steps []*step, err error, vague bool) {
	var ps *plan.Problems
	if !errors.As(err, &ps) {
		return
	}
	for _, one := range ps.List {
		var p *plan.Problem
		if !errors.As(one, &p) || vague && (p.Key == "" || p.Key == "depends_on") {
			continue
		}
		at := s.fields.KeyPos("steps")
		if p.Place > 0 {
			st := steps[p.Place-1]
			if st.bad[p.Key] {
				continue
			}
			at = st.f.KeyPos(p.Key)
		}
		s.Rep.Errorf(at, "%s", page.Plain(p.Err))
	}
}

// TellConfig reports what package plan finds wrong with the rest of the section.
func (s *Section) TellConfig(err error) {
	all, ok := err.(interface{ Unwrap() []error })
	if !ok {
		s.Rep.Errorf(s.Pos, "the plan: %s", page.Plain(err))
		return
	}
	for _, one := range all.Unwrap() {
		var p *plan.Problem
		at, text := s.Pos, page.Plain(one)
		if errors.As(one, &p) && p.Key != "" {
			at = s.fields.KeyPos(p.Key)
			_, text, _ = strings.Cut(text, ": ")
			text = `"` + p.Key + `": ` + text
		}
		s.Rep.Errorf(at, "%s", text)
	}
}
