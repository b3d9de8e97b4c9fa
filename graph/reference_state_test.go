package graph_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// The state of the reference interpreter and what writes do to it. The random
// graphs use the same struct as the engine's state.

type refState struct {
	List  []string
	Count int
	Last  string
	Meta  map[string]int
	Item  string // of a send; no part of the stored state
}

type refWrite struct {
	Field, Verb string
	S           string
	L           []string
	N           int
}

// after returns a copy of the state with writes applied one by one.
func (s refState) after(writes []refWrite) refState {
	s.List, s.Meta = slices.Clone(s.List), maps.Clone(s.Meta)
	if s.Meta == nil {
		s.Meta = map[string]int{}
	}
	for _, w := range writes {
		switch w.Field + " " + w.Verb {
		case "list append":
			s.List = append(s.List, w.L...)
		case "list replace":
			s.List = slices.Clone(w.L)
		case "count add":
			s.Count += w.N
		case "count replace":
			s.Count = w.N
		case "last set":
			s.Last = w.S
		case "meta put":
			s.Meta[w.S] = w.N
		case "meta delete":
			delete(s.Meta, w.S)
		case "meta clear":
			clear(s.Meta)
		case "meta replace":
			s.Meta = map[string]int{w.S: w.N}
		case "item set":
			s.Item = w.S
		default:
			panic("no such write: " + w.Field + " " + w.Verb)
		}
	}
	return s
}

// String writes the stored fields as the engine stores them.
func (s refState) String() string {
	b, err := json.Marshal(struct {
		List  []string       `json:"list"`
		Count int            `json:"count"`
		Last  string         `json:"last"`
		Meta  map[string]int `json:"meta"`
	}{append([]string{}, s.List...), s.Count, s.Last, s.after(nil).Meta})
	if err != nil {
		panic(err)
	}
	return string(b)
}

func refNames(tasks []refTask) string {
	var out []string
	for _, t := range tasks {
		if t.Sent {
			t.Node += "*"
		}
		out = append(out, t.Node)
	}
	return strings.Join(out, " ")
}

func refFields(writes []refWrite) (out []string) {
	for _, w := range writes {
		if !slices.Contains(out, w.Field) {
			out = append(out, w.Field)
		}
	}
	slices.Sort(out)
	return out
}
