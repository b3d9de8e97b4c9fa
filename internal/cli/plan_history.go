package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/plan"
)

const planHistoryHelp = `List the log of a thread's plans: the versions that were taken up, what became
of every attempt of a step, why a new version was asked for, and how it ended.

With --output jsonl each entry is a line, with json all are one list.

`

// planHistory is the command plan history.
type planHistory struct{ onPlan }

func (a *app) planHistoryCommand() *cobra.Command {
	h := &planHistory{onPlan{onCheckpoint{onThread: onThread{app: a}}}}
	cmd := &cobra.Command{
		Use: "history FILE", Short: "List the log of a thread's plans", Long: planHistoryHelp + exitHelp, Args: oneFile,
		Example: "  graphrun plan history support.yaml --thread ada\n  graphrun plan history support.yaml --thread ada --output jsonl",
		RunE: func(cmd *cobra.Command, args []string) error {
			return h.sight(cmd, args[0], h.list)
		},
	}
	h.declare(cmd)
	return cmd
}

func (h *planHistory) list(p *planned) error {
	out := h.listing(planEventColumns()...)
	for i := range p.log {
		if err := out.add(&p.log[i], planEventRow(&p.log[i])...); err != nil {
			return err
		}
	}
	if out.count == 0 && !h.quiet {
		fmt.Fprintln(h.Stderr, "nothing has become of the plan yet")
	}
	return out.end()
}

// planEventColumns are the columns that people see of a plan's log.
func planEventColumns() []string {
	return []string{"AT", "VERSION", "EVENT", "STEP", "AGENT", "ATTEMPT", "CODE", "NOTE"}
}

func planEventRow(e *plan.Event) []string {
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	note := e.Message
	if e.Plan != nil {
		note = e.Plan.ID + ", " + counted(len(e.Plan.Steps), "step") + behindColon(e.Plan.Goal)
	}
	return []string{
		e.At.UTC().Format("2006-01-02T15:04:05Z"), number(e.Version), e.Event, oneLine(e.Step), oneLine(e.Agent), number(e.Attempt), string(e.Code), clip(oneLine(note), 80),
	}
}
