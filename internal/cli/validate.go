package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/graphrun/graphrun/graphfile"
)

const validateHelp = `Check graph files without running them.

All problems of all files are told, errors and warnings, each with its line.
Warnings do not make a file invalid. With --output json the result is one
object {"valid", "diagnostics"}, with jsonl each diagnostic is a line.

`

// validator is the command validate.
type validator struct {
	*app
	flags
	findings []finding
	code     int
}

func (a *app) validateCommand() *cobra.Command {
	v := &validator{app: a, findings: []finding{}}
	cmd := &cobra.Command{
		Use: "validate FILE...", Short: "Check graph files", Long: validateHelp + exitHelp,
		Example: "  graphrun validate graphs/*.yaml",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return oneFile(cmd, args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd, args) },
	}
	v.flags.add(cmd)
	return cmd
}

func (v *validator) run(cmd *cobra.Command, files []string) error {
	if err := v.flags.check(cmd); err != nil {
		return err
	}
	for _, file := range files {
		if err := v.file(cmd.Context(), file); err != nil {
			return err
		}
	}
	if err := v.report(); err != nil {
		return err
	}
	if v.code != ExitDone {
		return &exit{code: v.code}
	}
	return nil
}

// file checks one file.
func (v *validator) file(ctx context.Context, name string) error {
	f, err := v.load(ctx, name)
	if err != nil {
		return v.reject(name, err)
	}
	v.note(f.Warnings(), v.quiet)
	if v.output.value != "text" {
		return nil
	}
	s, err := shapeOf(f)
	if err != nil {
		return &exit{ExitFailed, err}
	}
	_, err = fmt.Fprintf(v.Stdout, "%s: ok (%s)\n", name, s.count())
	return unwritten(err)
}

// reject notes why a file is not valid. What is not about the file ends the
// command.
func (v *validator) reject(name string, err error) error {
	end := &exit{}
	if !errors.As(err, &end) || end.code == ExitStopped {
		return err
	}
	ds, ok := end.err.(graphfile.Diagnostics)
	if !ok {
		v.code = ExitUsage
		v.findings = append(v.findings, finding{Severity: "error", File: name, Message: end.Error()})
		fmt.Fprintln(v.Stderr, v.inkFor(v.Terminal.Stderr).red("graphrun:"), end.err)
		return nil
	}
	if v.code == ExitDone {
		v.code = ExitInvalid
	}
	v.note(ds, false)
	if v.output.value == "text" {
		fmt.Fprintln(v.Stderr, v.inkFor(v.Terminal.Stderr).red("graphrun:"), verdict(name, ds))
	}
	return nil
}

// note keeps diagnostics for the report and shows them.
func (v *validator) note(ds graphfile.Diagnostics, quiet bool) {
	for _, d := range ds.Sorted() {
		v.findings = append(v.findings, findingOf(d))
	}
	if !quiet && v.output.value == "text" {
		v.tellProblems(ds)
	}
}

// report writes the result for programs.
func (v *validator) report() error {
	switch v.output.value {
	case "json":
		return v.writeJSON(struct {
			Valid       bool      `json:"valid"`
			Diagnostics []finding `json:"diagnostics"`
		}{v.code == ExitDone, v.findings})
	case "jsonl":
		for _, f := range v.findings {
			if err := v.writeJSON(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// count says how large a graph is, subgraphs counted apart.
func (s *shape) count() string {
	text := counted(len(s.Nodes), "node") + ", " + counted(len(s.Edges), "edge")
	inner := 0
	for _, n := range s.Nodes {
		if n.Graph != nil {
			inner++
		}
	}
	if inner > 0 {
		text += ", " + counted(inner, "subgraph")
	}
	return text
}
