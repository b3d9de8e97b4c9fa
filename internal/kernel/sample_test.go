package kernel_test

import (
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/internal/kernel"
	"github.com/graphrun/graphrun/state"
)

// sheet is the state of this package's tests.
type sheet struct {
	Log  []string
	N    int
	Last string
	Item string
}

type sheetFields struct {
	log    *state.List[sheet, string]
	n      *state.Counter[sheet, int]
	last   *state.Value[sheet, string]
	item   *state.Local[sheet, string]
	schema *state.Schema[sheet]
	cmd    graph.Commands[sheet]
}

func newSheetFields() *sheetFields {
	f := &sheetFields{
		log:  state.NewList("log", func(s *sheet) *[]string { return &s.Log }),
		n:    state.NewCounter("n", func(s *sheet) *int { return &s.N }),
		last: state.NewValue("last", func(s *sheet) *string { return &s.Last }),
		item: state.NewLocal("item", func(s *sheet) *string { return &s.Item }),
	}
	f.schema = state.MustSchema(f.log, f.n, f.last, f.item)
	return f
}

func (f *sheetFields) layout() *state.Layout { return f.schema.Layout() }

// samplePlan is a plan with everything a plan can have: from START to a and b,
// a joins b into c, a may go to d and send to e, d is deferred and behind a
// join, routers lead from b to e and a.
func samplePlan() *kernel.Plan {
	p := kernel.NewPlan([]string{"a", "b", "c", "d", "e"})
	p.Print, p.Limit = "sample", 20
	p.Entry.Next = []int32{0, 1}
	p.Nodes[0].Goto, p.Nodes[0].Send = p.Targets([]string{"d"}), p.Targets([]string{"e"})
	p.Nodes[1].Relay = p.Targets([]string{"e", "a"})
	p.Nodes[2].Next = []int32{4}
	p.Nodes[3].Defer = true
	p.AddJoin([]int32{0, 1}, 2)
	p.AddJoin([]int32{2, 4}, 3)
	return p
}
