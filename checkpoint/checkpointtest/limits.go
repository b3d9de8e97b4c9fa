package checkpointtest

import (
	"bytes"
	"context"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/stretchr/testify/require"
)

func contextChecks() []check {
	return []check{
		{"context/what is called with one that has ended does nothing", contextEnded},
		{"context/a claim with one that has ended holds nothing", contextClaim},
	}
}

func contextEnded(b *bench) {
	b.family("t")
	w := b.claim("u")
	b.append(w, fresh("", chain(3)...))
	before := append(b.contents("t", ""), b.contents("u", "")...)
	ctx, stop := context.WithCancel(b.ctx)
	stop()
	_, loaded := b.store.Load(ctx, log("t"), 0)
	_, listed := b.store.List(ctx, checkpoint.Query{Log: log("t")})
	_, logs := b.store.Logs(ctx, checkpoint.LogQuery{})
	for _, call := range []struct {
		what string
		err  error
	}{
		{"append", w.Append(ctx, []checkpoint.Part{behind(3, change(4, 1))})},
		{"append of something pending", w.Append(ctx, []checkpoint.Part{waiting(3, entry("k", "v"))})},
		{"prune", w.Prune(ctx, "", pruned(2))},
		{"load", loaded}, {"list", listed}, {"logs", logs},
		{"copy", b.store.Copy(ctx, "t", "v")},
		{"delete", b.store.Delete(ctx, "t")},
	} {
		b.refused(call.err, call.what+" with a context that has ended", context.Canceled)
	}
	require.Equal(b, before, append(b.contents("t", ""), b.contents("u", "")...))
	require.Empty(b, b.contents("v", ""))
	b.append(w, behind(3, change(4, 1)))
}

func contextClaim(b *bench) {
	ctx, stop := context.WithCancel(b.ctx)
	stop()
	for _, busy := range []checkpoint.Busy{checkpoint.Reject, checkpoint.Enqueue, checkpoint.TakeOver} {
		_, err := b.store.Claim(ctx, "t", busy)
		b.refused(err, "a claim with a context that has ended", context.Canceled)
	}
	b.release(b.claim("t"))
}

func byteChecks() []check {
	return []check{
		{"bytes/of any value", byteValues},
		{"bytes/none at all", byteNone},
		{"bytes/five megabytes", byteBig},
		{"bytes/the caller's are not changed", byteCallers},
	}
}

func byteValues(b *bench) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	c := whole(1)
	c.Meta, c.Body = all, append(bytes.Clone(all), all...)
	b.begin("t", checkpoint.Part{Commits: []checkpoint.Commit{c}, Pending: []checkpoint.Pending{{Key: string(all), Body: all}}})
	l := b.load("t", "", 0)
	b.same([]checkpoint.Commit{c}, l.Commits, "load")
	require.Equal(b, []checkpoint.Pending{{Key: string(all), Body: all}}, l.Pending)
}

func byteNone(b *bench) {
	c, d := whole(1), change(2, 1)
	c.Meta, c.Body, c.Source = []byte{}, []byte{}, ""
	d.Meta, d.Body = nil, nil
	b.begin("t", fresh("", c, d))
	b.same([]checkpoint.Commit{c, d}, b.load("t", "", 0).Commits, "load")
	b.same([]checkpoint.Commit{d, c}, b.list(checkpoint.Query{Log: log("t"), Bodies: true}), "list")
}

func byteBig(b *bench) {
	big := bytes.Repeat([]byte("0123456789abcdef"), 5<<20/16)
	c := whole(1)
	c.Body = big
	b.begin("t", checkpoint.Part{Commits: []checkpoint.Commit{c}, Pending: []checkpoint.Pending{{Key: "big", Body: big}}})
	require.NoError(b, b.store.Copy(b.ctx, "t", "u"))
	for _, thread := range []string{"t", "u"} {
		l := b.load(thread, "", 0)
		require.Len(b, l.Commits, 1)
		require.True(b, bytes.Equal(big, l.Commits[0].Body), "a body of five megabytes comes back changed")
		require.Len(b, l.Pending, 1)
		require.True(b, bytes.Equal(big, l.Pending[0].Body), "an entry of five megabytes comes back changed")
	}
}

