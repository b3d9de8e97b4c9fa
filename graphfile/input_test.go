package graphfile_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const inputState = `state: {n: {reduce: sum, type: int}, topic: {type: string}, log: {reduce: append}, any: {}, facts: {reduce: merge}}
nodes: {a: {send: {to: b, input: {item: 1}}}, b: {}}
edges: [START -> a]`

func TestInput(t *testing.T) {
	t.Parallel()
	f := parse(t, inputState, nil)
	tests := []struct{ input, want string }{
		{"", `{"n":0,"log":[],"facts":{}}`},
		{" {} ", `{"n":0,"log":[],"facts":{}}`},
		{`{"n": 2, "topic": null, "log": "x", "any": [1, 2.0, 1e2], "facts": {"a": null}}`, `{"n":2,"log":["x"],"any":[1,2.0,100.0],"facts":{"a":null}}`},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, last(t, f, tt.input))
	}
}

func TestInputThatIsWrong(t *testing.T) {
	t.Parallel()
	f := parse(t, inputState, nil)
	tests := []struct{ input, want string }{
		{`{`, "graphfile: the input is no JSON"},
		{`{"n": 1} x`, "graphfile: the input is no JSON"},
		{`[1]`, "graphfile: the input must be a JSON object with fields of the state, it is a list"},
		{`null`, "it is null"},
		{`{"n": 1, "n": 2}`, "n"},
		{`{"n": 12345678901234567890}`, "12345678901234567890"},
		{`{"N": 1, "n": "x", "topic": 3, "item": 1, "facts": []}`, `graphfile: input: the state has no field "N"; did you mean "n"?
field "facts": want a map, got list []
the state has no field "item"; its fields are n, topic, log, any, facts
field "n": want int, got string "x"
field "topic": want string, got int 3`},
	}
	for _, tt := range tests {
		_, err := f.Input([]byte(tt.input))
		require.Error(t, err, tt.input)
		assert.ErrorContains(t, err, tt.want)
	}
}
