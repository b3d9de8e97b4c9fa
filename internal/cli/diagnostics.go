package cli

import (
	"encoding/json"
	"fmt"

	"github.com/graphrun/graphrun/graphfile"
)

// finding is a diagnostic in the JSON output.
type finding struct {
	Severity string `json:"severity"`
	File     string `json:"file"`
	Line     int    `json:"line,omitempty"`
	Col      int    `json:"col,omitempty"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
}

func findingOf(d graphfile.Diagnostic) finding {
	return finding{d.Severity.String(), d.File, d.Pos.Line, d.Pos.Col, d.Message, d.Hint}
}

// refused tells the problems of a file that a command cannot go on with.
func (a *app) refused(file string, err error) error {
	end, ok := err.(*exit)
	if !ok || end.code != ExitInvalid {
		return err
	}
	ds := end.err.(graphfile.Diagnostics)
	a.tellProblems(ds)
	fmt.Fprintln(a.Stderr, a.inkFor(a.Terminal.Stderr).red("graphrun:"), verdict(file, ds))
	return &exit{code: ExitInvalid}
}

// verdict counts the problems of a file.
func verdict(file string, ds graphfile.Diagnostics) string {
	text := file + ": " + counted(len(ds.Errors()), "error")
	if n := len(ds.Warnings()); n > 0 {
		text += ", " + counted(n, "warning")
	}
	return text
}

// jsonOf is a value as JSON on one line, without the line's end.
func jsonOf(v any) ([]byte, error) { return json.Marshal(v) }

// writeJSON writes a value as one line to standard output.
func (a *app) writeJSON(v any) error {
	data, err := jsonOf(v)
	if err != nil {
		return &exit{ExitFailed, err}
	}
	_, err = a.Stdout.Write(append(data, '\n'))
	return unwritten(err)
}
