package state

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDictIsBalanced looks at the tree itself: sizes and heights are right,
// and no two siblings' heights differ by more than one.
func TestDictIsBalanced(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for _, next := range []func(i int) int{
		func(i int) int { return i }, func(i int) int { return -i }, func(int) int { return r.IntN(1000) },
	} {
		var d Dict[int, int]
		for i := range 1000 {
			d = d.With(next(i), i)
			if i%3 == 0 {
				d = d.Without(next(i / 2))
			}
			if i%50 == 0 {
				requireBalanced(t, d.root)
			}
		}
		requireBalanced(t, d.root)
		require.Less(t, int(d.root.tall()), 15)
	}
}

func requireBalanced(t *testing.T, n *leaf[int, int]) {
	t.Helper()
	if n == nil {
		return
	}
	require.LessOrEqual(t, max(n.left.tall()-n.right.tall(), n.right.tall()-n.left.tall()), int8(1))
	require.Equal(t, max(n.left.tall(), n.right.tall())+1, n.height)
	require.Equal(t, n.left.count()+n.right.count()+1, n.size)
	requireBalanced(t, n.left)
	requireBalanced(t, n.right)
}

// TestEpochsBeyond32Bits: conflicts are found however long a run is.
func TestEpochsBeyond32Bits(t *testing.T) {
	t.Parallel()
	type one struct{ A, B int }
	a := NewValue("a", func(s *one) *int { return &s.A })
	b := NewCounter("b", func(s *one) *int { return &s.B })
	store := MustSchema(a, b).Layout().NewStore(&one{})
	store.epoch = 1<<32 - 2
	set, replace := ChangesOf([]Write[one]{a.Set(1)}), ChangesOf([]Write[one]{b.Replace(1)})
	for range 5 {
		store.Begin()
		require.NoError(t, store.Check(0, &set))
		require.ErrorIs(t, store.Check(1, &set), ErrConflict)
		store.Begin()
		require.NoError(t, store.Check(0, &replace))
		require.ErrorIs(t, store.Check(1, &replace), ErrConflict)
		require.NoError(t, store.Apply(0, &replace))
		store.Commit()
	}
}
