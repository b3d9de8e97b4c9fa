package state_test

import (
	"fmt"
	"testing"

	"github.com/graphrun/graphrun/state"
)

// BenchmarkAppendOps is BenchmarkStep and others with the journal: what the
// step costs then, and what it costs without.
func BenchmarkAppendOps(b *testing.B) {
	for _, on := range []bool{false, true} {
		name := map[bool]string{false: "without", true: "journal"}[on]
		b.Run("two/"+name, func(b *testing.B) {
			store := eightSchema.Layout().NewStore(&eight{})
			benchSteps(b, store, on, func(n int, u *state.Changes) {
				if n%10_000 == 0 {
					store.Reset(&eight{})
					store.Journal(on)
				}
				u.Add(eightCount.Add(1).Change())
				u.Add(eightItems.Append(n).Change())
			})
		})
		b.Run("message/"+name, func(b *testing.B) {
			store := fullSchema.Layout().NewStore(&full{})
			benchSteps(b, store, on, func(n int, u *state.Changes) {
				if n%10_000 == 0 {
					store.Reset(&full{})
					store.Journal(on)
				}
				u.Add(talk.Messages.Add(state.Text(state.RoleAI, "a text as models write it")).Change())
				u.Add(draft.Set("draft of the text").Change())
				u.Add(cost.Add(1).Change())
			})
		})
		b.Run("wide/"+name, func(b *testing.B) {
			store, first, second := wideStore(b)
			benchSteps(b, store, on, func(n int, u *state.Changes) {
				u.Add(first.Add(1).Change())
				u.Add(second.Set(n).Change())
			})
		})
		b.Run("tasks/"+name, func(b *testing.B) {
			store := eightSchema.Layout().NewStore(&eight{})
			benchSteps(b, store, on, func(n int, u *state.Changes) {
				if n%100 == 0 {
					store.Reset(&eight{})
					store.Journal(on)
				}
				for i := range 100 {
					u.Add(eightItems.Append(i + n).Change())
					u.Add(eightCount.Add(1).Change())
				}
			})
		})
	}
}

func benchSteps(b *testing.B, store *state.Store, on bool, update func(n int, u *state.Changes)) {
	b.Helper()
	b.ReportAllocs()
	store.Journal(on)
	var u state.Changes
	dst := make([]byte, 0, 1<<16)
	n := 1000
	for b.Loop() {
		n++
		u = state.Changes{}
		update(n, &u)
		if err := store.ApplyAlone(&u); err != nil {
			b.Fatal(err)
		}
		store.Commit()
		if !on {
			continue
		}
		if _, _, err := store.AppendOps(dst); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReplay replays the operations of 1000 steps, in one call and in one
// call for each.
func BenchmarkReplay(b *testing.B) {
	const steps = 1000
	kinds := []struct {
		name  string
		store *state.Store
		write func(i int) *state.Changes
	}{
		{"two", eightSchema.Layout().NewStore(&eight{}), func(i int) *state.Changes { return updates(eightCount.Add(1), eightItems.Append(i)) }},
		{"message", fullSchema.Layout().NewStore(&full{}), func(i int) *state.Changes {
			return updates(talk.Messages.Add(message(fmt.Sprint(i), "a text as models write it")), draft.Set("text"), cost.Add(1))
		}},
		{"map", eightSchema.Layout().NewStore(&eight{}), func(i int) *state.Changes { return updates(eightNotes.Put(fmt.Sprint(i%100), "note")) }},
	}
	for _, kind := range kinds {
		kind.store.Journal(true)
		ops := make([][]byte, steps)
		for i := range ops {
			if err := kind.store.ApplyAlone(kind.write(i)); err != nil {
				b.Fatal(err)
			}
			kind.store.Commit()
			var err error
			if ops[i], _, err = kind.store.AppendOps(nil); err != nil {
				b.Fatal(err)
			}
		}
		for name, size := range map[string]int{"each": 1, "all": steps} {
			b.Run(kind.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := kind.store.Load([]byte("{}")); err != nil {
						b.Fatal(err)
					}
					for i := 0; i < steps; i += size {
						if err := kind.store.Replay(ops[i : i+size]...); err != nil {
							b.Fatal(err)
						}
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*steps), "ns/step")
			})
		}
	}
}