func byteCallers(b *bench) {
	commits, pending := chain(3), []checkpoint.Pending{entry("b", "1"), entry("a", "2")}
	parts := []checkpoint.Part{{Commits: commits, Pending: pending}}
	w := b.claim("t")
	b.append(w, parts...)
	p := pruned(2)
	require.NoError(b, w.Prune(b.ctx, "", p))
	require.Equal(b, []checkpoint.Part{{Commits: chain(3), Pending: []checkpoint.Pending{entry("b", "1"), entry("a", "2")}}}, parts)
	require.Equal(b, pruned(2), p)
}

func rowChecks() []check {
	return []check{
		{"rows/are taken with their commits and never returned", rowsTaken},
		{"rows/that are not well-formed are refused with all the rest", rowsRefused},
	}
}

func rowsTaken(b *bench) {
	w := b.claim("t")
	c := whole(1)
	c.Index = []checkpoint.Row{
		{Table: "answers_2", Key: "a", Columns: []checkpoint.Column{{Name: "n", Value: int64(1)}, {Name: "f", Value: 0.5},
			{Name: "s", Value: "x"}, {Name: "b", Value: true}, {Name: "raw", Value: []byte{1}}, {Name: "none"}}, Indexes: [][]string{{"s", "n"}, {"thread", "f"}}},
		{Table: "answers_2", Key: "b", Columns: []checkpoint.Column{{Name: "n", Value: int64(2)}}},
		{Table: "empty", Key: "\x00"},
	}
	b.append(w, fresh("", c))
	d := change(2, 1)
	d.Index = []checkpoint.Row{{Table: "answers_2", Key: "a", Columns: []checkpoint.Column{{Name: "n", Value: int64(3)}}}}
	b.append(w, behind(1, d))
	b.same([]checkpoint.Commit{c, d}, b.load("t", "", 0).Commits, "load")
	b.same([]checkpoint.Commit{d, c}, b.list(checkpoint.Query{Log: log("t"), Bodies: true}), "list")
	require.NoError(b, b.store.Copy(b.ctx, "t", "u"))
	b.release(w)
	require.NoError(b, b.store.Delete(b.ctx, "t"))
}

func rowsRefused(b *bench) {
	w := b.claim("t")
	row := func(table, key, column string, value any) checkpoint.Row {
		return checkpoint.Row{Table: table, Key: key, Columns: []checkpoint.Column{{Name: column, Value: value}}}
	}
	for _, bad := range []checkpoint.Row{
		row("", "k", "n", nil), row("Upper", "k", "n", nil), row("1st", "k", "n", nil), row("_x", "k", "n", nil), row("a b", "k", "n", nil),
		row(`a"; drop table commits; --`, "k", "n", nil), row("ok", "", "n", nil), row("ok", "k", "", nil), row("ok", "k", "N", nil),
		row("ok", "k", "seq", nil), row("ok", "k", "thread", nil), row("ok", "k", "ns", nil), row("ok", "k", "key", nil),
		row("ok", "k", "n", 1), row("ok", "k", "n", []string{"x"}),
		{Table: "ok", Key: "k", Columns: []checkpoint.Column{{Name: "n", Value: int64(1)}, {Name: "n", Value: int64(2)}}},
		{Table: "ok", Key: "k", Indexes: [][]string{{}}},
		{Table: "ok", Key: "k", Indexes: [][]string{{"n"}}},
		{Table: "ok", Key: "k", Indexes: [][]string{{"seq", "seq"}}},
	} {
		c := whole(1)
		c.Index = []checkpoint.Row{bad}
		b.refused(w.Append(b.ctx, []checkpoint.Part{fresh("", c)}), "a bad row", checkpoint.ErrInvalid)
		b.holds("t", "")
	}
}
