package source_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graphfile/internal/source"
)

// brief is the place and message of every problem.
func brief(err error) string {
	var out []string
	for _, d := range source.Of(err) {
		out = append(out, fmt.Sprintf("%d:%d %s", d.Pos.Line, d.Pos.Col, d.Message))
	}
	return strings.Join(out, "\n")
}

func TestRefused(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, text, want string }{
		{"empty", "", "0:0 the file holds no value"},
		{"only blanks", " \n\t\n", "0:0 the file holds no value"},
		{"only comments", "# a\n  # b\n", "0:0 the file holds no value"},
		{"only marks", "---\n...\n", "0:0 the file holds no value"},
		{"only a directive", "%YAML 1.2\n", `2:1 a directive must be followed by a line "---"`},
		{"a directive and no mark", "%YAML 1.2\na: 1", `2:1 a directive must be followed by a line "---"`},
		{"two documents", "a: 1\n---\nb: 2", "2:1 a second document starts here, but a file may hold only one"},
		{"an empty second document", "a: 1\n---\n", "2:1 a second document starts here, but a file may hold only one"},
		{"a document behind an end", "a: 1\n...\nb: 2", "3:1 a second document starts here, but a file may hold only one"},
		{"a mark in brackets", "[a,\n---\nb]", "2:1 a second document starts here, but a file may hold only one"},
		{"a mark in quotes", "'a\n--- b'", "2:1 a second document starts here, but a file may hold only one"},
		{"text behind the end", "a: 1\n... b", `2:5 unexpected text behind "..."`},
		{"directive", "%TAG ! tag:x,2000:\n---\na: 1", "1:1 the only directive that is read is %YAML 1.2"},
		{"old yaml", "%YAML 2.0\n---\na: 1", "1:1 the only directive that is read is %YAML 1.2"},
		{"zero byte", "a: 1\nb: \x00", "2:4 the control character U+0000 cannot stand in a file"},
		{"control character", "é\x1b[31m", "1:2 the control character U+001B cannot stand in a file"},
		{"not utf-8", "a: 1\nbé: \xff\xfe", "2:5 the text is not UTF-8: byte 0xff"},
		{"utf-16", "\xff\xfea\x00", "1:1 the text is not UTF-8: byte 0xff"},
		{"surrogate in utf-8", "a: \xed\xa0\x80", "1:4 the text is not UTF-8: byte 0xed"},
		{"hidden mark", "a: x\ufeffy", "1:5 the character U+FEFF, which cannot be seen, stands in the file"},
		{"tab indents a key", "a:\n\tb: 1", "2:1 a tab indents this line"},
		{"tab indents the first key", "\ta: 1", "1:1 a tab indents this line"},
		{"tab before a nested list", "-\t- a", "1:2 a tab indents this line"},
		{"tab goes on with a text", "a: b\n\tc", "2:1 a tab indents this line"},
		{"tags", "a: !!binary x\nb: !mine {c: 1}\nd: ! e\n!!str f: !<tag:x> g", "1:4 tags are not read: \"!!binary\"\n2:4 tags are not read: \"!mine\"\n3:4 tags are not read: \"!\"\n4:1 tags are not read: \"!!str\"\n4:10 tags are not read: \"tag:x\""},
		{"key twice", "a: 1\nb: {c: 1, 'c': 2}\n\"a\": 3", "2:11 the key \"c\" is given twice, first at line 2, column 5\n3:1 the key \"a\" is given twice, first at line 1, column 1"},
		{"key thrice", "1: a\n'1': b\n1: c", "2:1 the key \"1\" is given twice, first at line 1, column 1\n3:1 the key \"1\" is given twice, first at line 1, column 1"},
		{"merge keys", "a: &a {b: 1}\nc:\n  <<: *a\nd: {<<: [*a, *a]}", "3:3 merge keys (<<) are not part of YAML 1.2\n4:5 merge keys (<<) are not part of YAML 1.2"},
		{"list as key", "? [a]\n: b", "1:3 a key must be text, but this is a list"},
		{"map as key", "{a: b}: c", "1:1 a key must be text, but this is a map"},
		{"list as key in brackets", "{[a]: b}", "1:2 a key must be text, but this is a list"},
		{"alias as key", "a: &x y\n*x : z", "2:1 a key must be written out, it cannot be an alias"},
		{"alias as first key", "- &x y\n- *x : z", "2:3 a key must be written out, it cannot be an alias"},
		{"alias as key in brackets", "[&x y, {*x : z}]", "1:9 a key must be written out, it cannot be an alias"},
		{"key of two lines", "'a\n b': c", "2:4 a key cannot stand here"},
		{"key of two lines in a list", "[a\n b: c]", "2:3 expected ',' or ']', found ':'"},
		{"missing key", ": a", "1:1 a key is missing here"},
		{"missing key in brackets", "{: a}", "1:2 a key is missing here"},
		{"cycle", "&a [*a]", "1:5 *a stands inside the value it names, which starts at line 1, column 1"},
		{"deep cycle", "a: &x\n  b: [1, {c: *x}]", "2:14 *x stands inside the value it names, which starts at line 1, column 4"},
		{"unknown alias", "a: *x\nb: &x 1", "1:4 no value above has the anchor &x"},
		{"anchor twice", "&a &b x", "1:4 \"&b\" stands behind a value that is complete"},
		{"anchor twice on two lines", "&a\n&b x", "2:1 \"&b\" does not belong to what stands above it"},
		{"anchor without name", "a: & x", "1:4 an anchor or alias needs a name of letters, digits, '-' and '_'"},
		{"alias without name", "a: * x", "1:4 an anchor or alias needs a name of letters, digits, '-' and '_'"},
		{"alias with anchor", "a: &a 1\nb: &b *a", "2:7 \"*a\" stands behind a value that is complete"},
		{"int too large", "a: 9223372036854775808\nb: -9223372036854775809", "1:4 the number \"9223372036854775808\" does not fit 64 bits: it must be from -9223372036854775808 to 9223372036854775807\n2:4 the number \"-9223372036854775809\" does not fit 64 bits: it must be from -9223372036854775808 to 9223372036854775807"},
		{"hexadecimal too large", "0x8000000000000000", "1:1 the number \"0x8000000000000000\" does not fit 64 bits: it must be from -9223372036854775808 to 9223372036854775807"},
		{"float too large", "[1e400, -1E400]", "1:2 the number \"1e400\" is too large for a 64-bit float\n1:9 the number \"-1E400\" is too large for a 64-bit float"},
		{"not finite", "[.inf, -.Inf, +.INF, .nan]", "1:2 the number \".inf\" is not finite\n1:8 the number \"-.Inf\" is not finite\n1:15 the number \"+.INF\" is not finite\n1:22 the number \".nan\" is not a number"},
		{"escape", `a: "\q"`, "1:5 unknown escape in a text in double quotes"},
		{"escape with a wrong digit", `a: "\xg1"`, "1:5 an escape needs 2 hexadecimal digits behind \\x, 4 behind \\u and 8 behind \\U"},
		{"escape with too few digits", `a: "\u12"`, "1:5 an escape needs 2 hexadecimal digits behind \\x, 4 behind \\u and 8 behind \\U"},
		{"escape beyond unicode", `["\U00110000"]`, "1:3 the escape names no character"},
		{"escape of the largest number", `["\UFFFFFFFF"]`, "1:3 the escape names no character"},
		{"open quote", "a: 'x\nb: 1", "1:4 the text that starts here has no closing quote"},
		{"open bracket", "a: [1,\n  {b: 2", "2:3 this bracket is not closed: '}' is missing"},
		{"open bracket at the end", "a: [", "1:5 a value is missing in front of the end of the line"},
		{"wrong bracket", "a: [1, 2}", "1:9 expected ',' or ']', found '}'"},
		{"extra bracket", "a: [1]]", "1:7 \"]\" stands behind a value that is complete"},
		{"text behind a root in brackets", "[a]\nb: 1", "2:1 \"b:\" does not belong to what stands above it"},
		{"text behind a map in brackets", "{a: 1} {b: 2}", "1:8 \"{b:\" stands behind a value that is complete"},
		{"missing comma", `{"a": 1 "b": 2}`, "1:12 expected ',' or '}', found ':'"},
		{"missing comma between quotes", `["a" "b"]`, `1:6 expected ',' or ']', found '"'`},
		{"double comma", "[1,,2]", "1:4 a value is missing in front of ','"},
		{"template in brackets", "a: [${n}]", "1:6 expected ',' or ']', found '{'"},
		{"text behind a value", "a: 'x' y", "1:8 \"y\" stands behind a value that is complete"},
		{"map in a line", "a: b: c", "1:5 a key cannot stand here"},
		{"list in a line", "a: - b", "1:4 a list cannot start here in the middle of a line"},
		{"map behind a text", "a: b\n  c: d", "2:4 a key cannot stand here"},
		{"indent between two", "a:\n    b: 1\n  c: 2", "3:3 \"c:\" does not belong to what stands above it"},
		{"indent too deep", "a: [1]\n  b: 2", "2:3 \"b:\" does not belong to what stands above it"},
		{"no colon", "a: 1\ngoto:END", "2:1 expected a key and ':'"},
		{"key in a list", "- a\nb: c", "2:1 an entry of the list above must start with '- '"},
		{"entry in a map", "a: b\n- c", "2:1 \"-\" does not belong to what stands above it"},
		{"reserved", "a: @x", "1:4 a text without quotes cannot start with '@'"},
		{"percent", "a: %x", "1:4 a text without quotes cannot start with '%'"},
		{"dash in brackets", "[-]", "1:2 a text without quotes cannot start with '-'"},
		{"literal header", "a: |x\n  y", "1:5 behind '|' or '>' only '+', '-', a digit for the indent and a comment may stand"},
		{"literal with a deep empty line", "a: |\n    \n  y", "3:3 \"y\" does not belong to what stands above it"},
		{"more than one", "a: !x 1\na: 2\nb: *c\nd: 1e400\ne: *f", "1:4 tags are not read: \"!x\"\n2:1 the key \"a\" is given twice, first at line 1, column 1\n3:4 no value above has the anchor &c\n4:4 the number \"1e400\" is too large for a 64-bit float\n5:4 no value above has the anchor &f"},
		{"syntax before all else", "a: !x 1\na: 2\nb: [1", "3:4 this bracket is not closed: ']' is missing"},
		{"bracket open before a key", "a: [1\nb: 2", "2:2 expected ',' or ']', found ':'"},
		{"colon in the name of an anchor", "k: &an:\u00e9 x", "1:4 the name of an anchor or the text behind it cannot have a ':' here"},
		{"name of an anchor", "k: &\u00e9 x", "1:4 an anchor or alias needs a name of letters, digits, '-' and '_'"},
		{"line separator", "a: x\u2028y", "1:5 the character U+2028, which cannot be seen, stands in the file"},
		{"next line in quotes", "a: 'x\u0085y'", "1:6 the character U+0085, which cannot be seen, stands in the file"},
		{"delete", "a: \x7f", "1:4 the character U+007F, which cannot be seen, stands in the file"},
		{"no character", "a: \uffff", "1:4 the character U+FFFF, which cannot be seen, stands in the file"},
		{"question mark in braces", "{\n?}", "2:1 unexpected '?'"},
		{"a text of no indent before a mark", "--- |\nx\n---\ny", "3:1 a second document starts here, but a file may hold only one"},
		{"keys of json", "{\"a\": 1, \"a\": 2,\n \"b\": {\"\u00e9\": \"\u00e9\", \"\\u00e9\": 1}}", "1:10 the key \"a\" is given twice, first at line 1, column 2\n2:18 the key \"\u00e9\" is given twice, first at line 2, column 8"},
		{"numbers of json", "{\"a\": [1E400, 9223372036854775808]}", "1:8 the number \"1E400\" is too large for a 64-bit float\n1:15 the number \"9223372036854775808\" does not fit 64 bits: it must be from -9223372036854775808 to 9223372036854775807"},
		{"escapes of json", `["\ud800", "x\udc00y", {"\ud800\u0041": 1}, "\\ud800", "\ud83d\ude00", "\ufffd"]`, "1:3 the escape names no character: \\ud800\n1:14 the escape names no character: \\udc00\n1:26 the escape names no character: \\ud800"},
		{"nearly json", `{"a": "\ud83d\ude00" "b": 1}`, "1:22 not JSON: invalid character '\"' after object key:value pair"},
		{"surrogate pair outside json", `a: "\ud83d\ude00"`, "1:5 the escape names no character"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := source.Parse("f.yaml", []byte(c.text), source.Limits{})
			require.Error(t, err)
			assert.Equal(t, c.want, brief(err))
		})
	}
}

