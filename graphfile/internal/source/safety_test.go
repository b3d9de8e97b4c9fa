package source_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graphfile/internal/source"
)

// measured parses a text and returns how many bytes were allocated for it. It
// fails if that took longer than any machine needs for work in proportion to
// the text.
func measured(t *testing.T, text string, lim source.Limits) (uint64, error) {
	t.Helper()
	data := []byte(text)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	done := make(chan error, 1)
	go func() {
		_, err := source.Parse("f.yaml", data, lim)
		if err != nil {
			_ = err.Error()
		}
		done <- err
	}()
	select {
	case err := <-done:
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc, err
	case <-time.After(30 * time.Second):
		t.Fatal("still reading after 30 seconds")
		return 0, nil
	}
}

// TestBombs reads what is made to take long or to grow. None of them may
// allocate more than a multiple of its size, nor more than the values that are
// allowed can take.
func TestBombs(t *testing.T) {
	const n = 100_000
	levels := func(entry string) string {
		var b strings.Builder
		for i := range 2000 {
			b.WriteString(strings.Repeat(" ", i) + entry + "\n")
		}
		return b.String()
	}
	deep := "deep inside one another"
	cases := []struct{ name, text, want string }{
		{"open lists", strings.Repeat("[", n), deep},
		{"open maps", strings.Repeat("{", n), deep},
		{"maps as keys", strings.Repeat("{a: ", n), deep},
		{"closed lists", strings.Repeat("[", n) + strings.Repeat("]", n), deep},
		{"pairs", strings.Repeat("[a: ", n), deep},
		{"explicit keys in brackets", strings.Repeat("[? ", n), deep},
		{"dashes", strings.Repeat("- ", n), deep},
		{"dashes without end", strings.Repeat("- ", n) + "x", deep},
		{"question marks", strings.Repeat("? ", n), deep},
		{"colons", strings.Repeat(": ", n), deep},
		{"indented keys", levels("a:"), deep},
		{"indented dashes", levels("-"), deep},
		{"anchors in a row", strings.Repeat("&a ", n) + "x", "stands behind"},
		{"anchors in lines", strings.Repeat("&a\n", n) + "x", "does not belong"},
		{"tags in a row", strings.Repeat("!a ", n) + "x", "stands behind"},
		{"tags", strings.Repeat("- !a x\n", n), "tags are not read"},
		{"unknown aliases", "[" + strings.Repeat("*a,", n) + "]", "no value above"},
		{"documents", strings.Repeat("---\n", n), "second document"},
		{"document ends", "a\n" + strings.Repeat("...\n", n), ""},
		{"directives", strings.Repeat("%YAML 1.2\n", n), "must be followed"},
		{"one key again and again", strings.Repeat("a: 1\n", n), "given twice"},
		{"one key in one line", "{" + strings.Repeat("a: 1,", n-1) + "}", "given twice"},
		{"one key in json", "{" + strings.Repeat("\"a\":1,", n) + "\"b\":2}", "given twice"},
		{"many anchors in one line", "[" + strings.Repeat("&a :b,", n) + "]", "a key is missing"},
		{"half pairs", "[" + strings.Repeat(`"\ud800",`, n) + "1]", "names no character"},
		{"half pairs in one text", `"` + strings.Repeat(`\ud800`, n) + `"`, "names no character"},
		{"hidden characters", strings.Repeat("\u2028", 10*n), "cannot be seen"},
		{"bad escapes", `"` + strings.Repeat(`\q`, n) + `"`, "unknown escape"},
		{"open quotes", strings.Repeat(`"'`, n), "no closing quote"},
		{"a long line", "a: " + strings.Repeat("x", 40*n), ""},
		{"a long line with an end that is wrong", "[" + strings.Repeat("é", 10*n) + "}", "expected ','"},
		{"a long number", strings.Repeat("9", 10*n), "does not fit"},
		{"a long fraction", "0." + strings.Repeat("9", 10*n), ""},
		{"a long key", strings.Repeat("x", 10*n) + ": 1", ""},
		{"empty lines", "a: b" + strings.Repeat("\n", 20*n), ""},
		{"empty lines in a literal", "a: |\n" + strings.Repeat("\n", 20*n) + "b: 1", ""},
		{"lines of spaces", strings.Repeat(strings.Repeat(" ", 1000)+"\n", 2000) + "a: 1", ""},
		{"lines of a text", "a: b\n" + strings.Repeat("  c\n\n", 5*n), ""},
		{"lines of a folded text", "a: >\n" + strings.Repeat("  c\n   d\n\n", 2*n), ""},
		{"lines in quotes", "a: 'b\n" + strings.Repeat("  c  \n\n", 5*n) + "'", ""},
		{"tabs in quotes", `"` + strings.Repeat("\t", 10*n) + `x"`, ""},
		{"comments", strings.Repeat("# a\n", 5*n) + "a", ""},
		{"comments in a list", strings.Repeat("-\n # a\n", n), ""},
		{"too many values", "[" + strings.Repeat("1,", 2*n) + "]", "more than 200000 values"},
		{"too many values of json", "[" + strings.Repeat("1,", 2*n) + "1]", "more than 200000 values"},
		{"values in one map", "{" + strings.Repeat("a,", 2*n) + "}", "more than 200000 values"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			used, err := measured(t, c.text, source.Limits{})
			if c.want == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, c.want)
			}
			assert.Less(t, used, uint64(min(8<<20+1024*len(c.text), 640<<20)))
		})
	}
}

