package checkpointtest

import (
	"github.com/graphrun/graphrun/checkpoint"
	"github.com/stretchr/testify/require"
)

func loadChecks() []check {
	return []check{
		{"load/a log without commits has head 0", loadEmpty},
		{"load/all that rebuilds a commit, from its base on", loadChain},
		{"load/a commit that is not there is not found", loadMissing},
		{"load/what a reader got stays as it was", loadStays},
	}
}

func loadEmpty(b *bench) {
	child := checkpoint.Child("", 1, 0)
	for _, thread := range []string{"nobody", "claimed", "begun"} {
		if thread != "nobody" {
			w := b.claim(thread)
			if thread == "begun" {
				b.append(w, fresh(child, whole(1)))
			}
		}
		l := b.load(thread, "", 0)
		require.Zero(b, l.Head)
		require.Empty(b, l.Commits)
		require.Empty(b, l.Pending)
	}
}

func loadChain(b *bench) {
	commits := []checkpoint.Commit{whole(1), change(2, 1), change(3, 1), whole(4), change(6, 4), change(7, 4), whole(9)}
	w := b.claim("t")
	b.append(w, fresh("", commits[:2]...))
	b.append(w, behind(2, commits[2:5]...))
	b.append(w, behind(6, commits[5:]...))
	for _, c := range []struct {
		at       int64
		from, to int
	}{{0, 6, 7}, {1, 0, 1}, {2, 0, 2}, {3, 0, 3}, {4, 3, 4}, {6, 3, 5}, {7, 3, 6}, {9, 6, 7}} {
		l := b.load("t", "", c.at)
		require.EqualValues(b, 9, l.Head, "the head is the log's, whatever commit is loaded")
		b.same(commits[c.from:c.to], l.Commits, "load")
	}
}

func loadMissing(b *bench) {
	b.begin("t", fresh("", whole(2), change(5, 2)))
	for _, l := range []checkpoint.Log{log("t"), log("nobody"), {Thread: "t", NS: checkpoint.Child("", 2, 0)}} {
		for _, at := range []int64{-1, 1, 3, 4, 6} {
			got, err := b.store.Load(b.ctx, l, at)
			b.refused(err, "a commit that is not there", checkpoint.ErrNotFound)
			require.Nil(b, got)
		}
	}
}

func loadStays(b *bench) {
	w := b.claim("t")
	commits := chain(3)
	b.append(w, fresh("", commits...))
	b.append(w, waiting(3, entry("a", "1"), entry("b", "2")))
	l := b.load("t", "", 0)
	listed := b.list(checkpoint.Query{Log: log("t"), Bodies: true})
	b.append(w, waiting(3, entry("a", "other"), checkpoint.Pending{Key: "b"}))
	b.append(w, behind(3, change(4, 1)))
	pruned := whole(3)
	pruned.Body = []byte("pruned")
	require.NoError(b, w.Prune(b.ctx, "", &pruned))
	b.release(w)
	require.NoError(b, b.store.Delete(b.ctx, "t"))
	require.EqualValues(b, 3, l.Head)
	b.same(commits, l.Commits, "what was loaded")
	require.Equal(b, []checkpoint.Pending{entry("a", "1"), entry("b", "2")}, l.Pending)
	b.same(newest(commits), listed, "what was listed")
}
