package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/plan"
	"github.com/graphrun/graphrun/state"
)

const planDrawHelp = `Draw the plan of a thread: its steps, coloured by status, and what each waits
for. Without --thread it is the plan as the file has it.

--format says how; without it a terminal gets a drawing in characters (ascii),
anything else Mermaid, which pages in Markdown show.

`

// planDraw is the command plan draw.
type planDraw struct {
	onPlan
	format *choice
}

func (a *app) planDrawCommand() *cobra.Command {
	d := &planDraw{onPlan: onPlan{onCheckpoint{onThread: onThread{app: a}}}, format: choose("auto", "mermaid", "dot", "ascii", "json")}
	cmd := &cobra.Command{
		Use: "draw FILE", Short: "Draw a plan", Long: planDrawHelp + exitHelp, Args: oneFile,
		Example: "  graphrun plan draw support.yaml\n  graphrun plan draw support.yaml --thread ada --format dot | dot -Tsvg > plan.svg",
		RunE:    func(cmd *cobra.Command, args []string) error { return d.run(cmd, args[0]) },
	}
	d.declare(cmd)
	cmd.Flags().VarP(d.format, "format", "f", "how it is drawn")
	completeWords(cmd, "format", d.format)
	return cmd
}

func (d *planDraw) run(cmd *cobra.Command, file string) error {
	if d.output.value != "text" && d.format.value != "auto" && d.format.value != "json" {
		return usage("--output %s writes the drawing as JSON; it does not go with --format %s", d.output.value, d.format.value)
	}
	fs := cmd.Flags()
	switch {
	case fs.Changed("thread"):
		return d.sight(cmd, file, func(p *planned) error { return d.draw(p.plan) })
	case fs.Changed("at"):
		return usage("--at %s is a checkpoint of which thread? give --thread ID", d.at)
	}
	if err := d.flags.check(cmd); err != nil {
		return err
	}
	p, err := d.written(cmd.Context(), file)
	if err != nil {
		return err
	}
	return d.draw(p)
}

// written is the plan that a file has.
func (d *planDraw) written(ctx context.Context, file string) (*plan.Plan, error) {
	f, err := d.load(ctx, file)
	switch {
	case err != nil:
		return nil, d.refused(file, err)
	case !hasPlan(f):
		return nil, noPlan(file)
	}
	p, err := writtenPlan(f)
	switch {
	case err != nil:
		return nil, &exit{ExitFailed, err}
	case len(p.Steps) == 0:
		return nil, usage("%s writes down no plan: it comes with the input, or from a planner; --thread ID draws that of a thread", file)
	}
	return p, nil
}

// writtenPlan is the plan that runs of a file begin with.
func writtenPlan(f *graphfile.File) (*plan.Plan, error) {
	start, err := f.Schema().Apply(state.Record{})
	if err != nil {
		return nil, err
	}
	look, err := plan.Records{Schema: f.Schema()}.Look(&start)
	return look.Plan, err
}

func (d *planDraw) draw(p *plan.Plan) error {
	columns := 0
	if d.Terminal.Stdout {
		columns, _ = d.Terminal.Size()
	}
	text, err := plan.Draw(p, d.drawn(), &plan.DrawConfig{Width: columns})
	if err != nil {
		return &exit{ExitFailed, err}
	}
	out := []byte(text)
	if d.output.value == "jsonl" {
		if out, err = onOneLine(out); err != nil {
			return &exit{ExitFailed, err}
		}
	}
	_, err = d.Stdout.Write(out)
	return unwritten(err)
}

// drawn is the format that the flags and the stream ask for.
func (d *planDraw) drawn() graph.Format {
	switch {
	case d.output.value != "text":
		return graph.JSON
	case d.format.value == "ascii", d.format.value == "auto" && d.Terminal.Stdout:
		return graph.ASCII
	case d.format.value == "auto":
		return graph.Mermaid
	}
	return graph.Format(d.format.value)
}
