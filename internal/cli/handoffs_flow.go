package cli

import (
	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
)

const flowHelp = `Draw the accepted handoffs of a thread: its agents, and an arrow for each
handoff with its number and its reason. Calls have thick arrows, returns dotted
ones.

`

// flow is the command handoffs flow.
type flow struct {
	onHandoffs
	format *choice
}

func (a *app) handoffFlowCommand() *cobra.Command {
	w := &flow{onHandoffs: onHandoffs{onCheckpoint{onThread: onThread{app: a}}}, format: choose("mermaid", "dot", "ascii", "json")}
	cmd := &cobra.Command{
		Use: "flow FILE", Short: "Draw the handoffs of a thread", Long: flowHelp + exitHelp, Args: oneFile,
		Example: "  graphrun handoffs flow support.yaml --thread ada --format dot | dot -Tsvg > flow.svg",
		RunE: func(cmd *cobra.Command, args []string) error {
			if w.output.value != "text" && cmd.Flags().Changed("format") && w.format.value != "json" {
				return usage("--output %s writes the drawing as JSON; it does not go with --format %s", w.output.value, w.format.value)
			}
			return w.sight(cmd, args[0], func(look handoffs.Sight) error { return w.draw(&look) })
		},
	}
	w.declare(cmd)
	cmd.Flags().Var(w.format, "format", "how it is drawn")
	completeWords(cmd, "format", w.format)
	return cmd
}

func (w *flow) draw(look *handoffs.Sight) error {
	format := graph.Format(w.format.value)
	if w.output.value != "text" {
		format = graph.JSON
	}
	text, err := handoffs.Flow(look.Log, format)
	if err != nil {
		return &exit{ExitFailed, err}
	}
	out := []byte(text)
	if w.output.value == "jsonl" {
		if out, err = onOneLine(out); err != nil {
			return &exit{ExitFailed, err}
		}
	}
	_, err = w.Stdout.Write(out)
	return unwritten(err)
}
