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

// feed is JSON that a flag brings: itself, by @FILE, or by - on standard input.
type feed struct {
	flag  string // without dashes
	text  string
	given bool
	empty string // what to do about a value that is empty
}

// read returns the JSON and where it comes from, for messages.
func (a *app) read(ctx context.Context, in *feed) (data []byte, where string, err error) {
	data, where = []byte(in.text), "--"+in.flag
	switch name, isFile := strings.CutPrefix(in.text, "@"); {
	case in.text == "-":
		where = "<stdin>"
		data, err = a.readStdin(ctx)
	case isFile:
		where = name
		data, err = a.ReadFile(name)
	}
	if end := (*exit)(nil); errors.As(err, &end) {
		return nil, where, end
	} else if err != nil {
		return nil, where, usage("--%s %s: %w", in.flag, in.text, reason(err))
	}
	if err := checkJSON(where, data, in.empty); err != nil {
		return nil, where, &exit{ExitUsage, err}
	}
	return data, where, nil
}

// readWrites makes writes of a JSON object with fields of the state. A flag
// that was not given makes none.
func (a *app) readWrites(ctx context.Context, f *graphfile.File, in *feed) ([]state.Write[state.Record], error) {
	if !in.given {
		return nil, nil
	}
	data, where, err := a.read(ctx, in)
	if err != nil {
		return nil, err
	}
	writes, err := f.Input(data)
	if err != nil {
		text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "graphfile: "), "input: ")
		return nil, usage("%s: %s", where, strings.Replace(text, "the input must", "it must", 1))
	}
	return writes, nil
}

// checkJSON says where a text is no JSON, with the line.
func checkJSON(name string, data []byte, empty string) error {
	var wrong *json.SyntaxError
	err := json.Unmarshal(data, new(json.RawMessage))
	if !errors.As(err, &wrong) {
		return nil
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New(name + ": it is empty; " + empty)
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
