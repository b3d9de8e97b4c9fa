package nodes

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// An answer that fits, given again as it was understood, is understood the same.
func FuzzQuestionAnswers(f *testing.F) {
	for _, seed := range []string{`"a"`, `null`, `["A","b c"]`, `{"n":1}`, `"{\"n\":1}"`, `3.0`, `[true,null]`, ``, `"é"`, `[[]]`} {
		f.Add([]byte(seed))
	}
	choices := []Choice{{Value: "a", Label: "The first"}, {Value: "b c"}, {Value: "B-C"}, {Value: "3.0"}}
	questions := []Question{
		{Text: "?"}, {Text: "?", Default: json.RawMessage(`"d"`)}, {Text: "?", Choices: choices}, {Text: "?", Choices: choices, Many: true},
		{Text: "?", Choices: choices, Many: true, Other: true}, {Text: "?", Form: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)},
		{Text: "?", Form: json.RawMessage(`{}`)},
	}
	for i := range questions {
		require.NoError(f, questions[i].check())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, q := range questions {
			a, problem := q.read(data)
			if problem != "" {
				continue
			}
			require.NotEmpty(t, a.Text)
			again, problem := q.read(a.Value)
			require.Empty(t, problem, "%s", a.Value)
			require.JSONEq(t, string(a.Value), string(again.Value))
			require.Equal(t, a.Choices, again.Choices)
		}
	})
}