func TestUnknownAlias(t *testing.T) {
	t.Parallel()
	_, err := source.Parse("f.yaml", []byte("a: &base 1\nb: *bsae\nc: *other"), source.Limits{})
	ds := source.Of(err)
	require.Len(t, ds, 2)
	assert.Equal(t, `did you mean "*base"?`, ds[0].Hint)
	assert.Equal(t, "text that starts with '*' needs quotes", ds[1].Hint)
}

func TestFileBesideErrors(t *testing.T) {
	t.Parallel()
	f, err := source.Parse("f.yaml", []byte("a: !x 1\na: 2\n"), source.Limits{})
	require.Error(t, err)
	require.NotNil(t, f, "the tree was read to its end")
	assert.Equal(t, map[string]any{"a": int64(1)}, f.Root.Any())
	f, err = source.Parse("f.yaml", []byte("a: [1\n"), source.Limits{})
	require.Error(t, err)
	assert.Nil(t, f)
}

func TestRead(t *testing.T) {
	t.Parallel()
	f, err := source.Read("f.yaml", strings.NewReader("a: 1"), source.Limits{Bytes: 4})
	require.NoError(t, err)
	assert.Equal(t, "f.yaml", f.Name)
	_, err = source.Read("f.yaml", strings.NewReader("a: 12"), source.Limits{Bytes: 4})
	assert.EqualError(t, err, "f.yaml: error: the file is larger than 4 bytes")
	broken := errors.New("broken pipe")
	_, err = source.Read("f.yaml", io.MultiReader(strings.NewReader("a"), failing{broken}), source.Limits{})
	require.ErrorIs(t, err, broken)
	assert.EqualError(t, err, `source: read "f.yaml": broken pipe`)
	assert.Nil(t, source.Of(err))
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
