package checkpointtest

import (
	"github.com/graphrun/graphrun/checkpoint"
	"github.com/stretchr/testify/require"
)

func pruneChecks() []check {
	return []check{
		{"prune/older commits go, later ones rest on it", pruneOlder},
		{"prune/later commits that rest on later ones stay as they are", pruneLater},
		{"prune/at the head, what is pending stays", pruneHead},
		{"prune/namespaces behind removed commits go", pruneSpaces},
		{"prune/within a namespace", pruneWithin},
		{"prune/again", pruneAgain},
		{"prune/not at a commit that is not there", pruneMissing},
		{"prune/not to what is no whole state", pruneInvalid},
	}
}

// pruned returns the whole state that takes the place of a commit.
func pruned(seq int64) *checkpoint.Commit {
	c := whole(seq)
	c.Meta, c.Body = []byte("pruned meta"), []byte("pruned body")
	return &c
}

// rest returns a commit as it is once it rests on another one.
func rest(c checkpoint.Commit, base int64) checkpoint.Commit {
	c.Base = base
	return c
}

func pruneOlder(b *bench) {
	w := b.claim("t")
	b.append(w, fresh("", chain(6)...))
	require.NoError(b, w.Prune(b.ctx, "", pruned(3)))
	b.holds("t", "", 3, 4, 5, 6)
	want := []checkpoint.Commit{*pruned(3), rest(change(4, 1), 3), rest(change(5, 1), 3), rest(change(6, 1), 3)}
	b.same(newest(want), b.list(checkpoint.Query{Log: log("t"), Bodies: true}), "list")
	for i := range want {
		b.same(want[:i+1], b.load("t", "", want[i].Seq).Commits, "load")
	}
	for _, at := range []int64{1, 2} {
		_, err := b.store.Load(b.ctx, log("t"), at)
		b.refused(err, "a commit that was pruned", checkpoint.ErrNotFound)
	}
	b.refused(w.Append(b.ctx, []checkpoint.Part{behind(6, change(7, 1))}), "a base that was pruned", checkpoint.ErrInvalid)
	b.append(w, behind(6, change(7, 3)))
	b.holds("t", "", 3, 4, 5, 6, 7)
	require.Equal(b, 5, b.logs(checkpoint.LogQuery{Thread: "t"})[0].Commits)
}

func pruneLater(b *bench) {
	w := b.claim("t")
	b.append(w, fresh("", whole(1), change(2, 1), change(3, 1), whole(4), change(5, 4)))
	require.NoError(b, w.Prune(b.ctx, "", pruned(2)))
	want := []checkpoint.Commit{*pruned(2), rest(change(3, 1), 2), whole(4), change(5, 4)}
	b.same(newest(want), b.list(checkpoint.Query{Log: log("t"), Bodies: true}), "list")
	b.same(want[2:], b.load("t", "", 5).Commits, "load")
	b.append(w, behind(5, change(6, 4)))
}

func pruneHead(b *bench) {
	w := b.claim("t")
	b.append(w, fresh("", chain(4)...))
	b.append(w, waiting(4, entry("a", "1")))
	require.NoError(b, w.Prune(b.ctx, "", pruned(4)))
	b.holds("t", "", 4)
	b.pending("t", "", entry("a", "1"))
	b.same([]checkpoint.Commit{*pruned(4)}, b.load("t", "", 0).Commits, "load")
	require.Equal(b, "pruned meta", string(b.logs(checkpoint.LogQuery{Thread: "t"})[0].Meta))
	b.append(w, behind(4, change(5, 4)))
	b.pending("t", "")
}

