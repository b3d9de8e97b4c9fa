package source_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graphfile/internal/source"
)

func parse(t *testing.T, text string) *source.File {
	t.Helper()
	f, err := source.Parse("f.yaml", []byte(text), source.Limits{})
	require.NoError(t, err, "%q", text)
	return f
}

func TestValues(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	type l = []any
	cases := []struct {
		name, text string
		want       any
	}{
		{"block map", "a: 1\nb:\n  c: x\n  d: [1, 2]\n", m{"a": int64(1), "b": m{"c": "x", "d": l{int64(1), int64(2)}}}},
		{"list at the indent of its key", "a:\n- x\n- y\nb: z", m{"a": l{"x", "y"}, "b": "z"}},
		{"lists in a line", "- - a\n  - b\n- c: 1\n  d: 2\n", l{l{"a", "b"}, m{"c": int64(1), "d": int64(2)}}},
		{"values left out", "a:\nb:\n  -\n  - x\nc: {d, e: , f: 1}\n", m{"a": nil, "b": l{nil, "x"}, "c": m{"d": nil, "e": nil, "f": int64(1)}}},
		{"null", "[null, Null, NULL, ~, nULL, 'null']", l{nil, nil, nil, nil, "nULL", "null"}},
		{"bool", "[true, True, FALSE, tRUE, yes, no, on, off, y, n]", l{true, true, false, "tRUE", "yes", "no", "on", "off", "y", "n"}},
		{"int", "[0, -0, +7, 007, 0x1F, 0o17, 9223372036854775807, -9223372036854775808]", l{int64(0), int64(0), int64(7), int64(7), int64(31), int64(15), int64(9223372036854775807), int64(-9223372036854775808)}},
		{"float", "[1.0, 1., .5, -1e3, 1E+2, 2.5e-3, 1e400x, 0.0]", l{1.0, 1.0, 0.5, -1000.0, 100.0, 0.0025, "1e400x", 0.0}},
		{"text that looks like a number", "[1_000, 0b1, -0x1, 1.2.3, '1', +, -., 0x, 0x+1, 0o-7, 0o8, 1e, 12:30, 2020-01-01]", l{"1_000", "0b1", "-0x1", "1.2.3", "1", "+", "-.", "0x", "0x+1", "0o-7", "0o8", "1e", "12:30", "2020-01-01"}},
		{"keys as written", "1: a\ntrue: b\nnull: c\n~: d\n1.0: e\n'q': f\n\"<<\": g", m{"1": "a", "true": "b", "null": "c", "~": "d", "1.0": "e", "q": "f", "<<": "g"}},
		{"explicit keys", "? a\n: b\n? c\n? |\n  d\n: - e\n", m{"a": "b", "c": nil, "d\n": l{"e"}}},
		{"explicit keys in braces", "{? a : b, ? c, d: e}", m{"a": "b", "c": nil, "d": "e"}},
		{"pairs in a list", "[a: b, 'c':d, ? e : f, g]", l{m{"a": "b"}, m{"c": "d"}, m{"e": "f"}, "g"}},
		{"colons and hashes in text", "a: x:y\nb: a#b\nc: http://x/y?z=1#f\nd: ${n} # no\n", m{"a": "x:y", "b": "a#b", "c": "http://x/y?z=1#f", "d": "${n}"}},
		{"an arrow", "- START -> triage\n- {from: score, cases: [{when: n < 3, to: draft}]}", l{"START -> triage", m{"from": "score", "cases": l{m{"when": "n < 3", "to": "draft"}}}}},
		{"tab in a text", "k: a\tb\nl:\t2\n", m{"k": "a\tb", "l": int64(2)}},
		{"lines of a text", "a: one\n  two\n\n\n  three # no\nb: 1", m{"a": "one two\n\nthree", "b": int64(1)}},
		{"lines of a text in brackets", "[one\n two, {a\n  b: c\n d}]", l{"one two", m{"a b": "c d"}}},
		{"single quotes", "a: 'it''s'\nb: 'x \n\n  y'\n", m{"a": "it's", "b": "x\ny"}},
		{"double quotes", `"\0\a\b\t\n\v\f\r\e\"\/\\\N\_\L\P\x41\u00e9\U0001F600"`, "\x00\a\b\t\n\v\f\r\x1b\"/\\\u0085\u00a0\u2028\u2029Aé😀"},
		{"escapes of json", `["\b\t\n\f\r\"\/\\\u00e9\uD83D\uDE00\ufffd\\ud800"]`, l{"\b\t\n\f\r\"/\\é😀\ufffd\\ud800"}},
		{"what cannot be seen in json", "[\"a\u2028b\u2029c\u0085d\ufeffe\x7f\uffff\"]", l{"a\u2028b\u2029c\u0085d\ufeffe\x7f\uffff"}},
		{"lines in double quotes", "\"a \\\n   b\\ \n  c\n\n  d\"", "a b  c\nd"},
		{"literal", "a: |\n  x\n   y\n\n  z\n\nb: |-\n  x\n\nc: |+\n  x\n\n", m{"a": "x\n y\n\nz\n", "b": "x", "c": "x\n\n"}},
		{"folded", "a: >\n  x\n  y\n\n  z\n   more\n  w\nb: >-\n  x\n", m{"a": "x y\nz\n more\nw\n", "b": "x"}},
		{"indent of a literal", "a: |2\n    x\n   y\nb: |1-\n  x\n", m{"a": "  x\n y\n", "b": " x"}},
		{"literal at the end of the file", "a: |\n  x", m{"a": "x\n"}},
		{"literal at the top", "|\nx\ny\n", "x\ny\n"},
		{"empty literal", "a: |\nb: >+\n\nc: 1", m{"a": "", "b": "\n", "c": int64(1)}},
		{"comments", "# a\na: 1 # b\n  # c\n\n# d\nb: [1, # e\n 2] # f\n", m{"a": int64(1), "b": l{int64(1), int64(2)}}},
		{"anchors", "a: &x [1, &y {b: c}]\nd: *x\ne: *y\nf: &z\n  g: h\ni: *z\n&k j: *k", m{
			"a": l{int64(1), m{"b": "c"}}, "d": l{int64(1), m{"b": "c"}}, "e": m{"b": "c"},
			"f": m{"g": "h"}, "i": m{"g": "h"}, "j": "j"}},
		{"anchor of nothing", "a: &x\nb: *x\nc: [&y , *y]", m{"a": nil, "b": nil, "c": l{nil, nil}}},
		{"anchor set again", "[&a 1, *a, &a 2, *a]", l{int64(1), int64(1), int64(2), int64(2)}},
		{"document marks", "%YAML 1.2 # c\n---\na: 1\n...\n# end\n", m{"a": int64(1)}},
		{"document on its mark", "--- [a]", l{"a"}},
		{"a text of no indent before its end", "--- |\n%x\n...\n# y\n", "%x\n"},
		{"byte order mark", "\ufeffa: 1", m{"a": int64(1)}},
		{"carriage returns", "a: 1\r\nb: |\r\n  x\r\n  y\r\nc: 'p\r\n  q'\rd: 2", m{"a": int64(1), "b": "x\ny\n", "c": "p q", "d": int64(2)}},
		{"brackets not indented", "a: [\n1\n]\nb: {\n\tc: 1\n}", m{"a": l{int64(1)}, "b": m{"c": int64(1)}}},
		{"tabs before a root in brackets", "\t{\n\t\t\"a\": 1\n\t}\n\t", m{"a": int64(1)}},
		{"json", "{\"a\":{\"b\":[]},\n\t\"c\":\t[1,\t2],\"d\" :-1.5E+3,\"\":null}", m{"a": m{"b": l{}}, "c": l{int64(1), int64(2)}, "d": -1500.0, "": nil}},
		{"lonely text", "goto:END", "goto:END"},
		{"empty text", `""`, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, parse(t, c.text).Root.Any())
		})
	}
}

