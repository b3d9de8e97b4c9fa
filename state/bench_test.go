package state_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/state"
)

// eight is a state of eight fields, of which a step writes two.
type eight struct {
	Count  int
	Items  []int
	Draft  string
	Phase  string
	Score  float64
	Done   bool
	Notes  map[string]string
	Budget int64
}

var (
	eightCount  = state.NewCounter("count", func(s *eight) *int { return &s.Count })
	eightItems  = state.NewList("items", func(s *eight) *[]int { return &s.Items })
	eightDraft  = state.NewValue("draft", func(s *eight) *string { return &s.Draft })
	eightPhase  = state.NewValue("phase", func(s *eight) *string { return &s.Phase })
	eightScore  = state.NewValue("score", func(s *eight) *float64 { return &s.Score })
	eightDone   = state.NewValue("done", func(s *eight) *bool { return &s.Done })
	eightNotes  = state.NewMap("notes", func(s *eight) *map[string]string { return &s.Notes })
	eightBudget = state.NewCounter("budget", func(s *eight) *int64 { return &s.Budget })

	eightSchema = state.MustSchema(eightCount, eightItems, eightDraft, eightPhase,
		eightScore, eightDone, eightNotes, eightBudget)
)

// step makes one update with two writes in u, which lives as long as the run
// as it does in the engine, and runs it through the store.
func step(b *testing.B, store *state.Store, u *state.Changes, first, second state.Change) {
	*u = state.Changes{}
	u.Add(first)
	u.Add(second)
	store.Begin()
	if err := store.Check(0, u); err != nil {
		b.Fatal(err)
	}
	if err := store.Apply(0, u); err != nil {
		b.Fatal(err)
	}
	store.Commit()
}

// BenchmarkStep is a step of a state of eight fields that adds to a counter
// and appends to a list. The list starts anew every 10,000 steps.
func BenchmarkStep(b *testing.B) {
	b.ReportAllocs()
	var u state.Changes
	store := eightSchema.Layout().NewStore(&eight{})
	n := 0
	for b.Loop() {
		if n++; n%10_000 == 0 {
			store.Reset(&eight{})
		}
		step(b, store, &u, eightCount.Add(1).Change(), eightItems.Append(n).Change())
	}
}

// BenchmarkStepPrepared is BenchmarkStep without the making of the update.
func BenchmarkStepPrepared(b *testing.B) {
	b.ReportAllocs()
	store := eightSchema.Layout().NewStore(&eight{})
	u := updates(eightCount.Add(1), eightItems.Append(1))
	n := 0
	for b.Loop() {
		if n++; n%10_000 == 0 {
			store.Reset(&eight{})
		}
		if err := runStep(store, u); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStepSet writes two values without boxes.
func BenchmarkStepSet(b *testing.B) {
	b.ReportAllocs()
	var u state.Changes
	store := eightSchema.Layout().NewStore(&eight{})
	for b.Loop() {
		step(b, store, &u, eightDone.Set(true).Change(), eightScore.Set(0.5).Change())
	}
}

// ten, hundred and wide make a state of 300 numbers.
type (
	ten     struct{ A, B, C, D, E, F, G, H, I, J int }
	hundred struct{ A, B, C, D, E, F, G, H, I, J ten }
	wide    struct{ A, B, C hundred }
)

var (
	inTen = []func(*ten) *int{
		func(t *ten) *int { return &t.A }, func(t *ten) *int { return &t.B }, func(t *ten) *int { return &t.C },
		func(t *ten) *int { return &t.D }, func(t *ten) *int { return &t.E }, func(t *ten) *int { return &t.F },
		func(t *ten) *int { return &t.G }, func(t *ten) *int { return &t.H }, func(t *ten) *int { return &t.I },
		func(t *ten) *int { return &t.J },
	}
	inHundred = []func(*hundred) *ten{
		func(h *hundred) *ten { return &h.A }, func(h *hundred) *ten { return &h.B }, func(h *hundred) *ten { return &h.C },
		func(h *hundred) *ten { return &h.D }, func(h *hundred) *ten { return &h.E }, func(h *hundred) *ten { return &h.F },
		func(h *hundred) *ten { return &h.G }, func(h *hundred) *ten { return &h.H }, func(h *hundred) *ten { return &h.I },
		func(h *hundred) *ten { return &h.J },
	}
	inWide = []func(*wide) *hundred{
		func(w *wide) *hundred { return &w.A }, func(w *wide) *hundred { return &w.B }, func(w *wide) *hundred { return &w.C },
	}
)

// wideStore returns a store of 300 fields and the handles of two of them.
func wideStore(tb testing.TB) (*state.Store, *state.Counter[wide, int], *state.Value[wide, int]) {
	first := state.NewCounter("first", func(w *wide) *int { return &w.A.A.A })
	second := state.NewValue("second", func(w *wide) *int { return &w.C.J.J })
	fields := []state.Field[wide]{first, second}
	for i := 1; i < 299; i++ {
		h, t, n := inWide[i/100], inHundred[i/10%10], inTen[i%10]
		fields = append(fields, state.NewValue(fmt.Sprint("n", i), func(w *wide) *int { return n(t(h(w))) }))
	}
	schema, err := state.NewSchema(fields...)
	require.NoError(tb, err)
	return schema.Layout().NewStore(&wide{}), first, second
}

// BenchmarkStepWide is a step of a state of 300 fields that writes two.
func BenchmarkStepWide(b *testing.B) {
	b.ReportAllocs()
	var u state.Changes
	store, first, second := wideStore(b)
	for b.Loop() {
		step(b, store, &u, first.Add(1).Change(), second.Set(7).Change())
	}
}

// BenchmarkStepTracked is BenchmarkStep with tracking, as subgraphs use it.
func BenchmarkStepTracked(b *testing.B) {
	b.ReportAllocs()
	var u state.Changes
	store := eightSchema.Layout().NewStore(&eight{})
	store.Track()
	n := 0
	for b.Loop() {
		if n++; n%10_000 == 0 {
			store.Reset(&eight{})
			store.Track()
		}
		step(b, store, &u, eightCount.Add(1).Change(), eightItems.Append(n).Change())
	}
}
