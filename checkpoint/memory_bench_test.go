package checkpoint_test

import (
	"fmt"
	"testing"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/stretchr/testify/require"
)

// fill appends n commits of which every hundredth is whole.
func fill(tb testing.TB, w checkpoint.Writer, n int) {
	body := []byte("what a step did")
	parts := []checkpoint.Part{{Commits: make([]checkpoint.Commit, 1)}}
	base := int64(1)
	for seq := int64(1); seq <= int64(n); seq++ {
		if seq%100 == 0 {
			base = seq
		}
		parts[0].Head = seq - 1
		parts[0].Commits[0] = checkpoint.Commit{Seq: seq, Parent: seq - 1, Base: base, Step: int(seq), Source: "loop", Meta: body, Body: body}
		if err := w.Append(tb.Context(), parts); err != nil {
			tb.Fatal(err)
		}
	}
}

// BenchmarkMemoryAppend is a step of a run: one log, one commit. A thread is
// begun anew after ten thousand.
func BenchmarkMemoryAppend(b *testing.B) {
	const size = 10_000
	b.ReportAllocs()
	for left := b.N; left > 0; left -= size {
		m := checkpoint.NewMemory(nil)
		w, err := m.Claim(b.Context(), "t", checkpoint.Reject)
		require.NoError(b, err)
		fill(b, w, min(left, size))
	}
}

// BenchmarkMemoryPending keeps the result of a task behind the head.
func BenchmarkMemoryPending(b *testing.B) {
	b.ReportAllocs()
	m := checkpoint.NewMemory(nil)
	w, err := m.Claim(b.Context(), "t", checkpoint.Reject)
	require.NoError(b, err)
	fill(b, w, 1)
	parts := []checkpoint.Part{{Head: 1, Pending: []checkpoint.Pending{{Key: "0", Body: []byte("result")}}}}
	for b.Loop() {
		if err := w.Append(b.Context(), parts); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMemoryLoad reads the newest commit of a long log, which rests on
// some others.
func BenchmarkMemoryLoad(b *testing.B) {
	for _, rests := range []int{1, 50, 99} {
		b.Run(fmt.Sprintf("commits=%d", rests), func(b *testing.B) {
			b.ReportAllocs()
			m := checkpoint.NewMemory(nil)
			w, err := m.Claim(b.Context(), "t", checkpoint.Reject)
			require.NoError(b, err)
			fill(b, w, 10_000+rests-1)
			for b.Loop() {
				l, err := m.Load(b.Context(), checkpoint.Log{Thread: "t"}, 0)
				if err != nil || len(l.Commits) != rests {
					b.Fatal(err, len(l.Commits))
				}
			}
		})
	}
}

// BenchmarkMemoryClaim takes a thread and gives it free.
func BenchmarkMemoryClaim(b *testing.B) {
	b.ReportAllocs()
	m := checkpoint.NewMemory(nil)
	for b.Loop() {
		w, err := m.Claim(b.Context(), "t", checkpoint.Reject)
		if err != nil {
			b.Fatal(err)
		}
		if err := w.Release(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMemoryItemsPut replaces one of a thousand items.
func BenchmarkMemoryItemsPut(b *testing.B) {
	b.ReportAllocs()
	m := checkpoint.NewMemoryItems(nil)
	for i := range 1000 {
		err := m.Put(b.Context(), checkpoint.Item{NS: []string{"a"}, Key: fmt.Sprint(i), Value: []byte(`{"n":1}`)})
		require.NoError(b, err)
	}
	item := checkpoint.Item{NS: []string{"a"}, Key: "500", Value: []byte(`{"n":2}`)}
	for b.Loop() {
		if err := m.Put(b.Context(), item); err != nil {
			b.Fatal(err)
		}
	}
}
