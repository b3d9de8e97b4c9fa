package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/plan"
)

const planShowHelp = `Show the plan of a thread: its version, its phase, and every step with its
status, who does it, how often it was tried, and its result or its last error.

--step shows one step in full, with what its attempts have come to.

With --output json or jsonl it is one object: the plan, whose steps have status
and result, its course, and the progress of the steps that have begun, by id;
with --step it is the step, its progress, and its part of the plan's log.

`

// planShow is the command plan show.
type planShow struct {
	onPlan
	step string
}

func (a *app) planShowCommand() *cobra.Command {
	s := &planShow{onPlan: onPlan{onCheckpoint{onThread: onThread{app: a}}}}
	cmd := &cobra.Command{
		Use: "show FILE", Short: "Show the plan of a thread", Long: planShowHelp + exitHelp, Args: oneFile,
		Example: "  graphrun plan show support.yaml --thread ada\n  graphrun plan show support.yaml --thread ada --step s2",
		RunE:    func(cmd *cobra.Command, args []string) error { return s.run(cmd, args[0]) },
	}
	s.declare(cmd)
	cmd.Flags().StringVar(&s.step, "step", "", "id of a step to show in full (default: all steps in short)")
	completeNothing(cmd, "step")
	return cmd
}

func (s *planShow) run(cmd *cobra.Command, file string) error {
	one := cmd.Flags().Changed("step")
	return s.sight(cmd, file, func(p *planned) error {
		switch {
		case one && p.stepAt(s.step) < 0:
			return p.unknownStep(s.step)
		case one:
			return s.showStep(p, p.stepAt(s.step))
		case s.output.value != "text":
			return s.writeJSON(planObjectOf(p))
		}
		return s.show(p)
	})
}

// planObject is a plan in the JSON output.
type planObject struct {
	Plan     *plan.Plan               `json:"plan"`
	Course   *plan.Course             `json:"course"`
	Progress map[string]plan.Progress `json:"progress"` // of steps that have one, without results
}

func planObjectOf(p *planned) *planObject {
	out := &planObject{Plan: p.plan, Course: p.course, Progress: map[string]plan.Progress{}}
	for i := range p.plan.Steps {
		id := p.plan.Steps[i].ID
		if one := p.progress(id); one.Status != "" {
			one.Result = nil
			out.Progress[id] = one
		}
	}
	return out
}

func (s *planShow) show(p *planned) error {
	k := s.inkFor(s.Terminal.Stdout)
	var b strings.Builder
	for _, row := range planRows(p) {
		if row[1] != "" {
			fmt.Fprintf(&b, "%s %s\n", k.dim(pad(row[0], 8)), oneLine(row[1]))
		}
	}
	t := table{ink: k, rows: [][]string{{"STEP", "STATUS", "AGENT", "ATTEMPTS", "RESULT"}}}
	for i := range p.plan.Steps {
		t.rows = append(t.rows, stepRow(&p.plan.Steps[i], p.progress(p.plan.Steps[i].ID)))
	}
	_, err := s.Stdout.Write([]byte(b.String() + "\n" + t.String()))
	return unwritten(err)
}

// planRows is what there is to say of a plan beside its steps.
func planRows(p *planned) [][2]string {
	c := p.course
	name, phase := p.plan.ID, string(c.Phase)
	if p.plan.Version > 0 {
		name += ", version " + strconv.Itoa(p.plan.Version)
	}
	if phase == "" {
		phase = "nobody has begun with it"
	}
	rows := [][2]string{{"plan", strings.TrimPrefix(name, ", ")}, {"goal", p.plan.Goal}, {"phase", phase}, {"steps", doneOf(p.plan)}}
	if p.plan.Linear() && c.Phase != "" && c.Cursor < len(p.plan.Steps) {
		rows = append(rows, [2]string{"cursor", fmt.Sprintf("%s, %d of %d", p.plan.Steps[c.Cursor].ID, c.Cursor+1, len(p.plan.Steps))})
	}
	for _, n := range []struct {
		name  string
		count int
	}{{"replans", c.Replans}, {"stalls", c.Stalls}} {
		if n.count > 0 {
			rows = append(rows, [2]string{n.name, strconv.Itoa(n.count)})
		}
	}
	return append(rows, [2]string{"cause", causeText(c.Cause)})
}

// doneOf counts the steps of a plan that are done.
func doneOf(p *plan.Plan) string {
	done := 0
	for i := range p.Steps {
		if p.Steps[i].Status == plan.Done {
			done++
		}
	}
	text := fmt.Sprintf("%d of %d done", done, len(p.Steps))
	if p.More {
		text += ", more will come"
	}
	return text
}

// causeText says why a plan changes or has failed.
func causeText(c *plan.Cause) string {
	if c == nil {
		return ""
	}
	var who []string
	for _, text := range []string{c.Step, c.Agent, string(c.Code)} {
		if text != "" {
			who = append(who, text)
		}
	}
	if len(who) == 0 {
		return c.Text
	}
	return strings.Join(who, ", ") + ": " + c.Text
}

// stepRow is a step as people see it in a list.
func stepRow(s *plan.Step, p plan.Progress) []string {
	attempts := ""
	if p.Attempt > 0 {
		attempts = strconv.Itoa(p.Attempt)
	}
	return []string{oneLine(s.ID), s.Status.Mark() + " " + string(s.Status), oneLine(doerOf(s, p.Agent)), attempts, clip(oneLine(cameOf(s, p)), 60)}
}

// doerOf is who does a step: who has it, or had it, or is to have it.
func doerOf(s *plan.Step, agent string) string {
	switch {
	case agent != "":
		return agent
	case s.Agent == "" && s.Capability != "":
		return "whoever can " + s.Capability
	}
	return s.Agent
}

// cameOf is what a step has come to.
func cameOf(s *plan.Step, p plan.Progress) string {
	switch r := s.Result; {
	case r == nil && p.Code != "":
		return string(p.Code) + ": " + p.Error
	case r == nil:
		return p.Error
	case r.Text != "":
		return r.Text
	case r.Value != nil:
		return valueText(r.Value)
	case len(r.Outputs) > 0:
		return valueText(r.Outputs)
	}
	return ""
}
