package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/state"
)

// readInput makes the input of a run of what --input says: JSON, @FILE, or -
// for standard input. Without the flag the input is {}.
func (r *runner) readInput(ctx context.Context, f *graphfile.File, given bool) ([]state.Write[state.Record], error) {
	if !given {
		return nil, nil
	}
	data, where := []byte(r.input), "--input"
	var err error
	switch name, isFile := strings.CutPrefix(r.input, "@"); {
	case r.input == "-":
		where = "<stdin>"
		data, err = r.readStdin(ctx)
	case isFile:
		where = name
		data, err = r.ReadFile(name)
	}
	if end := (*exit)(nil); errors.As(err, &end) {
		return nil, end
	} else if err != nil {
		return nil, usage("--input %s: %w", r.input, reason(err))
	}
	if err := checkJSON(where, data); err != nil {
		return nil, &exit{ExitUsage, err}
	}
	in, err := f.Input(data)
	if err != nil {
		return nil, usage("%s: %s", where, strings.TrimPrefix(strings.TrimPrefix(err.Error(), "graphfile: "), "input: "))
	}
	return in, nil
}

// checkJSON says where a text is no JSON, with the line.
func checkJSON(name string, data []byte) error {
	var wrong *json.SyntaxError
	err := json.Unmarshal(data, new(json.RawMessage))
	if !errors.As(err, &wrong) {
		return nil
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New(name + ": it is empty; write {} for no input")
	}
	at := int(wrong.Offset)
	if !strings.HasPrefix(wrong.Error(), "unexpected end") {
		at-- // it is behind the character that is wrong
	}
	before := data[:min(max(at, 0), len(data))]
	begin := bytes.LastIndexByte(before, '\n') + 1
	line, _, _ := bytes.Cut(data[begin:], []byte{'\n'})
	d := graphfile.Diagnostic{File: name, Message: "not JSON: " + wrong.Error(), Line: strings.ToValidUTF8(string(line), "?")}
	d.Pos.Line = bytes.Count(before, []byte{'\n'}) + 1
	d.Pos.Col = len([]rune(string(before[begin:]))) + 1
	return errors.New(d.String())
}
