package cli

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
)

func TestValuesAreShownForPeople(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"nothing", `{}`, "{}\n"},
		{"order of the keys is kept", `{"z":1,"a":2}`, "z: 1\na: 2\n"},
		{"short list", `{"log":["a","b c"]}`, "log: [a, b c]\n"},
		{"empty ones", `{"l":[],"m":{},"s":"","n":null}`, "l: []\nm: {}\ns: \"\"\nn: null\n"},
		{"map", `{"facts":{"size":2,"by":"Ada"}}`, "facts:\n  size: 2\n  by: Ada\n"},
		{"list of maps", `{"m":[{"role":"user","text":"hi"},{"role":"bot"}]}`, "m:\n  - role: user\n    text: hi\n  - role: bot\n"},
		{"list of lists", `{"m":[[[1],[2]],[]]}`, "m:\n  - - [1]\n    - [2]\n  - []\n"},
		{"text of lines", `{"t":"one\n two\n\nthree"}`, "t: |-\n  one\n   two\n\n  three\n"},
		{"text with an end", `{"t":"one\ntwo\n"}`, "t: |\n  one\n  two\n"},
		{"words and numbers in quotes", `{"a":"yes","b":"12","c":"1e3","d":"3 items"}`, "a: \"yes\"\nb: \"12\"\nc: \"1e3\"\nd: 3 items\n"},
		{"signs in quotes", `{"a":"- x","b":"x: y","c":"x #y","d":"a, b"}`, "a: \"- x\"\nb: \"x: y\"\nc: \"x #y\"\nd: a, b\n"},
		{"commas in lists", `{"l":["a, b","[c]"]}`, "l: [\"a, b\", \"[c]\"]\n"},
		{"what cannot be seen", "{\"a\":\"\\u001b[2Jx\",\"b\":\"\\u202eabc\"}", "a: \"\\u001b[2Jx\"\nb: \"\\u202eabc\"\n"},
		{"numbers as they are", `{"a":9223372036854775807,"b":0.5,"c":true}`, "a: 9223372036854775807\nb: 0.5\nc: true\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := renderValues([]byte(c.in), false)
			require.NoError(t, err)
			require.Equal(t, c.want, string(got))
			readBack(t, c.in, got)
		})
	}
}

// readBack checks that a YAML reader finds the values of the JSON in the text.
func readBack(t *testing.T, in string, text []byte) {
	t.Helper()
	var want, got any
	require.NoError(t, json.Unmarshal([]byte(in), &want))
	require.NoError(t, yaml.Unmarshal(text, &got), "%s", text)
	data, err := json.Marshal(got)
	require.NoError(t, err)
	normal, err := json.Marshal(want)
	require.NoError(t, err)
	require.JSONEq(t, string(normal), string(data), "%s", text)
}

func FuzzTextsComeBack(f *testing.F) {
	for _, s := range []string{"", " ", "a\n", "\n", "a\n\n", "a\n b", "null", "1_000", "0x1f", "~", "a:", "é", "\u2028", "- ", "---", "2001-01-01", "=", "<<", "a\tb", "a\r\nb", "\ufeff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		in, err := json.Marshal(map[string]any{"k": s, "l": []string{s}, "m": map[string]any{"x": []any{[]any{s}, map[string]any{"y": s}}}})
		require.NoError(t, err)
		got, err := renderValues(in, false)
		require.NoError(t, err)
		readBack(t, string(in), got)
	})
}