func pruneSpaces(b *bench) {
	w := b.claim("t")
	b.append(w, fresh("", chain(12)...))
	gone := []string{checkpoint.Child("", 1, 0), checkpoint.Child("", 2, 0), checkpoint.Child("", 2, 7), checkpoint.Child("", 9, 1),
		checkpoint.Child(checkpoint.Child("", 2, 0), 30, 0), checkpoint.Child(checkpoint.Child(checkpoint.Child("", 2, 0), 30, 0), 1, 1)}
	stay := []string{checkpoint.Child("", 10, 0), checkpoint.Child("", 11, 0), checkpoint.Child("", 12, 3),
		checkpoint.Child(checkpoint.Child("", 10, 0), 1, 0), checkpoint.Child(checkpoint.Child("", 12, 3), 2, 0)}
	for _, ns := range append(gone, stay...) {
		p := fresh(ns, whole(1))
		p.Pending = []checkpoint.Pending{entry("k", "v")}
		b.append(w, p)
	}
	b.begin("other", fresh("", chain(3)...), fresh(gone[0], whole(1)))
	require.NoError(b, w.Prune(b.ctx, "", pruned(10)))
	b.holds("t", "", 10, 11, 12)
	for _, ns := range gone {
		b.holds("t", ns)
		require.Empty(b, b.load("t", ns, 0).Pending)
	}
	for _, ns := range stay {
		b.holds("t", ns, 1)
		b.pending("t", ns, entry("k", "v"))
	}
	b.holds("other", gone[0], 1)
	b.append(w, fresh(gone[0], whole(4)))
	b.holds("t", gone[0], 4)
	require.Empty(b, b.load("t", gone[0], 0).Pending)
}

func pruneWithin(b *bench) {
	w := b.claim("t")
	child := checkpoint.Child("", 1, 0)
	near, far := checkpoint.Child(child, 1, 0), checkpoint.Child(child, 2, 0)
	aside := checkpoint.Child(checkpoint.Child("", 1, 1), 1, 0)
	b.append(w, fresh("", chain(3)...), fresh(child, chain(3)...), fresh(near, whole(1)), fresh(far, whole(1)), fresh(aside, whole(1)))
	require.NoError(b, w.Prune(b.ctx, child, pruned(2)))
	b.holds("t", "", 1, 2, 3)
	b.holds("t", child, 2, 3)
	b.holds("t", near)
	b.holds("t", far, 1)
	b.holds("t", aside, 1)
}

func pruneAgain(b *bench) {
	w := b.claim("t")
	b.append(w, fresh("", chain(5)...))
	for range 2 {
		require.NoError(b, w.Prune(b.ctx, "", pruned(2)))
		b.holds("t", "", 2, 3, 4, 5)
	}
	require.NoError(b, w.Prune(b.ctx, "", pruned(4)))
	b.holds("t", "", 4, 5)
	b.same([]checkpoint.Commit{*pruned(4), rest(change(5, 1), 4)}, b.load("t", "", 0).Commits, "load")
}

func pruneMissing(b *bench) {
	w := b.claim("t")
	b.refused(w.Prune(b.ctx, "", pruned(1)), "a log without commits", checkpoint.ErrNotFound)
	b.append(w, fresh("", whole(1), change(2, 1), change(5, 1)), fresh(checkpoint.Child("", 1, 0), whole(3)))
	for _, seq := range []int64{3, 4, 6} {
		b.refused(w.Prune(b.ctx, "", pruned(seq)), "a commit that is not there", checkpoint.ErrNotFound)
		b.holds("t", "", 1, 2, 5)
		b.holds("t", checkpoint.Child("", 1, 0), 3)
	}
	b.refused(w.Prune(b.ctx, checkpoint.Child("", 9, 0), pruned(1)), "a log that is not there", checkpoint.ErrNotFound)
}

func pruneInvalid(b *bench) {
	w := b.claim("t")
	b.append(w, fresh("", chain(3)...))
	for _, c := range []checkpoint.Commit{change(3, 1), change(3, 0), change(2, 3), change(3, 2)} {
		b.refused(w.Prune(b.ctx, "", &c), "a commit that is not whole", checkpoint.ErrInvalid)
	}
	b.refused(w.Prune(b.ctx, "", nil), "no commit", checkpoint.ErrInvalid)
	b.holds("t", "", 1, 2, 3)
	b.same(chain(3), b.load("t", "", 0).Commits, "load")
}
