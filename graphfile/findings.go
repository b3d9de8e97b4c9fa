package graphfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/graphfile/internal/team"
	"github.com/graphrun/graphrun/handoffs"
)

// The bounds up to which a policy is looked at for what is odd: it takes time
// that grows faster than the policy.
const (
	mostLintedAgents = 200
	mostLintedWays   = 1000 // edges and rules
)

// findings turns what is odd about a policy into diagnostics.
func (t *tree) findings(p *handoffs.Policy) {
	if !lintable(p) {
		t.rep.Warnf(t.team.Pos, "the policy is not checked for rules that clash: with %d agents, %d edges and rules it is too large", p.Registry.Len(), waysOf(p)).Hint =
			fmt.Sprintf("up to %d agents, %d edges and rules are checked", mostLintedAgents, mostLintedWays)
		return
	}
	for _, f := range handoffs.Lint(p) {
		at := t.placeOf(f)
		if f.Warning || slices.Contains(bearable(), f.Code) {
			t.rep.Warnf(at, "%s (%s)", f.Message, f.Code).Hint = wayHint(f)
		} else {
			t.rep.Errorf(at, "%s (%s)", f.Message, f.Code).Hint = wayHint(f)
		}
	}
}

// lintable reports whether a policy is small enough to be looked at closely.
func lintable(p *handoffs.Policy) bool {
	return p.Registry.Len() <= mostLintedAgents && waysOf(p) <= mostLintedWays
}

func waysOf(p *handoffs.Policy) int {
	if p.Rules == nil {
		return len(p.Edges)
	}
	return len(p.Edges) + len(p.Rules.List)
}

// wayHint is the way that shows what is odd.
func wayHint(f handoffs.Finding) string {
	way := strings.Join(f.Path, " -> ")
	if len(f.Path) < 2 || strings.Contains(f.Message, way) {
		return ""
	}
	return "on the way " + way
}

// bearable are the defects of rules with which a file can be run: the rules have
// an order, and a script need not emit everything that they answer.
func bearable() []handoffs.Defect {
	return []handoffs.Defect{
		handoffs.DefectDoubleTrigger, handoffs.DefectShadowed, handoffs.DefectNeverFires, handoffs.DefectRetryEntry, handoffs.DefectExpect,
	}
}

// placeOf is the place of a finding in this file; without one it is that of
// the section that it is about.
func (t *tree) placeOf(f handoffs.Finding) source.Pos {
	rest, ok := strings.CutPrefix(f.Place, t.file.Name+":")
	line, col, good := strings.Cut(rest, ":")
	l, lineErr := strconv.Atoi(line)
	c, colErr := strconv.Atoi(col)
	switch {
	case ok && good && lineErr == nil && colErr == nil:
		return source.Pos{Line: l, Col: c}
	case f.Code == handoffs.DefectState && t.team.Workflow != nil:
		return t.team.Workflow.Pos
	case f.Code == handoffs.DefectEndless && t.team.Handoffs != nil:
		return t.team.Handoffs.Pos
	}
	return t.team.Pos
}

// meetings warns of agents side by side that may write one field which takes
// one writer.
func (t *tree) meetings(read *team.Team) {
	for _, m := range read.Meetings() {
		if f := t.fieldBy[m.Field]; f == nil || !f.last() {
			continue
		}
		who := fmt.Sprintf("%q and %q", m.First, m.Second)
		if m.First == m.Second {
			who = fmt.Sprintf("two branches of %q", m.First)
		}
		t.rep.Warnf(m.Pos, "%s may write %q in one step, which takes one writer", who, m.Field)
	}
}
