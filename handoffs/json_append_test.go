package handoffs

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTextsAreWrittenAsEncodingJSONDoes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "plain", "\"\\/\b\f\n\r\t\x00\x1f\x7f", "üé😀\u2028\u2029\ufffd", "<&>'", "a\xffb\xc3", "\xe2\x80"} {
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		require.NoError(t, enc.Encode(text))
		got, valid := appendJSONText(nil, text)
		if valid {
			require.Equal(t, want.String(), string(got)+"\n", text)
		} else {
			require.JSONEq(t, want.String(), string(got), text)
		}
	}
	_, valid := appendJSONText(nil, "a\xff")
	require.False(t, valid)
	_, valid = appendJSONText(nil, "\ufffd")
	require.True(t, valid)
}

func TestWriterLeavesOutWhatIsEmpty(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 600, time.FixedZone("", 3600))
	write := func(text string, n int64, flag bool, at time.Time, list []Reason, v any, m map[string]any) string {
		var w jsonWriter
		w.open("")
		w.text("text", text)
		w.whole("n", n)
		w.flag("flag", flag)
		w.time("at", at)
		writeTexts(&w, "list", list)
		w.value("v", v)
		w.values("m", m)
		w.open("o")
		w.must("must", "")
		w.close("o")
		w.close("")
		require.Empty(t, w.problems)
		return string(w.buf)
	}
	require.Equal(t, `{"o":{"must":""}}`, write("", 0, false, time.Time{}, nil, nil, nil))
	require.Equal(t, `{"text":"t","n":-1,"flag":true,"at":"2026-01-02T03:04:05.0000006+01:00","list":["a","b"],"v":[1,2.0],"m":{"a":1,"b":null},"o":{"must":""}}`,
		write("t", -1, true, at, []Reason{"a", "b"}, []any{1, 2.0}, map[string]any{"b": nil, "a": 1}))

	var w jsonWriter
	w.open("")
	w.time("at", time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC))
	require.Len(t, w.problems, 1)
	require.Contains(t, w.problems[0], "at: ")
}
