package checkpointtest

import (
	"errors"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/stretchr/testify/require"
)

func copyChecks() []check {
	return []check{
		{"copy/all namespaces, commits and pending entries", copyAll},
		{"copy/what was pruned", copyPruned},
		{"copy/copies go ways of their own", copyApart},
		{"copy/not over a thread that exists", copyExists},
		{"copy/not of a thread that does not exist", copyMissing},
		{"copy/of a thread that has a writer", copyBusySource},
		{"copy/never behind the back of a writer", copyBusyTarget},
	}
}

func deleteChecks() []check {
	return []check{
		{"delete/all of a thread goes and it can begin again", deleteAll},
		{"delete/not under a writer", deleteBusy},
		{"delete/what does not exist is no error", deleteMissing},
	}
}

// contents is all that a store holds of a thread.
type contents struct {
	log     checkpoint.LogInfo
	commits []checkpoint.Commit
	pending []checkpoint.Pending
}

// contents reads a whole thread, under the name of another one.
func (b *bench) contents(thread, as string) (all []contents) {
	for _, info := range b.logs(checkpoint.LogQuery{Thread: thread}) {
		c := contents{log: info, commits: b.list(checkpoint.Query{Log: info.Log, Bodies: true})}
		l := b.load(thread, info.NS, 0)
		require.Equal(b, info.Head, l.Head)
		c.pending, c.log.Thread = l.Pending, as
		c.log.At = c.log.At.Round(0).UTC()
		for i := range c.commits {
			c.commits[i].At = c.commits[i].At.Round(0).UTC()
		}
		all = append(all, c)
	}
	return all
}

// family makes a thread with runs within its run.
func (b *bench) family(thread string) {
	child := checkpoint.Child("", 2, 0)
	b.begin(thread,
		checkpoint.Part{Commits: []checkpoint.Commit{whole(1), change(2, 1), whole(4), change(5, 4)}, Pending: []checkpoint.Pending{entry("a", "1"), entry("b", "2")}},
		fresh(child, whole(1), change(2, 1)),
		checkpoint.Part{NS: checkpoint.Child(child, 2, 1), Commits: []checkpoint.Commit{whole(3)}, Pending: []checkpoint.Pending{entry("c", "3")}})
}

func copyAll(b *bench) {
	b.family("t")
	b.begin("tt", fresh("", whole(9)))
	require.NoError(b, b.store.Copy(b.ctx, "t", "u"))
	want := b.contents("t", "")
	require.Len(b, want, 3)
	require.Equal(b, want, b.contents("u", ""))
	b.same([]checkpoint.Commit{whole(1), change(2, 1)}, b.load("u", "", 2).Commits, "an old commit of the copy")
	require.NoError(b, b.store.Copy(b.ctx, "u", "v\x00%"))
	require.Equal(b, want, b.contents("v\x00%", ""), "a copy of a copy")
	b.holds("tt", "", 9)
}

func copyPruned(b *bench) {
	w := b.claim("t")
	b.append(w, fresh("", chain(5)...))
	p := whole(3)
	require.NoError(b, w.Prune(b.ctx, "", &p))
	require.NoError(b, b.store.Copy(b.ctx, "t", "u"))
	require.Equal(b, b.contents("t", ""), b.contents("u", ""))
	b.holds("u", "", 3, 4, 5)
	require.Len(b, b.load("u", "", 5).Commits, 3)
}

func copyApart(b *bench) {
	b.family("t")
	before := b.contents("t", "")
	require.NoError(b, b.store.Copy(b.ctx, "t", "u"))
	w, v := b.claim("t"), b.claim("u")
	b.append(v, checkpoint.Part{Head: 5, Commits: []checkpoint.Commit{change(6, 4)}, Pending: []checkpoint.Pending{entry("u", "u")}})
	require.Equal(b, before, b.contents("t", ""), "the source when the copy goes on")
	b.append(w, behind(5, change(7, 4)))
	b.holds("t", "", 1, 2, 4, 5, 7)
	b.holds("u", "", 1, 2, 4, 5, 6)
	b.pending("u", "", entry("u", "u"))
	b.release(w)
	require.NoError(b, b.store.Delete(b.ctx, "t"))
	b.holds("u", "", 1, 2, 4, 5, 6)
	b.holds("u", checkpoint.Child("", 2, 0), 1, 2)
}

