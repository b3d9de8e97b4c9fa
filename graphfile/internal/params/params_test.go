package params_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graphfile/internal/page"
	"github.com/graphrun/graphrun/graphfile/internal/params"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/internal/expression"
	"github.com/graphrun/graphrun/internal/schemacheck"
)

func read(t *testing.T, text string) *params.Shape {
	t.Helper()
	f, err := source.Parse("x.yaml", []byte(text), source.Limits{})
	require.NoError(t, err)
	failures := 0
	p := &page.Page{File: f, Rep: f.Report(), Failures: &failures}
	fields := p.Rep.Fields(f.Root, "a test")
	shape := params.Read(p, fields, "keys", "schema")
	fields.Done()
	require.NoError(t, p.Rep.Err())
	return shape
}

func TestShapes(t *testing.T) {
	t.Parallel()
	null := expression.Type{Kind: expression.String, Nullable: true}
	for _, c := range []struct {
		text, schema string
		kind         expression.Kind
		keys         map[string]expression.Type
		open         bool
	}{
		{"keys: {}", `{"type":"object","properties":{},"additionalProperties":false}`, expression.Map, map[string]expression.Type{}, false},
		{"keys:", `{"type":"object","properties":{},"additionalProperties":false}`, expression.Map, nil, false},
		{`keys: {b: string, a: {type: string, optional: true}, x: any, l: {type: list, items: {type: list, items: int}}, e: {type: float, enum: [1, 2.5], description: d}, m: map, f: bool}`,
			`{"type":"object","additionalProperties":false,"required":["b","x","l","e","m","f"],"properties":{"b":{"type":"string"},"a":{"type":"string"},"x":{},
			"l":{"type":"array","items":{"type":"array","items":{"type":"integer"}}},"e":{"type":"number","enum":[1,2.5],"description":"d"},"m":{"type":"object"},"f":{"type":"boolean"}}}`,
			expression.Map, map[string]expression.Type{"b": {Kind: expression.String}, "a": null, "x": {}, "l": {Kind: expression.List}, "e": {Kind: expression.Float}, "m": {Kind: expression.Map}, "f": {Kind: expression.Bool}}, false},
		{`schema: {type: object, properties: {a: {type: string}, b: {anyOf: [{type: string}]}}}`, `{"type":"object","properties":{"a":{"type":"string"},"b":{"anyOf":[{"type":"string"}]}}}`,
			expression.Map, map[string]expression.Type{"a": null, "b": {}}, true},
		{`schema: {type: array, additionalProperties: false}`, `{"type":"array","additionalProperties":false}`, expression.List, map[string]expression.Type{}, false},
		{`schema: {}`, `{}`, expression.Any, map[string]expression.Type{}, true},
	} {
		s := read(t, c.text)
		require.JSONEq(t, c.schema, string(s.Schema), c.text)
		require.Equal(t, c.kind, s.Kind(), c.text)
		require.Equal(t, c.keys, s.Keys.Keys, c.text)
		require.Equal(t, c.open, s.Keys.Open, c.text)
		_, err := schemacheck.Compile(s.Schema)
		require.NoError(t, err, c.text)
	}
	require.Nil(t, read(t, "{}"))
}
