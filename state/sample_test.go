package state_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/state"
)

type (
	phase string
	cents int64
)

type report struct {
	Title string         `json:"title"`
	Pages []int          `json:"pages"`
	Made  time.Time      `json:"made"`
	Extra map[string]any `json:"extra"`
	Next  *report        `json:"next"`
}

// full has a field for every handle, and fields of many types.
type full struct {
	state.Conversation
	Draft  string
	Phase  phase
	Cost   cents
	Small  int8
	Ratio  float64
	Items  []int
	Tags   []string
	Things []any
	Meta   map[string]string
	Codes  map[int]any
	Facts  state.Dict[string, int]
	Report report
	Last   *report
	Raw    []byte
	Any    any
	Sum    string
	Hint   string
}

var (
	talk   = state.ConversationFields(func(s *full) *state.Conversation { return &s.Conversation })
	draft  = state.NewValue("draft", func(s *full) *string { return &s.Draft })
	phases = state.NewValue("phase", func(s *full) *phase { return &s.Phase })
	cost   = state.NewCounter("cost", func(s *full) *cents { return &s.Cost })
	small  = state.NewCounter("small", func(s *full) *int8 { return &s.Small })
	ratio  = state.NewCounter("ratio", func(s *full) *float64 { return &s.Ratio })
	items  = state.NewList("items", func(s *full) *[]int { return &s.Items })
	tags   = state.NewList("tags", func(s *full) *[]string { return &s.Tags })
	things = state.NewList("things", func(s *full) *[]any { return &s.Things })
	meta   = state.NewMap("meta", func(s *full) *map[string]string { return &s.Meta })
	codes  = state.NewMap("codes", func(s *full) *map[int]any { return &s.Codes })
	facts  = state.NewDict("facts", func(s *full) *state.Dict[string, int] { return &s.Facts })
	rep    = state.NewValue("report", func(s *full) *report { return &s.Report })
	last   = state.NewValue("last", func(s *full) **report { return &s.Last })
	raw    = state.NewValue("raw", func(s *full) *[]byte { return &s.Raw })
	anyval = state.NewValue("any", func(s *full) *any { return &s.Any })
	sum    = state.NewReduced("sum", state.Reducer[string]{Name: "concat", Combine: concat},
		func(s *full) *string { return &s.Sum })
	hint = state.NewLocal("hint", func(s *full) *string { return &s.Hint })

	fullSchema = state.MustSchema(talk, draft, phases, cost, small, ratio, items, tags, things,
		meta, codes, facts, rep, last, raw, anyval, sum, hint)
)

// concat joins texts; it fails on "bad" and panics on "worse".
func concat(cur, upd string) (string, error) {
	switch upd {
	case "bad":
		return "", fmt.Errorf("cannot take %q", upd)
	case "worse":
		panic("worse came")
	}
	return cur + upd, nil
}

// updates collects writes as the engine does.
func updates[S any](ws ...state.Write[S]) *state.Changes {
	u := state.ChangesOf(ws)
	return &u
}

// runStep takes the tasks' updates through one step. It commits if all went well.
func runStep(store *state.Store, tasks ...*state.Changes) error {
	store.Begin()
	for i, u := range tasks {
		if err := store.Check(i, u); err != nil {
			return err
		}
	}
	for i, u := range tasks {
		if err := store.Apply(i, u); err != nil {
			return err
		}
	}
	store.Commit()
	return nil
}

// shown is a state as JSON.
func shown(tb testing.TB, l *state.Layout, st any) string {
	tb.Helper()
	b, err := l.AppendState(nil, st)
	require.NoError(tb, err)
	return string(b)
}

// randomWrite makes a write of a random field and verb.
func randomWrite(r *rand.Rand) state.Write[full] {
	key := string(rune('a' + r.IntN(6)))
	n := r.IntN(100) - 50
	made := []func() state.Write[full]{
		func() state.Write[full] { return cost.Add(cents(n)) },
		func() state.Write[full] { return cost.Replace(cents(n)) },
		func() state.Write[full] { return ratio.Add(float64(n) / 2) },
		func() state.Write[full] { return ratio.Replace(float64(n)) },
		func() state.Write[full] { return items.Append(n) },
		func() state.Write[full] { return items.Append(n, n+1, n+2) },
		func() state.Write[full] { return items.Append() },
		func() state.Write[full] { return items.Replace([]int{n}) },
		func() state.Write[full] { return items.Replace(nil) },
		func() state.Write[full] { return tags.Append(key, "é\"\n<&>\u2028") },
		func() state.Write[full] { return things.Append(n) },
		func() state.Write[full] {
			return things.Append(float64(n), nil, key, []any{n, 1.5}, map[string]any{key: n})
		},
		func() state.Write[full] { return meta.Put(key, fmt.Sprint(n)) },
		func() state.Write[full] { return meta.PutAll(map[string]string{key: "x", "z": "y"}) },
		func() state.Write[full] { return meta.Delete(key, "none") },
		func() state.Write[full] { return meta.Replace(map[string]string{key: "new"}) },
		func() state.Write[full] { return codes.Put(n, float64(n)) },
		func() state.Write[full] { return codes.Put(n/10, []any{n, true}) },
		func() state.Write[full] { return codes.Delete(n / 10) },
		func() state.Write[full] { return facts.Put(key, n) },
		func() state.Write[full] { return facts.PutAll(map[string]int{key: n, "q": 1}) },
		func() state.Write[full] { return facts.Delete(key) },
		func() state.Write[full] { return facts.Replace(state.Dict[string, int]{}.With(key, n)) },
		func() state.Write[full] { return sum.Reduce(key) },
		func() state.Write[full] { return sum.Replace("") },
		func() state.Write[full] { return talk.Messages.Add(state.Text(state.RoleHuman, key)) },
		func() state.Write[full] {
			m := state.Text(state.RoleAI, fmt.Sprint(n))
			m.ID = key
			m.ToolCalls = []state.ToolCall{{ID: "c", Name: "look", Args: []byte(`{"n":1.0}`)}}
			return talk.Messages.Add(m)
		},
		func() state.Write[full] { return talk.Messages.Replace(nil) },
	}
	return made[r.IntN(len(made))]()
}

// randomValue makes a write of a random field with one writer a step, by number.
func randomValue(r *rand.Rand, field int) state.Write[full] {
	n := r.IntN(100)
	switch field {
	case 0:
		return draft.Set(fmt.Sprint("draft ", n))
	case 1:
		return phases.Set(phase(fmt.Sprint(n)))
	case 2:
		return rep.Set(report{Title: "t", Pages: []int{n}, Made: time.Unix(int64(n), 5).UTC(),
			Extra: map[string]any{"a": int64(n), "b": 1.5, "c": []any{nil, "x"}}, Next: &report{}})
	case 3:
		return last.Replace(&report{Title: fmt.Sprint(n)})
	case 4:
		return raw.Set([]byte{byte(n), 0, 255})
	case 5:
		return anyval.Set(float64(n))
	}
	return talk.Active.Set(fmt.Sprint(n))
}

// randomUpdate makes an update without conflicts.
func randomUpdate(r *rand.Rand) *state.Changes {
	var ws []state.Write[full]
	for range r.IntN(8) {
		ws = append(ws, randomWrite(r))
	}
	for field := range 7 {
		if r.IntN(5) == 0 {
			ws = append(ws, randomValue(r, field))
		}
	}
	return updates(ws...)
}