func copyExists(b *bench) {
	b.family("t")
	b.begin("u", fresh("", whole(8)))
	b.begin("child only", fresh(checkpoint.Child("", 1, 0), whole(8)))
	for _, to := range []string{"u", "t", "child only"} {
		before := b.contents(to, "")
		b.refused(b.store.Copy(b.ctx, "t", to), "copying over a thread", checkpoint.ErrExists)
		require.Equal(b, before, b.contents(to, ""))
	}
}

func copyMissing(b *bench) {
	b.refused(b.store.Copy(b.ctx, "nobody", "u"), "copying nothing", checkpoint.ErrNotFound)
	require.Empty(b, b.contents("u", ""))
	b.begin("t", fresh("", whole(1)))
	b.refused(b.store.Copy(b.ctx, "t", ""), "a thread without a name", checkpoint.ErrInvalid)
	b.release(b.claim("u"))
}

func copyBusySource(b *bench) {
	w := b.claim("t")
	b.append(w, fresh("", chain(3)...))
	require.NoError(b, b.store.Copy(b.ctx, "t", "u"))
	b.append(w, behind(3, change(4, 1)))
	b.holds("u", "", 1, 2, 3)
	b.begin("u", behind(3, change(9, 1)))
	b.holds("t", "", 1, 2, 3, 4)
}

func copyBusyTarget(b *bench) {
	b.begin("t", fresh("", chain(3)...))
	w := b.claim("u")
	copied := b.store.Copy(b.ctx, "t", "u")
	written := w.Append(b.ctx, []checkpoint.Part{fresh("", whole(1))})
	if copied != nil {
		require.ErrorIs(b, copied, checkpoint.ErrBusy)
		require.NoError(b, written)
		b.holds("u", "", 1)
		return
	}
	b.refused(written, "a thread was copied behind the back of its writer", checkpoint.ErrConflict, checkpoint.ErrFenced)
	b.holds("u", "", 1, 2, 3)
}

func deleteAll(b *bench) {
	b.family("t")
	b.family("tt")
	kept := b.contents("tt", "")
	require.NoError(b, b.store.Delete(b.ctx, "t"))
	require.Empty(b, b.contents("t", ""))
	for _, ns := range []string{"", checkpoint.Child("", 2, 0)} {
		b.holds("t", ns)
		require.Empty(b, b.load("t", ns, 0).Pending)
	}
	require.Len(b, b.logs(checkpoint.LogQuery{}), 1)
	b.begin("t", fresh("", whole(1)))
	b.holds("t", "", 1)
	require.Empty(b, b.load("t", "", 0).Pending)
	require.Len(b, b.logs(checkpoint.LogQuery{Thread: "t"}), 1)
	require.Equal(b, kept, b.contents("tt", ""))
}

func deleteBusy(b *bench) {
	b.family("t")
	before := b.contents("t", "")
	w := b.claim("t")
	b.refused(b.store.Delete(b.ctx, "t"), "a thread that has a writer", checkpoint.ErrBusy)
	require.Equal(b, before, b.contents("t", ""))
	b.append(w, behind(5, change(6, 4)))
	b.release(w)
	require.NoError(b, b.store.Delete(b.ctx, "t"))
	require.Empty(b, b.contents("t", ""))
}

func deleteMissing(b *bench) {
	b.begin("t", fresh("", whole(1)))
	require.NoError(b, b.store.Delete(b.ctx, "nobody"))
	require.NoError(b, b.store.Delete(b.ctx, "t"))
	require.NoError(b, b.store.Delete(b.ctx, "t"))
	err := b.store.Copy(b.ctx, "t", "u")
	require.True(b, errors.Is(err, checkpoint.ErrNotFound), "copying what was deleted: %v", err)
}