// laughs is a text in which each of many lines names the one before nine times.
func laughs(lines int, block bool) string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x]\n")
	for i := 1; i <= lines; i++ {
		alias := fmt.Sprintf("*a%d", i-1)
		if block {
			fmt.Fprintf(&b, "a%d: &a%d\n%s", i, i, strings.Repeat("  - "+alias+"\n", 9))
			continue
		}
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(alias+", ", 9), ", "))
	}
	return b.String()
}

func TestAnchorBombs(t *testing.T) {
	chain := "a0: &a0 [x]\n"
	for i := 1; i < 1000; i++ {
		chain += fmt.Sprintf("a%d: &a%d [*a%d]\n", i, i, i-1)
	}
	merges := "a0: &a0 {k: v}\n"
	for i := 1; i < 1000; i++ {
		merges += fmt.Sprintf("a%d: &a%d {<<: [*a%d, *a%d], k%d: v}\n", i, i, i-1, i-1, i)
	}
	cases := []struct{ name, text, want string }{
		{"laughs", laughs(60, false), "more than 200000 values"},
		{"laughs in a block", laughs(60, true), "more than 200000 values"},
		{"a few laughs", laughs(4, false), ""},
		{"one list many times", "- &a [" + strings.Repeat("1,", 1000) + "]\n" + strings.Repeat("- *a\n", 1000), "more than 200000 values"},
		{"a chain", chain, "makes lists and maps stand more than 64 deep"},
		{"merge keys", merges, "merge keys"},
		{"a cycle", "&a [" + strings.Repeat("*a, ", 10_000) + "]", "stands inside the value it names"},
		{"cycles inside one another", "&a [&b [&c [*a, *b, *c], *a], *b]", "stands inside"},
		{"unknown names beside many", manyAnchors(20_000), "no value above"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			used, err := measured(t, c.text, source.Limits{})
			if c.want == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, c.want)
			}
			assert.Less(t, used, uint64(128<<20))
		})
	}
}

func manyAnchors(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "- &name%d 1\n", i)
	}
	for i := range n {
		fmt.Fprintf(&b, "- *nome%d\n", i)
	}
	return b.String()
}

// endless never ends and counts what was read of it.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	e.read += len(p)
	return len(p), nil
}

func TestEndlessFile(t *testing.T) {
	t.Parallel()
	e := &endless{}
	_, err := source.Read("f.yaml", io.LimitReader(e, 100<<20), source.Limits{})
	require.EqualError(t, err, "f.yaml: error: the file is larger than 4194304 bytes")
	assert.LessOrEqual(t, e.read, 4<<20+1)
	_, err = source.Parse("f.yaml", make([]byte, 4<<20+1), source.Limits{})
	assert.EqualError(t, err, "f.yaml: error: the file is larger than 4194304 bytes")
}

// TestLinear makes a text four times as long and expects about four times the memory: nothing in the
// reader grows faster than the text.
func TestLinear(t *testing.T) {
	keys := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "key%d:\n  - {a: [1, 'x', \"\\u00e9\"]}\n  - b c\n    d\n", i)
		}
		return b.String()
	}
	small, err := measured(t, keys(5_000), source.Limits{})
	require.NoError(t, err)
	large, err := measured(t, keys(20_000), source.Limits{})
	require.NoError(t, err)
	assert.Less(t, float64(large), 6*float64(small))
}

func TestManyProblems(t *testing.T) {
	t.Parallel()
	_, err := source.Parse("f.yaml", []byte(strings.Repeat("- !x y\n", 250)), source.Limits{})
	ds := source.Of(err)
	require.Len(t, ds, 101)
	assert.Equal(t, "150 more errors are not shown", ds[100].Message)
	assert.Equal(t, source.Pos{Line: 251, Col: 1}, ds[100].Pos)
}

func TestLimits(t *testing.T) {
	t.Parallel()
	_, err := source.Parse("f.yaml", []byte("a: [b, c]"), source.Limits{Nodes: 4, Depth: 2})
	require.NoError(t, err)
	_, err = source.Parse("f.yaml", []byte("a: [b, c]"), source.Limits{Nodes: 3})
	require.ErrorContains(t, err, "more than 3 values")
	_, err = source.Parse("f.yaml", []byte("a: [b, c]"), source.Limits{Depth: 1})
	require.ErrorContains(t, err, "more than 1 deep")
	_, err = source.Parse("f.yaml", []byte(`{"a": {"b": 1}}`), source.Limits{Nodes: 3})
	require.NoError(t, err, "keys are no values")
	_, err = source.Parse("f.json", []byte(`["a, b, c, [{"]`), source.Limits{Nodes: 2})
	require.NoError(t, err, "in JSON only values are counted")
	_, err = source.Parse("f.yaml", []byte(`- "a, b, c, [{"`), source.Limits{Nodes: 2})
	require.ErrorContains(t, err, "f.yaml:1:8: error: the file may hold more than 2 values, counted by the signs that begin one")
	levels := strings.Repeat("- ", 64)
	_, err = source.Parse("f.yaml", []byte(levels+"a"), source.Limits{})
	require.NoError(t, err)
	_, err = source.Parse("f.yaml", []byte(levels+"- a"), source.Limits{})
	require.ErrorContains(t, err, "more than 64 deep")
	deep := strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001)
	_, err = source.Parse("f.yaml", []byte(deep), source.Limits{Depth: 1 << 40})
	require.ErrorContains(t, err, "more than 10000 deep")
}