// places lists the kind and position of every key and value in file order.
func places(n *source.Node) []string {
	at := func(p source.Pos) string { return fmt.Sprintf("%d:%d", p.Line, p.Col) }
	out := []string{at(n.Pos)}
	if n.Kind < source.List {
		out[0] += " " + n.Text
	}
	for _, item := range n.Items {
		out = append(out, places(item)...)
	}
	for _, e := range n.Entries {
		out = append(out, at(e.KeyPos)+" "+e.Key+":")
		out = append(out, places(e.Value)...)
	}
	return out
}

func TestPositions(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, text, want string }{
		{"block", "a: 1\nbb:\n  - x\n  -  y: z\n     w: v\n", "1:1|1:1 a:|1:4 1|2:1 bb:|3:3|3:5 x|4:6|4:6 y:|4:9 z|5:6 w:|5:9 v"},
		{"flow", "a: [1, {b: c,\n  'd' : e}]", "1:1|1:1 a:|1:4|1:5 1|1:8|1:9 b:|1:12 c|2:3 d:|2:9 e"},
		{"runes", "é: [ü, 😀, x] # ß\n日本: 語\n", "1:1|1:1 é:|1:4|1:5 ü|1:8 😀|1:11 x|2:1 日本:|2:5 語"},
		{"carriage returns", "a: 1\r\nb:\r\n  - \"x\r\n    y\"\r\n  - z\r\n", "1:1|1:1 a:|1:4 1|2:1 b:|3:3|3:5 x y|5:5 z"},
		{"lone carriage returns", "a: 1\rb: 2", "1:1|1:1 a:|1:4 1|2:1 b:|2:4 2"},
		{"tabs count one", "a:\t1\nb: [\t2,\t3]", "1:1|1:1 a:|1:4 1|2:1 b:|2:4|2:6 2|2:9 3"},
		{"texts of many lines", "a: x\n  y\nb: |\n  x\n  y\nc: 'p\n\n  q'\nd: >-\n\n\n  z\ne: 1", "1:1|1:1 a:|1:4 x y|3:1 b:|3:4 x\ny\n|6:1 c:|6:4 p\nq|9:1 d:|9:4 \n\nz|13:1 e:|13:4 1"},
		{"escapes", `["\U0001F600", 'it''s', "\x41\\", b]`, "1:1|1:2 😀|1:16 it's|1:25 A\\|1:35 b"},
		{"escapes of json", `["\uD83D\uDE00", "é\\", 1]`, "1:1|1:2 😀|1:18 é\\|1:25 1"},
		{"json", "{\"a\":[1,\n2],\"b\":{}}", "1:1|1:2 a:|1:6|1:7 1|2:1 2|2:4 b:|2:8"},
		{"left out", "a:\nb:\n  -\n  - c\n", "1:1|1:1 a:|1:1 |2:1 b:|3:3|3:4 |4:5 c"},
		{"left out in brackets", "{a, b: , c: 1}", "1:1|1:2 a:|1:2 |1:5 b:|1:5 |1:10 c:|1:13 1"},
		{"explicit", "? a\n: b\n? c\n", "1:1|1:3 a:|2:3 b|3:3 c:|3:3 "},
		{"alias", "a: &x [1]\nb: *x\n", "1:1|1:1 a:|1:4|1:8 1|2:1 b:|2:4|1:8 1"},
		{"anchor of a block", "a: &x\n  b: c\n", "1:1|1:1 a:|1:4|2:3 b:|2:6 c"},
		{"pair", "[a: b]", "1:1|1:2|1:2 a:|1:5 b"},
		{"document mark", "---\n# c\na: b", "3:1|3:1 a:|3:4 b"},
		{"byte order mark", "\ufeffa: b", "1:1|1:1 a:|1:4 b"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, strings.Join(places(parse(t, c.text).Root), "|"))
		})
	}
}

func TestNode(t *testing.T) {
	t.Parallel()
	f := parse(t, "b: 1\na: [1.0, 1e+30, x, true, null, 'q']\n")
	assert.Equal(t, int64(1), f.Root.Get("b").Int)
	assert.Nil(t, f.Root.Get("c"))
	assert.Nil(t, f.Root.Get("b").Get("c"))
	assert.Nil(t, (*source.Node)(nil).Get("c"))
	assert.Nil(t, (*source.Node)(nil).Any())
	items := f.Root.Get("a").Items
	assert.False(t, items[2].Quoted)
	assert.True(t, items[5].Quoted)
	text, err := f.Root.MarshalJSON()
	require.NoError(t, err)
	assert.Equal(t, `{"b":1,"a":[1.0,1e+30,"x",true,null,"q"]}`, string(text))
	assert.Equal(t, "a: [1.0, 1e+30, x, true, null, 'q']", f.Line(2))
	assert.Empty(t, f.Line(0))
	assert.Empty(t, f.Line(3))
	assert.Empty(t, f.Line(4))
	assert.Equal(t, "an unknown kind", source.Kind(99).String())
}
