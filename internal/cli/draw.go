package cli

import (
	"bytes"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/graph"
)

const graphHelp = `Draw a graph file: its nodes, edges and what nodes may go to.

--format says how; without it a terminal gets a drawing in characters (ascii),
anything else Mermaid, which pages in Markdown show. A drawing in characters is
as wide as the terminal, or 100 columns.

`

// drawer is the command graph.
type drawer struct {
	*app
	flags
	format *choice
	open   int
}

func (a *app) graphCommand() *cobra.Command {
	d := &drawer{app: a, format: &choice{"auto", []string{"auto", "mermaid", "dot", "ascii", "json"}}}
	cmd := &cobra.Command{
		Use: "graph FILE", Short: "Draw a graph", Long: graphHelp + exitHelp, Args: oneFile,
		Example: "  graphrun graph support.yaml --format dot | dot -Tsvg > support.svg",
		RunE:    func(cmd *cobra.Command, args []string) error { return d.run(cmd, args[0]) },
	}
	d.flags.add(cmd)
	cmd.Flags().VarP(d.format, "format", "f", "how it is drawn")
	cmd.Flags().IntVar(&d.open, "open", 0, "levels of subgraphs that are opened; -1: all")
	completeWords(cmd, "format", d.format)
	return cmd
}

func (d *drawer) run(cmd *cobra.Command, file string) error {
	if err := d.check(cmd); err != nil {
		return err
	}
	f, err := d.load(cmd.Context(), file)
	if err != nil {
		return d.refused(file, err)
	}
	if !d.quiet {
		d.tellProblems(f.Warnings())
	}
	text, err := f.Graph().Draw(d.drawn(), &graph.DrawConfig{Open: d.open, Width: d.width()})
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

// check refuses flags that do not go together.
func (d *drawer) check(cmd *cobra.Command) error {
	if err := d.flags.check(cmd); err != nil {
		return err
	}
	if d.output.value != "text" && d.format.value != "auto" && d.format.value != "json" {
		return usage("--output %s writes the graph as JSON; it does not go with --format %s", d.output.value, d.format.value)
	}
	return nil
}

// drawn is the format that the flags and the stream ask for.
func (d *drawer) drawn() graph.Format {
	switch {
	case d.output.value != "text":
		return graph.JSON
	case d.format.value != "auto":
		return graph.Format(d.format.value)
	case d.Terminal.Stdout:
		return graph.ASCII
	}
	return graph.Mermaid
}

// width is how wide a drawing may be.
func (d *drawer) width() int {
	if !d.Terminal.Stdout {
		return 0
	}
	columns, _ := d.Terminal.Size()
	return columns
}

// onOneLine writes a JSON text on one line.
func onOneLine(text []byte) ([]byte, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
