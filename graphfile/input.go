package graphfile

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/internal/topo"
	"github.com/graphrun/graphrun/state"
)

// mostProblems is how many problems of an input are told.
const mostProblems = 50

// Input makes the input of a run from a JSON object: each field is written as
// an update would write it. Numbers without a fraction are integers. Empty
// data is an input without writes. The error names the keys
// that are wrong, the first 50 of them.
func (f *File) Input(data []byte) ([]state.Write[state.Record], error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, nil
	}
	value, err := state.ParseAny(data)
	if err != nil {
		return nil, fmt.Errorf("graphfile: the input is no JSON: %s", plain(err))
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("graphfile: the input must be a JSON object with fields of the state, it is %s", kindOf(value))
	}
	var writes []state.Write[state.Record]
	var problems inputProblems
	for _, name := range slices.Sorted(maps.Keys(object)) {
		w, problem := f.inputField(name, object[name])
		if problem != "" {
			problems = append(problems, problem)
		}
		if len(problems) == mostProblems {
			break
		}
		writes = append(writes, w)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return writes, nil
}

// inputField makes the write of one key, or says what is wrong with it.
func (f *File) inputField(name string, value any) (w state.Write[state.Record], problem string) {
	names := make([]string, len(f.fields))
	for i, field := range f.fields {
		names[i] = field.name
	}
	if !slices.Contains(names, name) {
		return w, fmt.Sprintf("the state has no field %q%s", name, meant(name, names))
	}
	if name == "plan" && f.planned != nil && value != nil {
		if problem := f.inputPlan(value); problem != "" {
			return w, problem
		}
	}
	w, err := f.schema.Write(name, value)
	if err != nil {
		return w, fmt.Sprintf("field %q: %s", name, plainField(name, err))
	}
	return w, ""
}

// meant says what may have been meant.
func meant(name string, names []string) string {
	if near, ok := topo.Nearest(name, names); ok {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	if len(names) == 0 {
		return "; it has no fields"
	}
	if len(names) > 12 {
		return ""
	}
	return "; its fields are " + strings.Join(names, ", ")
}

// inputProblems are the problems of an input.
type inputProblems []string

// Error tells all of them, one a line.
func (p inputProblems) Error() string { return "graphfile: input: " + strings.Join(p, "\n") }
