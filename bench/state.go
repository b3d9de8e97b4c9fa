package bench

import (
	"context"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// S8 is a state of eight fields.
type S8 struct {
	N    int            `json:"n"`
	Log  []int          `json:"log"`
	A    string         `json:"a"`
	B    string         `json:"b"`
	C    float64        `json:"c"`
	D    bool           `json:"d"`
	E    int            `json:"e"`
	Meta map[string]int `json:"meta"`
	Item int            `json:"item"` // local: what a send lays over
}

// handles8 are the handles of an S8.
type handles8 struct {
	schema *state.Schema[S8]
	n      *state.Counter[S8, int]
	log    *state.List[S8, int]
	item   *state.Local[S8, int]
	cmd    graph.Commands[S8]
}

func newHandles8() *handles8 {
	h := &handles8{
		n:    state.NewCounter("n", func(s *S8) *int { return &s.N }),
		log:  state.NewList("log", func(s *S8) *[]int { return &s.Log }),
		item: state.NewLocal("item", func(s *S8) *int { return &s.Item }),
	}
	h.schema = state.MustSchema(h.n, h.log, h.item,
		state.NewValue("a", func(s *S8) *string { return &s.A }),
		state.NewValue("b", func(s *S8) *string { return &s.B }),
		state.NewValue("c", func(s *S8) *float64 { return &s.C }),
		state.NewValue("d", func(s *S8) *bool { return &s.D }),
		state.NewValue("e", func(s *S8) *int { return &s.E }),
		state.NewMap("meta", func(s *S8) *map[string]int { return &s.Meta }),
	)
	return h
}

// work is the node of all workloads: it adds one and appends an int.
func (h *handles8) work() graph.Node[S8] {
	n, log, cmd := h.n, h.log, h.cmd
	return func(_ context.Context, s S8) (graph.Command[S8], error) {
		return cmd.Update(n.Add(1), log.Append(s.N)), nil
	}
}

// delta is what the same node returns to a loop written by hand.
type delta struct{ add, item int }

func workByHand(_ context.Context, s S8) (delta, error) { return delta{1, s.N}, nil }

// apply is what a loop written by hand does with it.
func (s *S8) apply(d delta) {
	s.N += d.add
	s.Log = append(s.Log, d.item)
}
