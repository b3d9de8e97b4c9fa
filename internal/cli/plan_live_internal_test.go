package cli

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/internal/topo"
	"github.com/graphrun/graphrun/plan"
)

// emitted is a value that a node of a subgraph, or of the root, tells of.
func emitted(value any, ns ...string) *graph.Custom {
	pos := graph.Pos{1, 0, 0}
	for range ns {
		pos = append(pos, 1, 0, 0)
	}
	return &graph.Custom{Head: at(pos, ns...), TaskRef: task("next_step", "1.0"), Value: value}
}

// takenUp is the line of a plan p with so many steps s1, s2, ….
func takenUp(version, steps int) *plan.PlanLine {
	n := &plan.PlanLine{Plan: "p", Version: version, Phase: plan.Working, Goal: "a summary"}
	for i := range steps {
		n.Steps = append(n.Steps, plan.Step{ID: fmt.Sprintf("s%d", i+1), Agent: "bc"})
	}
	return n
}

func stepLine(place int, s plan.Status) *plan.StepLine {
	return &plan.StepLine{Plan: "p", Version: 1, Step: fmt.Sprintf("s%d", place), Place: place, Of: 3, Status: s, Agent: "bc", Attempt: 1}
}

func TestLiveListOfAPlan(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, s := stageLive(60, 24)
		one := task("next_step", "1.0")
		show(t, l,
			&graph.TaskStarted{Head: at(graph.Pos{1, 1, 0}), TaskRef: one},
			emitted(takenUp(1, 3)), emitted(stepLine(1, plan.Running)),
		)
		next()
		require.Equal(t, []string{
			"  1    ⠙ next_step        80ms",
			"plan p, version 1, working, 0 of 3 done: a summary",
			"  ⠙ s1  bc",
			"  · s2  bc",
			"  · s3  bc",
		}, s.lines)

		failed := stepLine(2, plan.Failed)
		failed.Agent, failed.Attempt, failed.Code, failed.Message = "rag", 2, "not_accepted", "no\x1b[31m index\nat all, and none to be made in any way"
		show(t, l,
			&graph.StepCommitted{Head: at(graph.Pos{1, 2, 0})},
			emitted(stepLine(1, plan.Done)), emitted(failed), emitted(stepLine(3, plan.Skipped)),
		)
		next()
		require.Equal(t, []string{
			"  1    ⠙ next_step        80ms",
			"plan p, version 1, working, 1 of 3 done: a summary",
			"  ✓ s1  bc",
			"  ✗ s2  rag, attempt 2  failed: not_accepted: no [31m inde…",
			"  – s3  bc  skipped",
		}, s.lines)

		second := takenUp(2, 4)
		second.Steps[1].Capability, second.Steps[1].Agent = "search", ""
		show(t, l, emitted(second))
		next()
		require.Equal(t, []string{
			"plan p, version 2, working, 1 of 4 done: a summary",
			"  ✓ s1  bc",
			"  · s2  whoever can search",
			"  – s3  bc  skipped",
			"  · s4  bc",
		}, s.lines[1:])

		show(t, l, emitted(&plan.PlanLine{Plan: "p", Version: 2, Phase: plan.Broken, Message: "step s2 failed"}))
		require.Empty(t, l.plans.all)
		require.NoError(t, l.close())
		require.Equal(t, "plan p, version 2, failed, 1 of 4 done: step s2 failed", s.lines[1])
		require.Len(t, s.lines, 6)
		require.True(t, s.cursor)
	})
}

func TestLiveListsOfPlansInSubgraphs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, s := stageLive(60, 24)
		other := takenUp(1, 1)
		other.Plan = "q"
		show(t, l, emitted(takenUp(1, 1)), emitted(other, "billing"), emitted(stepLine(1, plan.Running)))
		next()
		require.Equal(t, []string{
			"plan p, version 1, working, 0 of 3 done: a summary",
			"  ⠙ s1  bc",
			"plan billing/q, version 1, working, 0 of 1 done: a summary",
			"  · s1  bc",
		}, s.lines)
		follows := takenUp(1, 2)
		follows.Plan = "p-2"
		show(t, l, emitted(follows))
		require.NoError(t, l.close())
		require.Equal(t, "plan p-2, version 1, working, 0 of 2 done: a summary", s.lines[0])
		require.Len(t, s.lines, 5)
	})
}

func TestLiveListThatNobodyAnnounced(t *testing.T) {
	t.Parallel()
	l := &planLists{}
	for _, place := range []int{3, 1} {
		_, ok := l.take(emitted(stepLine(place, plan.Running)))
		require.True(t, ok)
	}
	require.Equal(t, []string{
		"plan p, version 1, working, 0 of 3 done",
		"  ▸ s1  bc",
		"  ▸ s3  bc",
	}, l.all[0].lines(newPainter(false, 4), "", 0))
	_, ok := l.take(emitted("else"))
	require.False(t, ok)
}

