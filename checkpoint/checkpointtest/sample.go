package checkpointtest

import (
	"fmt"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/stretchr/testify/require"
)

// whole returns a commit that holds a whole state.
func whole(seq int64) checkpoint.Commit { return change(seq, seq) }

// change returns a commit that rests on another one.
func change(seq, base int64) checkpoint.Commit {
	return checkpoint.Commit{
		Seq: seq, Parent: seq - 1, Base: base, Step: int(seq) - 2, Source: "loop",
		Meta: fmt.Appendf(nil, "meta %d on %d", seq, base), Body: fmt.Appendf(nil, "body %d on %d", seq, base),
	}
}

// chain returns commits 1 to n, of which the first one is whole.
func chain(n int64) []checkpoint.Commit {
	commits := []checkpoint.Commit{whole(1)}
	for seq := int64(2); seq <= n; seq++ {
		commits = append(commits, change(seq, 1))
	}
	return commits
}

// fresh is the part that begins a log with commits.
func fresh(ns string, commits ...checkpoint.Commit) checkpoint.Part {
	return checkpoint.Part{NS: ns, Commits: commits}
}

// behind is the part that goes on from a head with commits.
func behind(head int64, commits ...checkpoint.Commit) checkpoint.Part {
	return checkpoint.Part{Head: head, Commits: commits}
}

// waiting is the part that keeps entries behind a head, "key=body" each, or
// "key" to remove one.
func waiting(head int64, entries ...checkpoint.Pending) checkpoint.Part {
	return checkpoint.Part{Head: head, Pending: entries}
}

func entry(key, body string) checkpoint.Pending {
	return checkpoint.Pending{Key: key, Body: []byte(body)}
}

// log names a thread's own log.
func log(thread string) checkpoint.Log { return checkpoint.Log{Thread: thread} }

// plain takes from commits what a store may choose: the time, and whether
// what is empty is nil.
func plain(commits []checkpoint.Commit) []checkpoint.Commit {
	out := make([]checkpoint.Commit, len(commits))
	for i, c := range commits {
		c.At, c.Index = out[i].At, nil
		if len(c.Meta) == 0 {
			c.Meta = nil
		}
		if len(c.Body) == 0 {
			c.Body = nil
		}
		out[i] = c
	}
	return out
}

// same checks that commits are those that were given, and have a time.
func (b *bench) same(want, got []checkpoint.Commit, what string) {
	require.Equal(b, plain(want), plain(got), what)
	for i := range got {
		require.False(b, got[i].At.IsZero(), "%s: commit %d has no time", what, got[i].Seq)
		require.Nil(b, got[i].Index, "%s: commit %d: rows are never returned", what, got[i].Seq)
	}
}

// bodiless returns commits without their Body, newest first, as List does.
func bodiless(commits []checkpoint.Commit) []checkpoint.Commit {
	out := newest(commits)
	for i := range out {
		out[i].Body = nil
	}
	return out
}

// newest returns commits in the order of List.
func newest(commits []checkpoint.Commit) []checkpoint.Commit {
	out := make([]checkpoint.Commit, len(commits))
	for i := range commits {
		out[len(commits)-1-i] = commits[i]
	}
	return out
}
