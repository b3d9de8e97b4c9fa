package checkpointtest

import (
	"fmt"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/stretchr/testify/require"
)

func pendingChecks() []check {
	return []check{
		{"pending/kept before the step's end, sorted by key", pendingSorted},
		{"pending/replaced by key, removed by nil", pendingReplaced},
		{"pending/an empty body is an entry", pendingEmpty},
		{"pending/gone when the head moves", pendingGone},
		{"pending/in a part with commits it is behind the new head", pendingWithCommits},
		{"pending/only the head has any", pendingHeadOnly},
		{"pending/not without a commit", pendingNowhere},
		{"pending/a log of its own each", pendingLogs},
	}
}

// pending checks what is pending behind a log's head.
func (b *bench) pending(thread, ns string, want ...checkpoint.Pending) {
	got := b.load(thread, ns, 0).Pending
	require.Len(b, got, len(want))
	for i := range want {
		require.Equal(b, want[i], got[i], "entry %d", i)
	}
	for _, info := range b.logs(checkpoint.LogQuery{Thread: thread}) {
		if info.NS == ns {
			require.Equal(b, len(want), info.Pending, "the count of what is pending")
		}
	}
}

func pendingSorted(b *bench) {
	w := b.claim("t")
	b.append(w, fresh("", whole(1)))
	b.append(w, waiting(1, entry("10", "ten")))
	b.append(w, waiting(1, entry("b", "2"), entry("", "no key"), entry("\x00", "nul")))
	b.append(w, waiting(1, entry("ä", "umlaut"), entry("2", "two"), entry("B", "3")))
	b.pending("t", "", entry("", "no key"), entry("\x00", "nul"), entry("10", "ten"),
		entry("2", "two"), entry("B", "3"), entry("b", "2"), entry("ä", "umlaut"))
	b.holds("t", "", 1)
}

func pendingReplaced(b *bench) {
	w := b.claim("t")
	b.append(w, fresh("", whole(1)))
	b.append(w, waiting(1, entry("a", "1"), entry("b", "2"), entry("c", "3")))
	b.append(w, waiting(1, entry("b", "two"), checkpoint.Pending{Key: "c"}, checkpoint.Pending{Key: "nobody"}))
	b.pending("t", "", entry("a", "1"), entry("b", "two"))
	b.append(w, waiting(1, entry("d", "4"), entry("d", "5"), checkpoint.Pending{Key: "a"}, entry("a", "again"), entry("e", "6"), checkpoint.Pending{Key: "e"}))
	b.pending("t", "", entry("a", "again"), entry("b", "two"), entry("d", "5"))
}

func pendingEmpty(b *bench) {
	w := b.claim("t")
	b.append(w, fresh("", whole(1)))
	b.append(w, waiting(1, checkpoint.Pending{Key: "a", Body: []byte{}}))
	got := b.load("t", "", 0).Pending
	require.Len(b, got, 1)
	require.NotNil(b, got[0].Body, "an empty body must not come back as nil, which would remove the entry")
	require.Empty(b, got[0].Body)
}

func pendingGone(b *bench) {
	w := b.claim("t")
	b.append(w, fresh("", whole(1)))
	b.append(w, waiting(1, entry("a", "1")))
	b.refused(w.Append(b.ctx, []checkpoint.Part{behind(2, change(3, 1))}), "a wrong head", checkpoint.ErrConflict)
	b.pending("t", "", entry("a", "1"))
	b.append(w, behind(1, change(2, 1)))
	b.pending("t", "")
	b.append(w, waiting(2, entry("b", "2")))
	b.pending("t", "", entry("b", "2"))
}

func pendingWithCommits(b *bench) {
	w := b.claim("t")
	b.append(w, checkpoint.Part{Commits: []checkpoint.Commit{whole(1)}, Pending: []checkpoint.Pending{entry("first", "1")}})
	b.pending("t", "", entry("first", "1"))
	b.append(w, waiting(1, entry("more", "2")))
	b.append(w, checkpoint.Part{Head: 1, Commits: []checkpoint.Commit{change(2, 1), change(3, 1)}, Pending: []checkpoint.Pending{entry("next", "3"), {Key: "more"}}})
	b.holds("t", "", 1, 2, 3)
	b.pending("t", "", entry("next", "3"))
}

func pendingHeadOnly(b *bench) {
	w := b.claim("t")
	b.append(w, fresh("", whole(1), change(2, 1)))
	b.append(w, waiting(2, entry("a", "1")))
	require.Empty(b, b.load("t", "", 1).Pending, "an older commit")
	require.Equal(b, []checkpoint.Pending{entry("a", "1")}, b.load("t", "", 2).Pending, "the head by its number")
}

func pendingNowhere(b *bench) {
	w := b.claim("t")
	b.refused(w.Append(b.ctx, []checkpoint.Part{waiting(0, entry("a", "1"))}), "a log without commits", checkpoint.ErrInvalid)
	require.Empty(b, b.logs(checkpoint.LogQuery{Thread: "t"}))
}

func pendingLogs(b *bench) {
	w := b.claim("t")
	spaces := []string{"", checkpoint.Child("", 1, 0), checkpoint.Child("", 1, 1), checkpoint.Child("", 11, 1)}
	for i, ns := range spaces {
		part := fresh(ns, whole(1))
		part.Pending = []checkpoint.Pending{entry("k", fmt.Sprint(i))}
		b.append(w, part)
	}
	b.append(w, checkpoint.Part{NS: spaces[1], Head: 1, Commits: []checkpoint.Commit{change(2, 1)}})
	for i, ns := range spaces {
		if i == 1 {
			b.pending("t", ns)
			continue
		}
		b.pending("t", ns, entry("k", fmt.Sprint(i)))
	}
}