func TestLiveListFitsTheWindow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, s := stageLive(50, 10)
		var all []graph.TaskRef
		for i := range 10 {
			all = append(all, task("page", "1."+string(rune('A'+i))))
		}
		show(t, l, &graph.StepStarted{Head: at(graph.Pos{1, 0, 0}), Tasks: all}, emitted(takenUp(1, 40)))
		for i := range 20 {
			show(t, l, emitted(stepLine(i+1, plan.Done)))
		}
		show(t, l, emitted(stepLine(33, plan.Running)), emitted(stepLine(5, plan.Failed)))
		next()
		require.Equal(t, []string{
			"  10 tasks: 0 done, 0 at work, 10 waiting",
			"plan p, version 1, working, 19 of 40 done: a sum…",
			"  ✗ s5   bc  failed",
			"  ⠙ s33  bc",
			"  40 steps: 19 done, 1 running, 1 failed, 19 pen…",
		}, s.lines)
		for rows := range 10 {
			l.mu.Lock()
			l.app.Terminal.Size = func() (int, int) { return 50, rows + 1 }
			l.mu.Unlock()
			next()
			require.LessOrEqual(t, len(s.lines), max(rows-1, 2))
			for _, line := range s.lines {
				require.Less(t, topo.Columns(line), 50)
			}
		}
		require.NoError(t, l.close())
		require.Len(t, s.lines, 51)
	})
}

func TestLiveListHasColours(t *testing.T) {
	t.Parallel()
	l := &planLists{}
	for _, n := range []any{takenUp(1, 4), stepLine(1, plan.Done), stepLine(2, plan.Failed), stepLine(3, plan.Running)} {
		l.take(emitted(n))
	}
	require.Equal(t, []string{
		"\x1b[1mplan p, version 1, working, 1 of 4 done: a summary\x1b[0m",
		"\x1b[32m  ✓ s1  bc\x1b[0m", "\x1b[31m  ✗ s2  bc  failed\x1b[0m", "\x1b[1m  ▸ s3  bc\x1b[0m", "\x1b[2m  · s4  bc\x1b[0m",
	}, l.all[0].lines(newPainter(true, 4), "", 0))
	over, _ := l.take(emitted(&plan.PlanLine{Plan: "p", Version: 1, Phase: plan.Finished}))
	require.Equal(t, "\x1b[32mplan p, version 1, done, 1 of 4 done: a summary\x1b[0m", over.lines(newPainter(true, 4), "", 0)[0])
	over, _ = l.take(emitted(&plan.PlanLine{Plan: "p", Version: 1, Phase: plan.Broken}))
	require.Contains(t, over.lines(newPainter(true, 4), "", 0)[0], "\x1b[31m")
}

func TestPlanLines(t *testing.T) {
	t.Parallel()
	p := newPainter(false, 4)
	for want, e := range map[string]*graph.Custom{
		"plan  s2 running (bc)":              emitted(stepLine(2, plan.Running)),
		"plan  billing/check: s2 superseded": emitted(&plan.StepLine{Plan: "p", Step: "s2", Status: plan.Superseded}, "billing", "check"),
		"plan  s2 failed (rag, attempt 2): timeout: it is late": emitted(
			&plan.StepLine{Step: "s2", Status: plan.Failed, Agent: "rag", Attempt: 2, Code: "timeout", Message: "it is\nlate"}),
		"plan  s2 failed (attempt 3): no":       emitted(&plan.StepLine{Step: "s2", Status: plan.Failed, Attempt: 3, Code: "failed", Message: "no"}),
		"plan  p, version 2, 1 step: a summary": emitted(takenUp(2, 1)),
		"plan  p abandoned: the user left":      emitted(&plan.PlanLine{Plan: "p", Phase: plan.Abandoned, Message: "the user left"}),
	} {
		got, ok := p.planLine(e)
		require.True(t, ok)
		require.Equal(t, want, got)
	}
	_, ok := p.planLine(emitted("else"))
	require.False(t, ok)
	p.width = 20
	got, _ := p.planLine(emitted(takenUp(2, 1)))
	require.Equal(t, "plan  p, version 2,…", got)
}

func TestPlanQuestion(t *testing.T) {
	t.Parallel()
	q := &graph.Question{Node: "planner", Value: map[string]any{
		"type": "plan_review", "changes": []any{"+ s2: x"}, "problems": []any{"no"},
		"plan": map[string]any{"id": "p", "version": int64(2), "steps": []any{map[string]any{"id": "s1", "capability": "search"}}},
	}}
	require.Equal(t, `may version 2 of the plan "p" be worked on? s1: whoever can search; changes: + s2: x; problems: no `+
		`(answer {"decision": "approve"}, {"decision": "edit", "plan": PLAN} or {"decision": "reject", "reason": TEXT})`, questionText(q))
	for _, other := range []any{"text", map[string]any{"type": "plan_review"}, map[string]any{"type": "plan_review", "plan": "p"}, map[string]any{"type": "else"}} {
		_, ok := planQuestion(&graph.Question{Node: "planner", Value: other})
		require.False(t, ok)
	}
	q.Node = "other"
	_, ok := planQuestion(q)
	require.False(t, ok)
}
