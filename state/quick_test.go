package state

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzQuick: what the quick way reads, the strict way reads too, and the same.
func FuzzQuick(f *testing.F) {
	for _, text := range []string{
		`0`, `-0`, `01`, `1.0`, `-1.5e+3`, `1e999`, `9223372036854775808`, `true`, `nul`, `null`, `""`, `"a\né\u0001"`, `"\ud800"`, "\"\x01\"", "\"\xff\"",
		`[]`, `[1,2]`, `[1,]`, `[1 ,2]`, `[null,true,"x",[{}],{"a":{"b":[]},"a":1}]`, `{"a":1,"b":1}`, `{"a":1,"a":1}`, `{"a":"x"}`, `{}`, `[[[[[[]]]]]]`, `1 2`, `[1]]`,
		`[{"type":"ai","id":"1","content":"x","tool_calls":[{"id":"c","name":"f","args":{"a":1,"b":[]},"type":"tool_call"}],"time":"2020-01-01T00:00:00Z"}]`,
		`[{"type":"human","content":""}]`, `[{"type":"user","content":"x","content":"y"}]`, `[{"type":"tool","status":"e","tool_call_id":"i","name":"n","content":"x"},{"content":"x"}]`,
		`[{"type":"ai","content":"x","tool_calls":[]}]`, `[{"type":"ai","content":"x","tool_calls":[{"name":"f","args":{"a":1,"a":2},"type":"tool_call"}]}]`, `[{"type":"ai","content":"x","time":"now"}]`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		sameValue[int](t, data)
		sameValue[int64](t, data)
		sameValue[float64](t, data)
		sameValue[bool](t, data)
		sameValue[string](t, data)
		sameValue[any](t, data)
		sameValue[Message](t, data)
		sameList[int](t, data)
		sameList[any](t, data)
		sameList[string](t, data)
		sameList[Message](t, data)
		sameObject[string](t, data)
		sameObject[any](t, data)
		sameObject[float64](t, data)
	})
}

func sameValue[V any](t *testing.T, data []byte) {
	t.Helper()
	var fast, slow V
	if !quick(data, &fast) {
		return
	}
	_, err := scan(data, maxDepth)
	require.NoError(t, err, "%q", data)
	require.NoError(t, unmarshal(data, &slow), "%q", data)
	require.Equal(t, slow, fast, "%q", data)
}

func sameList[E any](t *testing.T, data []byte) {
	t.Helper()
	fast, ok := quickList[E](data)
	if !ok {
		return
	}
	var slow []E
	_, err := parsePart[E](data, &slow)
	require.NoError(t, err, "%q", data)
	require.Equal(t, slow, fast, "%q", data)
}

func sameObject[V any](t *testing.T, data []byte) {
	t.Helper()
	fast, ok := quickObject[string, V](data)
	if !ok {
		return
	}
	var slow map[string]V
	_, err := parsePart[V](data, &slow)
	require.NoError(t, err, "%q", data)
	require.Equal(t, slow, fast, "%q", data)
}

// FuzzRows: rows are read without a panic, and what is read of valid JSON is
// what encoding/json reads of it.
func FuzzRows(f *testing.F) {
	for _, text := range []string{
		`[]`, `[["a","set",1]]`, ` [ [ "a" , "set" , {"x":[1,"]"]} ] , ["b\"","put",null] ] `, `[["a","set",1],]`, `[["a","set"]]`, `[["a","set",]]`,
		`[["a","set",1]`, `[["a","set","]]`, `[["a","set",1 2]]`, `[["a","set",[}]]`, `[["a","set",1,2]]`, `["a"]`, `[["a","set",1]]x`, `[["a\`, `[["a","b",]`, ``, `{}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := rowReader{data: data}
		var got []string
		err := r.each(func(n int, one *row) bool {
			require.Equal(t, len(got)/3, n)
			got = append(got, string(one.name), string(one.verb), string(one.value))
			return true
		})
		var rows [][]json.RawMessage
		if err != nil || json.Unmarshal(data, &rows) != nil {
			return
		}
		require.Len(t, got, 3*len(rows))
		for i, want := range rows {
			var name, verb string
			require.NoError(t, json.Unmarshal(want[0], &name))
			require.NoError(t, json.Unmarshal(want[1], &verb))
			if bytes.ContainsRune(data, '\ufffd') || !json.Valid(data) {
				continue
			}
			require.Equal(t, []string{string(bytes.ToValidUTF8([]byte(name), nil)), verb, string(want[2])}, got[3*i:3*i+3])
		}
	})
}
