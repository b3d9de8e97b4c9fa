package checkpoint_test

import (
	"math"
	"testing"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/stretchr/testify/require"
)

func TestAllThatIsWrongWithPartsIsTold(t *testing.T) {
	t.Parallel()
	err := checkpoint.CheckParts([]checkpoint.Part{
		{Head: -1},
		{NS: "1.0", Pending: []checkpoint.Pending{{Key: "k"}}},
		{NS: "2.0", Head: 5, Commits: []checkpoint.Commit{
			{Seq: 5, Base: 5, Parent: 5},
			{Seq: 7, Base: 6},
			{Seq: 8, Base: 8, Index: []checkpoint.Row{
				{Table: "A", Key: ""},
				{Table: "a", Key: "k", Columns: []checkpoint.Column{{Name: "seq"}, {Name: "x", Value: math.NaN()}, {Name: "x", Value: 1}}},
			}},
		}},
		{NS: "1.0", Head: 0},
	})
	require.ErrorIs(t, err, checkpoint.ErrInvalid)
	require.EqualError(t, err, `checkpoint: invalid: namespace "": head -1 is below 0
namespace "1.0": 1 entries are to be pending behind a log without commits
namespace "2.0": commit 5 stands behind commit 5; numbers must rise
namespace "2.0": commit 5 goes on from commit 5; it must be an earlier one, or 0 for none
namespace "2.0": commit 7 rests on 6, which is neither itself nor what the commit before it rests on
namespace "2.0": commit 8: table "A": a name is lower-case letters, digits and underscores, a letter first
namespace "2.0": commit 8: table "A": a row has no key
namespace "2.0": commit 8: table "a": row "k": column "seq": the name is taken by the store
namespace "2.0": commit 8: table "a": row "k": column "x": what is not a number has no place in a table
namespace "2.0": commit 8: table "a": row "k": column "x": a value is nil, bool, int64, float64, string or []byte, not int
namespace "2.0": commit 8: table "a": row "k": column "x" is given twice
namespace "1.0" has two parts; an append takes one`)
}

func TestPartsThatKeepAllRules(t *testing.T) {
	t.Parallel()
	require.NoError(t, checkpoint.CheckParts(nil))
	require.NoError(t, checkpoint.CheckParts([]checkpoint.Part{
		{}, {NS: "1.0", Commits: []checkpoint.Commit{{Seq: 3, Base: 3, Parent: 1}, {Seq: 9, Base: 3}, {Seq: 10, Base: 10}, {Seq: math.MaxInt64, Base: 10}}},
		{NS: "2.0", Head: 4, Commits: []checkpoint.Commit{{Seq: 5, Base: 2}}},
	}))
}

func TestAllThatIsWrongWithRowsIsTold(t *testing.T) {
	t.Parallel()
	require.NoError(t, checkpoint.CheckRows(nil))
	require.NoError(t, checkpoint.CheckRows([]checkpoint.Row{{Table: "a", Key: "k", Columns: []checkpoint.Column{{Name: "n", Value: int64(1)}}}}))
	err := checkpoint.CheckRows([]checkpoint.Row{{Table: "a"}, {Table: "b", Key: "k"}, {Table: "c-", Key: "k"}})
	require.ErrorIs(t, err, checkpoint.ErrInvalid)
	require.EqualError(t, err, `checkpoint: invalid: table "a": a row has no key
table "c-": a name is lower-case letters, digits and underscores, a letter first`)
}

func TestWhatTheFirstCommitRestsOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		base, head int64
		ok         bool
	}{{5, 0, true}, {5, 2, true}, {2, 2, true}, {3, 2, false}, {1, 2, false}, {2, 0, false}} {
		err := checkpoint.CheckBase(&checkpoint.Part{Head: 4, Commits: []checkpoint.Commit{{Seq: 5, Base: c.base}}}, c.head)
		require.Equal(t, c.ok, err == nil, "base %d behind a head that rests on %d: %v", c.base, c.head, err)
		if !c.ok {
			require.ErrorIs(t, err, checkpoint.ErrInvalid)
		}
	}
	require.NoError(t, checkpoint.CheckBase(&checkpoint.Part{Head: 4}, 2))
}

// FuzzCheckParts appends what the check lets pass to a store whose every
// commit must then be there.
func FuzzCheckParts(f *testing.F) {
	f.Add(int64(1), int64(1), int64(0), int64(2), int64(1), int64(1))
	f.Add(int64(3), int64(3), int64(1), int64(4), int64(4), int64(9))
	f.Add(int64(-3), int64(0), int64(1), int64(math.MaxInt64), int64(-4), int64(math.MinInt64))
	f.Fuzz(func(t *testing.T, seq1, base1, parent1, seq2, base2, parent2 int64) {
		commits := []checkpoint.Commit{{Seq: seq1, Base: base1, Parent: parent1}, {Seq: seq2, Base: base2, Parent: parent2}}
		parts := []checkpoint.Part{{Commits: commits}}
		m := checkpoint.NewMemory(nil)
		w, err := m.Claim(t.Context(), "t", checkpoint.Reject)
		require.NoError(t, err)
		err = w.Append(t.Context(), parts)
		require.Equal(t, checkpoint.CheckParts(parts) == nil, err == nil)
		for _, c := range commits {
			l, loaded := m.Load(t.Context(), checkpoint.Log{Thread: "t"}, c.Seq)
			if err != nil {
				require.True(t, loaded != nil || l.Head == 0)
				continue
			}
			require.NoError(t, loaded)
			require.Equal(t, c.Base, l.Commits[0].Seq)
			require.Equal(t, c.Seq, l.Commits[len(l.Commits)-1].Seq)
		}
	})
}
