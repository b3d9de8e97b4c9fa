package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
)

const diffHelp = `Show the fields whose values differ between two checkpoints of a thread; TO is
the newest if it is left out.

With --output json it is a list of {"field", "from", "to"}, with jsonl a line
for each; a side without a value is left out.

`

// differ is the command diff.
type differ struct{ onThread }

func (a *app) diffCommand() *cobra.Command {
	d := &differ{onThread{app: a}}
	cmd := &cobra.Command{
		Use: "diff FILE FROM [TO]", Short: "Compare the values of two checkpoints", Long: diffHelp + exitHelp,
		Example: "  graphrun diff support.yaml --thread ada 3\n  graphrun diff support.yaml --thread ada 3 7 --output jsonl",
		Args: func(cmd *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return oneFile(cmd, args)
			case 1:
				return usage("which checkpoints? %s", cmd.UseLine())
			case 2, 3:
				return nil
			}
			return usage("diff takes a graph file and two checkpoints, but %d arguments were given: %q", len(args), args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return d.run(cmd, append(args, "")) },
	}
	d.declare(cmd)
	return cmd
}

func (d *differ) run(cmd *cobra.Command, args []string) error {
	if err := d.check(cmd); err != nil {
		return err
	}
	ctx := cmd.Context()
	return d.with(ctx, args[0], reading, func(g *records, _ *graphfile.File) error {
		if _, err := g.State(ctx, d.thread, ""); err != nil {
			return err
		}
		fields, err := g.Diff(ctx, d.thread, args[1], args[2])
		if err != nil {
			return err
		}
		return d.write(fields)
	})
}

func (d *differ) write(fields []graph.FieldDiff) error {
	if d.output.value != "text" {
		out := d.listing()
		for i := range fields {
			if err := out.add(&fields[i]); err != nil {
				return err
			}
		}
		return out.end()
	}
	k := d.inkFor(d.Terminal.Stdout)
	var b strings.Builder
	for i := range fields {
		b.WriteString(diffText(&fields[i], k))
	}
	if len(fields) == 0 && !d.quiet {
		fmt.Fprintln(d.Stderr, "the values are the same")
	}
	_, err := d.Stdout.Write([]byte(b.String()))
	return unwritten(err)
}

// diffText shows how a field differs: lists and maps by their elements that do.
func diffText(f *graph.FieldDiff, k ink) string {
	var b strings.Builder
	b.WriteString(k.bold(f.Field) + ":\n")
	from, to := sidesOf(f)
	common := 0
	for common < len(from) && common < len(to) && from[common] == to[common] {
		common++
	}
	tail := 0
	for tail < len(from)-common && tail < len(to)-common && from[len(from)-1-tail] == to[len(to)-1-tail] {
		tail++
	}
	if n := common + tail; n > 0 {
		b.WriteString(k.dim(fmt.Sprintf("    %s alike", counted(n, "element"))) + "\n")
	}
	for _, line := range from[common : len(from)-tail] {
		b.WriteString("  " + k.red("- "+line) + "\n")
	}
	for _, line := range to[common : len(to)-tail] {
		b.WriteString("  " + k.green("+ "+line) + "\n")
	}
	return b.String()
}

// sidesOf are the lines of both values: the elements of two lists or maps,
// else the values as they are.
func sidesOf(f *graph.FieldDiff) (from, to []string) {
	a, aKind := partsOf(f.From)
	b, bKind := partsOf(f.To)
	if aKind == bKind || f.From == nil || f.To == nil {
		return a, b
	}
	return wholeOf(f.From), wholeOf(f.To)
}

// partsOf are the elements of a list or a map, and which of both it is.
func partsOf(data json.RawMessage) (lines []string, kind byte) {
	switch text := bytes.TrimSpace(data); {
	case len(text) == 0:
		return nil, 0
	case text[0] == '[':
		var items []json.RawMessage
		if json.Unmarshal(text, &items) == nil {
			for _, item := range items {
				lines = append(lines, escapeHidden(string(item)))
			}
			return lines, '['
		}
	case text[0] == '{':
		v, err := parseValue(text)
		var fields map[string]json.RawMessage
		if err == nil && json.Unmarshal(text, &fields) == nil {
			for _, key := range v.keys {
				lines = append(lines, escapeHidden(quoted(key)+": "+string(fields[key])))
			}
			return lines, '{'
		}
	}
	return wholeOf(data), 's'
}

func wholeOf(data json.RawMessage) []string { return []string{escapeHidden(string(data))} }
