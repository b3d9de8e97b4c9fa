package checkpointtest

import (
	"fmt"
	"slices"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/stretchr/testify/require"
)

func listChecks() []check {
	return []check{
		{"list/newest first, bodies only if asked for", listOrder},
		{"list/a page at a time", listPages},
		{"list/a log that is not there has no commits", listEmpty},
	}
}

func listOrder(b *bench) {
	commits := []checkpoint.Commit{whole(1), change(2, 1), whole(3), change(7, 3)}
	b.begin("t", fresh("", commits...))
	b.same(newest(commits), b.list(checkpoint.Query{Log: log("t"), Bodies: true}), "with bodies")
	got := b.list(checkpoint.Query{Log: log("t")})
	b.same(bodiless(commits), got, "without bodies")
	for _, c := range got {
		require.Nil(b, c.Body)
	}
}

func listPages(b *bench) {
	commits := chain(10)
	b.begin("t", fresh("", commits...))
	all := bodiless(commits)
	for _, q := range []struct {
		before   int64
		limit    int
		from, to int
	}{
		{0, 3, 0, 3}, {8, 3, 3, 6}, {2, 3, 9, 10}, {1, 3, 10, 10}, {0, 100, 0, 10}, {11, 0, 0, 10},
		{10, 0, 1, 10}, {5, -1, 6, 10}, {1_000_000, 2, 0, 2}, {0, 10, 0, 10}, {0, 1, 0, 1},
	} {
		got := b.list(checkpoint.Query{Log: log("t"), Before: q.before, Limit: q.limit})
		b.same(all[q.from:q.to], got, fmt.Sprintf("before %d, at most %d", q.before, q.limit))
	}
}

func listEmpty(b *bench) {
	b.begin("t", fresh("", whole(1)))
	for _, l := range []checkpoint.Log{log("nobody"), {Thread: "t", NS: checkpoint.Child("", 1, 0)}} {
		require.Empty(b, b.list(checkpoint.Query{Log: l, Bodies: true, Limit: 5}))
	}
}

func logsChecks() []check {
	return []check{
		{"logs/what they tell of a log", logsTell},
		{"logs/all threads, a page at a time", logsThreads},
		{"logs/all logs of one thread, a page at a time", logsSpaces},
		{"logs/a thread without a log of its own is not among all threads", logsOwn},
	}
}

func logsTell(b *bench) {
	w := b.claim("t")
	require.Empty(b, b.logs(checkpoint.LogQuery{}), "a thread that is claimed but has nothing")
	c := change(5, 1)
	c.Step, c.Source, c.Meta = 42, "update", []byte("what is due")
	b.append(w, checkpoint.Part{Commits: []checkpoint.Commit{whole(1), change(3, 1), c}, Pending: []checkpoint.Pending{entry("a", ""), entry("b", "")}})
	for _, q := range []checkpoint.LogQuery{{}, {Thread: "t"}} {
		infos := b.logs(q)
		require.Len(b, infos, 1)
		info := infos[0]
		at := b.load("t", "", 5).Commits[2].At
		require.True(b, at.Equal(info.At), "the time of the newest commit: %v, not %v", at, info.At)
		info.At = at
		want := checkpoint.LogInfo{Log: log("t"), Head: 5, Step: 42, Source: "update", At: at, Meta: []byte("what is due"), Commits: 3, Pending: 2}
		require.Equal(b, want, info)
	}
}

// pages reads all logs with pages of a size.
func (b *bench) pages(thread string, size int) (all []checkpoint.Log) {
	q := checkpoint.LogQuery{Thread: thread, Limit: size}
	for {
		infos := b.logs(q)
		if size > 0 {
			require.LessOrEqual(b, len(infos), size)
		}
		for _, info := range infos {
			all = append(all, info.Log)
		}
		if len(infos) == 0 || size <= 0 {
			return all
		}
		require.Less(b, len(all), 1000, "pages do not end")
		q.After = infos[len(infos)-1].Log
	}
}

func logsThreads(b *bench) {
	var want []checkpoint.Log
	for i := range 10 {
		name := fmt.Sprintf("t%d", i*i) // not in the order of their bytes
		want = append(want, log(name))
		b.begin(name, fresh("", whole(1)), fresh(checkpoint.Child("", 1, 0), whole(1)))
	}
	slices.SortFunc(want, compareLogs)
	for _, size := range []int{0, -1, 1, 3, 10, 11} {
		require.Equal(b, want, b.pages("", size), "pages of %d", size)
	}
	infos := b.logs(checkpoint.LogQuery{After: checkpoint.Log{Thread: "t4", NS: "zzz"}, Limit: 1})
	require.Len(b, infos, 1)
	require.Equal(b, "t49", infos[0].Thread, "behind the log of a thread is the next thread")
	infos = b.logs(checkpoint.LogQuery{After: log("t45"), Limit: 1})
	require.Len(b, infos, 1)
	require.Equal(b, "t49", infos[0].Thread, "the log to go on behind need not exist")
}

func logsSpaces(b *bench) {
	var want []checkpoint.Log
	for _, thread := range []string{"s", "t", "t/", "u"} {
		w := b.claim(thread)
		for i, ns := range spaces() {
			b.append(w, fresh(ns, whole(int64(i+1))))
			if thread == "t" {
				want = append(want, checkpoint.Log{Thread: thread, NS: ns})
			}
		}
	}
	for _, size := range []int{0, 1, 4, len(want), len(want) + 1} {
		require.Equal(b, want, b.pages("t", size), "pages of %d", size)
	}
	require.Empty(b, b.logs(checkpoint.LogQuery{Thread: "nobody"}))
	require.Empty(b, b.logs(checkpoint.LogQuery{Thread: "t", After: log("u")}))
	require.Len(b, b.logs(checkpoint.LogQuery{Thread: "t", After: log("s")}), len(want))
}

func logsOwn(b *bench) {
	child := checkpoint.Child("", 1, 0)
	b.begin("t", fresh(child, whole(1)))
	require.Empty(b, b.logs(checkpoint.LogQuery{}))
	infos := b.logs(checkpoint.LogQuery{Thread: "t"})
	require.Len(b, infos, 1)
	require.Equal(b, child, infos[0].NS)
}

// compareLogs orders logs by thread and namespace.
func compareLogs(a, b checkpoint.Log) int {
	return slices.Compare([]string{a.Thread, a.NS}, []string{b.Thread, b.NS})
}
