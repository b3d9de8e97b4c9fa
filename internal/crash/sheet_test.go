package crash_test

import (
	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/plan"
	"github.com/graphrun/graphrun/state"
)

// Sheet is the state of all graphs and subgraphs here: a field of each kind.
type Sheet struct {
	Log   []string
	Sum   int
	Best  map[string]int
	Round int
	Book  state.Dict[string, string]
	Talk  []state.Message
	Item  string
	Own   []string
	Team  plan.State
}

var (
	sheetLog   = state.NewList("log", func(s *Sheet) *[]string { return &s.Log })
	sheetSum   = state.NewCounter("sum", func(s *Sheet) *int { return &s.Sum })
	sheetBest  = state.NewMap("best", func(s *Sheet) *map[string]int { return &s.Best })
	sheetRound = state.NewValue("round", func(s *Sheet) *int { return &s.Round })
	sheetBook  = state.NewDict("book", func(s *Sheet) *state.Dict[string, string] { return &s.Book })
	sheetTalk  = state.NewMessages("talk", func(s *Sheet) *[]state.Message { return &s.Talk })
	sheetItem  = state.NewLocal("item", func(s *Sheet) *string { return &s.Item })
	sheetOwn   = state.NewList("own", func(s *Sheet) *[]string { return &s.Own })
	sheetTeam  = plan.FieldsOf(func(s *Sheet) *plan.State { return &s.Team })
	sheets     = state.MustSchema(sheetLog, sheetSum, sheetBest, sheetRound, sheetBook, sheetTalk, sheetItem, sheetOwn, sheetTeam)
	sheet      graph.Commands[Sheet]
)

type (
	sheetCmd   = graph.Command[Sheet]
	sheetNode  = graph.Node[Sheet]
	sheetGraph = graph.Graph[Sheet]
)

// input is what every run begins with.
func input() []state.Write[Sheet] {
	return graph.Input(sheetLog.Append("input"), sheetSum.Add(1), sheetBook.Put("in", "put"))
}
