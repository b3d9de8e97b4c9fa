package cli

import (
	"fmt"
	"strings"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/plan"
)

// planLine is what people read of a change of a plan, on a line of its own;
// false for other values.
func (p *painter) planLine(e *graph.Custom) (string, bool) {
	text, ok := planText(e.Value)
	if !ok {
		return "", false
	}
	if len(e.NS) > 0 {
		text = strings.Join(e.NS, "/") + ": " + text
	}
	return p.ink.dim("plan") + "  " + clip(oneLine(text), max(p.width-6, 0)), true
}

// planText is a change of a plan in words; false for other values.
func planText(value any) (string, bool) {
	switch n := value.(type) {
	case *plan.StepLine:
		return stepLineText(n), true
	case *plan.PlanLine:
		return planLineText(n), true
	}
	return "", false
}

// stepLineText says how a step stands, and who has it.
func stepLineText(n *plan.StepLine) string {
	text := n.Step + " " + string(n.Status)
	if who := doerInAttempt(n.Agent, n.Attempt); who != "" {
		text += " (" + who + ")"
	}
	return text + behindColon(codeOf(n), n.Message)
}

// codeOf is the code of a step's failure, if it tells more than that it failed.
func codeOf(n *plan.StepLine) string {
	if n.Code == handoffs.CodeFailed {
		return ""
	}
	return string(n.Code)
}

// doerInAttempt names who has a step; the first attempt needs no mention.
func doerInAttempt(agent string, attempt int) string {
	var parts []string
	if agent != "" {
		parts = append(parts, agent)
	}
	if attempt > 1 {
		parts = append(parts, fmt.Sprintf("attempt %d", attempt))
	}
	return strings.Join(parts, ", ")
}

// behindColon puts a colon in front of each of the texts that is not empty.
func behindColon(texts ...string) string {
	out := ""
	for _, text := range texts {
		if text != "" {
			out += ": " + text
		}
	}
	return out
}

// planLineText tells of a plan that was taken up, or is over.
func planLineText(n *plan.PlanLine) string {
	if n.Phase == plan.Working {
		return fmt.Sprintf("%s, version %d, %s%s", n.Plan, n.Version, counted(len(n.Steps), "step"), behindColon(n.Goal))
	}
	return n.Plan + " " + string(n.Phase) + behindColon(n.Message)
}
