package cli

import (
	"fmt"
	"strings"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/plan"
	"github.com/graphrun/graphrun/state"
)

// planQuestion is what people read of the question whether a plan is to be
// worked on. It is false for other questions.
func planQuestion(q *graph.Question) (string, bool) {
	m, ok := q.Value.(map[string]any)
	if !ok || q.Node != plan.NodePlanner || m["type"] != "plan_review" {
		return "", false
	}
	var asked plan.Question
	data, err := state.AppendAny(nil, m)
	if err != nil || state.ParseInto(data, &asked) != nil || asked.Plan == nil {
		return "", false
	}
	return reviewText(&asked), true
}

// reviewText says what is to be decided: the plan, what is new in it, and how to
// answer.
func reviewText(q *plan.Question) string {
	p := q.Plan
	text := fmt.Sprintf("may version %d of the plan %q be worked on? ", max(p.Version, 1), p.ID)
	var parts []string
	if p.Goal != "" {
		parts = append(parts, "goal: "+p.Goal)
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		parts = append(parts, s.ID+behindColon(doerOf(s, ""), s.Task))
	}
	for _, more := range []struct {
		word  string
		lines []string
	}{{"changes", q.Changes}, {"problems", q.Problems}} {
		if len(more.lines) > 0 {
			parts = append(parts, more.word+": "+strings.Join(more.lines, ", "))
		}
	}
	return text + strings.Join(parts, "; ") + ` (answer {"decision": "approve"}, {"decision": "edit", "plan": PLAN} or {"decision": "reject", "reason": TEXT})`
}
