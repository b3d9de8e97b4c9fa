package source_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graphfile/internal/source"
)

func TestFields(t *testing.T) {
	t.Parallel()
	f := parse(t, `
text: abc
kind: sum
flag: true
count: 5
share: 0.5
whole: 2
wait: 1h30m
none: 0
list: [1, x]
one: a
many: [a, b]
map: {z: 1, a: 2}
inner: {x: 1}
raw: null
`)
	rep := f.Report()
	m := rep.Fields(f.Root, "a thing")
	text, ok := m.Text("text")
	assert.True(t, ok)
	assert.Equal(t, "abc", text)
	kind, ok := m.OneOf("kind", "append", "sum")
	assert.True(t, ok)
	assert.Equal(t, "sum", kind)
	flag, ok := m.Bool("flag")
	assert.True(t, flag && ok)
	count, ok := m.Int("count", 1, 5)
	assert.True(t, ok)
	assert.Equal(t, int64(5), count)
	share, ok := m.Float("share", 0, 1)
	assert.True(t, ok)
	assert.InDelta(t, 0.5, share, 0)
	whole, ok := m.Float("whole", 0, 2)
	assert.True(t, ok)
	assert.InDelta(t, 2, whole, 0)
	wait, ok := m.Duration("wait", 0, 2*time.Hour)
	assert.True(t, ok)
	assert.Equal(t, 90*time.Minute, wait)
	none, ok := m.Duration("none", 0, time.Hour)
	assert.True(t, ok)
	assert.Zero(t, none)
	items, ok := m.Items("list")
	assert.True(t, ok)
	assert.Len(t, items, 2)
	assert.Len(t, m.OneOrMany("one"), 1)
	assert.Len(t, m.OneOrMany("many"), 2)
	assert.Empty(t, m.OneOrMany("absent"))
	one, ok := m.TextOrTexts("one")
	assert.True(t, ok)
	assert.Equal(t, []string{"a"}, one)
	many, ok := m.Texts("many")
	assert.True(t, ok)
	assert.Equal(t, []string{"a", "b"}, many)
	entries := m.Entries("map")
	require.Len(t, entries, 2)
	assert.Equal(t, "z", entries[0].Key)
	inner := m.Fields("inner", "an inner thing")
	x, ok := inner.Int("x", 0, 9)
	assert.True(t, ok)
	assert.Equal(t, int64(1), x)
	assert.True(t, inner.Done())
	assert.Equal(t, source.Null, m.Take("raw").Kind)
	assert.True(t, m.Has("raw"))
	assert.False(t, m.Has("absent"))
	assert.Equal(t, source.Pos{Line: 3, Col: 1}, m.KeyPos("kind"))
	assert.Equal(t, source.Pos{Line: 2, Col: 1}, m.KeyPos("absent"))
	assert.True(t, m.Done())
	require.NoError(t, rep.Err())
	assert.False(t, rep.Failed())
}

func TestFieldsAbsent(t *testing.T) {
	t.Parallel()
	f := parse(t, "a: 1")
	rep := f.Report()
	m := rep.Fields(nil, "a thing")
	_, ok := m.Text("a")
	assert.False(t, ok)
	_, ok = m.Texts("a")
	assert.False(t, ok)
	_, ok = m.TextOrTexts("a")
	assert.False(t, ok)
	_, ok = m.Float("a", 0, 1)
	assert.False(t, ok)
	_, ok = m.Duration("a", 0, 1)
	assert.False(t, ok)
	assert.Nil(t, m.Need("a"))
	assert.Nil(t, m.Entries("a"))
	assert.False(t, m.Fields("a", "b").Done())
	assert.Equal(t, source.Pos{}, m.KeyPos("a"))
	assert.Empty(t, m.AtMostOne("a", "b"))
	require.NoError(t, rep.Err(), "what is absent is no problem by itself")
}

// TestFieldsReport finds every problem of a file in one pass.
func TestFieldsReport(t *testing.T) {
	t.Parallel()
	f := parse(t, `
text: [a]
id: 12
kind: apend
other: everything
flag: yes
count: 1.5
high: 7
low: -1
share: x
over: 1.5
exact: 9007199254740993
wait: 5
wait2: 5 minutes
wait3: -1s
list: text
texts: [a, 1, {b: c}]
many: {a: b}
map: [1]
inner: null
gotoo: END
zzz: 1
text:x: 1
to: a
goto: b
`)
	rep := f.Report()
	m := rep.Fields(f.Root, "a thing")
	m.Text("text")
	m.Text("id")
	m.OneOf("kind", "append", "sum")
	m.OneOf("other", "append", "sum")
	m.Bool("flag")
	m.Int("count", 0, 9)
	m.Int("high", 0, 5)
	m.Int("low", 0, math.MaxInt64)
	m.Float("share", 0, 1)
	m.Float("over", 0, 1)
	m.Float("exact", 0, 1)
	m.Duration("wait", 0, time.Hour)
	m.Duration("wait2", 0, time.Hour)
	m.Duration("wait3", 0, time.Hour)
	m.Items("list")
	texts, ok := m.Texts("texts")
	assert.False(t, ok)
	assert.Equal(t, []string{"a"}, texts)
	m.TextOrTexts("many")
	m.Entries("map")
	m.Fields("inner", "an inner thing")
	m.Need("name")
	assert.Equal(t, "to", m.AtMostOne("goto", "to"))
	assert.False(t, m.Done())
	rep.Warnf(m.KeyPos("id"), "%s is odd", "id").Hint = "think again"
	assert.True(t, rep.Failed())
	golden(t, "fields.golden", rep.Diagnostics().Error()+"\n")
	assert.Len(t, rep.Diagnostics().Warnings(), 1)
	assert.Len(t, source.Of(rep.Err()), len(rep.Diagnostics())-1)
}

func TestAllow(t *testing.T) {
	t.Parallel()
	f := parse(t, "b: 1\nc: 2\nd: 3\na: 4")
	rep := f.Report()
	m := rep.Fields(f.Root, "a thing")
	assert.Equal(t, []string{"a", "b"}, m.Present("a", "x", "b"))
	assert.Equal(t, "b", m.AtMostOne("a", "b", "x"))
	m.Allow("c", "d")
	assert.True(t, m.Done())
	assert.Equal(t, "f.yaml:4:1: error: a thing cannot have both \"b\" and \"a\"", rep.Diagnostics()[0].Summary())
	for range 200 {
		rep.Warnf(f.Root.Pos, "odd")
	}
	assert.Len(t, rep.Diagnostics(), 2, "what is there twice is shown once")
}

func TestUnknownHints(t *testing.T) {
	t.Parallel()
	f := parse(t, "a: 1")
	rep := f.Report()
	at := f.Root.Pos
	assert.Equal(t, `did you mean "review"?`, rep.Unknown(at, "node", "reveiw", []string{"review", "publish"}).Hint)
	assert.Equal(t, `known are "a", "b" and "c"`, rep.Unknown(at, "node", "other", []string{"c", "a", "b"}).Hint)
	assert.Equal(t, `only "a" is known`, rep.Unknown(at, "node", "other", []string{"a"}).Hint)
	assert.Empty(t, rep.Unknown(at, "node", "other", nil).Hint)
	assert.Empty(t, rep.Unknown(at, "node", "other", make([]string, 13)).Hint)
}
