package checkpointtest

import (
	"github.com/graphrun/graphrun/checkpoint"
	"github.com/stretchr/testify/require"
)

func appendChecks() []check {
	return []check{
		{"append/what was written comes back", appendComesBack},
		{"append/an empty one does nothing", appendNothing},
		{"append/several commits in one part, with gaps", appendGaps},
		{"append/parts of several logs become visible as one", appendParts},
		{"append/one bad head and no part is written", appendAllOrNone},
		{"append/one invalid part and no part is written", appendInvalidPart},
		{"append/a head that is not the log's is a conflict", appendConflict},
		{"append/a commit must stand behind the head", appendBackwards},
		{"append/a log cannot have two parts", appendTwice},
	}
}

func appendComesBack(b *bench) {
	c := checkpoint.Commit{Seq: 7, Parent: 3, Base: 7, Step: -1, Source: "input", Meta: []byte("m\x00\xff"), Body: []byte("b\x00\xfe")}
	b.begin("t", fresh("", c))
	l := b.load("t", "", 0)
	require.EqualValues(b, 7, l.Head)
	b.same([]checkpoint.Commit{c}, l.Commits, "load")
	require.Empty(b, l.Pending)
	listed := b.list(checkpoint.Query{Log: log("t"), Bodies: true})
	b.same([]checkpoint.Commit{c}, listed, "list")
	require.True(b, l.Commits[0].At.Equal(listed[0].At), "Load and List tell different times: %v, %v", l.Commits[0].At, listed[0].At)
}

func appendNothing(b *bench) {
	w := b.claim("t")
	b.append(w)
	b.append(w, fresh(""))
	b.holds("t", "")
	require.Empty(b, b.logs(checkpoint.LogQuery{}), "a thread without commits is not listed")
	b.append(w, fresh("", whole(1)))
	b.append(w, behind(1))
	b.refused(w.Append(b.ctx, []checkpoint.Part{behind(2)}), "a part without commits still tells its head", checkpoint.ErrConflict)
	b.holds("t", "", 1)
}

func appendGaps(b *bench) {
	w := b.claim("t")
	b.append(w, fresh("", whole(2), change(5, 2), whole(6)))
	b.append(w, behind(6, change(100, 6), change(1_000_000_000_000, 6)))
	b.holds("t", "", 2, 5, 6, 100, 1_000_000_000_000)
}

func appendParts(b *bench) {
	w := b.claim("t")
	child, grandchild := checkpoint.Child("", 1, 0), checkpoint.Child(checkpoint.Child("", 1, 0), 1, 2)
	b.append(w, fresh("", whole(1)))
	b.append(w,
		checkpoint.Part{Head: 1, Pending: []checkpoint.Pending{entry("0", "half")}},
		fresh(child, whole(1), change(2, 1)),
		fresh(grandchild, whole(1)))
	b.holds("t", "", 1)
	b.holds("t", child, 1, 2)
	b.holds("t", grandchild, 1)
	require.Equal(b, []checkpoint.Pending{entry("0", "half")}, b.load("t", "", 0).Pending)
}

func appendAllOrNone(b *bench) {
	w := b.claim("t")
	child, other := checkpoint.Child("", 1, 0), checkpoint.Child("", 1, 1)
	b.append(w, fresh("", whole(1)), fresh(child, whole(1)))
	bad := fresh(child, whole(2)) // its head is 1
	for _, parts := range [][]checkpoint.Part{
		{behind(1, change(2, 1)), fresh(other, whole(1)), bad},
		{bad, behind(1, change(2, 1)), fresh(other, whole(1))},
		{waiting(1, entry("k", "v")), bad, fresh(other, whole(1))},
	} {
		b.refused(w.Append(b.ctx, parts), "one part has a wrong head", checkpoint.ErrConflict)
		b.holds("t", "", 1)
		b.holds("t", child, 1)
		b.holds("t", other)
		require.Empty(b, b.load("t", "", 0).Pending)
		require.Len(b, b.logs(checkpoint.LogQuery{Thread: "t"}), 2)
	}
	b.append(w, behind(1, change(2, 1)), fresh(other, whole(1)))
	b.holds("t", "", 1, 2)
	b.holds("t", other, 1)
}

func appendInvalidPart(b *bench) {
	w := b.claim("t")
	child := checkpoint.Child("", 1, 0)
	b.append(w, fresh("", whole(1)))
	err := w.Append(b.ctx, []checkpoint.Part{behind(1, change(2, 1)), fresh(child, change(2, 1))})
	b.refused(err, "the first commit of a log is not whole", checkpoint.ErrInvalid)
	b.holds("t", "", 1)
	b.holds("t", child)
}

func appendConflict(b *bench) {
	w := b.claim("t")
	b.refused(w.Append(b.ctx, []checkpoint.Part{behind(1, whole(2))}), "a head of a log without commits", checkpoint.ErrConflict)
	b.holds("t", "")
	b.append(w, fresh("", whole(1), change(2, 1), change(3, 1)))
	for _, p := range []checkpoint.Part{
		fresh("", whole(4)), behind(1, change(4, 1)), behind(2, change(4, 1)), behind(4, whole(5)),
		waiting(2, entry("k", "v")), waiting(4, entry("k", "v")),
	} {
		b.refused(w.Append(b.ctx, []checkpoint.Part{p}), "a head that is not the log's", checkpoint.ErrConflict)
		b.holds("t", "", 1, 2, 3)
		require.Empty(b, b.load("t", "", 0).Pending)
	}
	b.append(w, behind(3, change(4, 1)))
	b.holds("t", "", 1, 2, 3, 4)
}

func appendBackwards(b *bench) {
	w := b.claim("t")
	for _, seq := range []int64{0, -1} {
		c := whole(seq)
		c.Parent = 0
		b.refused(w.Append(b.ctx, []checkpoint.Part{fresh("", c)}), "a number below 1", checkpoint.ErrInvalid)
	}
	b.append(w, fresh("", whole(1), change(5, 1)))
	for _, p := range []checkpoint.Part{
		behind(5, whole(5)), behind(5, whole(4)), behind(5, whole(1)),
		behind(5, change(7, 1), change(7, 1)), behind(5, change(8, 1), change(7, 1)),
	} {
		b.refused(w.Append(b.ctx, []checkpoint.Part{p}), "numbers that do not rise", checkpoint.ErrInvalid)
		b.holds("t", "", 1, 5)
	}
}

func appendTwice(b *bench) {
	w := b.claim("t")
	err := w.Append(b.ctx, []checkpoint.Part{fresh("", whole(1)), behind(1, change(2, 1))})
	b.refused(err, "two parts for one log", checkpoint.ErrInvalid)
	b.holds("t", "")
}

func baseChecks() []check {
	return []check{
		{"base/a commit is whole or rests on what the one before it rests on", baseRules},
		{"base/a commit goes on from an earlier one", parentRules},
	}
}

func baseRules(b *bench) {
	w := b.claim("t")
	for _, c := range []checkpoint.Commit{change(2, 1), change(2, 0), change(2, 3), change(2, -1)} {
		b.refused(w.Append(b.ctx, []checkpoint.Part{fresh("", c)}), "the first commit of a log is not whole", checkpoint.ErrInvalid)
	}
	b.append(w, fresh("", whole(2), change(4, 2)))
	for _, commits := range [][]checkpoint.Commit{
		{change(6, 0)}, {change(6, -2)}, {change(6, 7)}, // nowhere
		{change(6, 3)}, {change(6, 5)}, {change(6, 1)}, // no commit
		{change(6, 4)},           // a commit, but not a whole one
		{whole(6), change(7, 2)}, // not the newest whole one
		{change(6, 2), whole(7), change(8, 6)},
	} {
		b.refused(w.Append(b.ctx, []checkpoint.Part{behind(4, commits...)}), "a commit that rests on what is not there", checkpoint.ErrInvalid)
		b.holds("t", "", 2, 4)
	}
	b.append(w, behind(4, change(6, 2), whole(7), change(8, 7)))
	b.refused(w.Append(b.ctx, []checkpoint.Part{behind(8, change(9, 2))}), "a base that is not the newest", checkpoint.ErrInvalid)
	b.append(w, behind(8, change(9, 7)))
	b.holds("t", "", 2, 4, 6, 7, 8, 9)
}

func parentRules(b *bench) {
	w := b.claim("t")
	b.append(w, fresh("", whole(1), change(2, 1), change(3, 1)))
	for _, parent := range []int64{-1, 4, 5} {
		c := whole(4)
		c.Parent = parent
		b.refused(w.Append(b.ctx, []checkpoint.Part{behind(3, c)}), "a parent that is not earlier", checkpoint.ErrInvalid)
	}
	fork := whole(4)
	fork.Parent, fork.Source = 1, "fork"
	b.append(w, behind(3, fork))
	b.same([]checkpoint.Commit{fork}, b.load("t", "", 4).Commits, "a fork")
}
