package graphfile_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/graphrun/graphrun/graphfile"
)

// TestTypesOfSentNames tells the type of a sent name by what a text field
// says of it.
func TestTypesOfSentNames(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, nodes, edges, want string }{
		{"one send", `a: {send: {to: w, input: {k: 1}}}`, "START -> a", "this is int"},
		{"two sends of one type", `a: {send: [{to: w, input: {k: 1}}, {to: w, input: {k: 2}}]}`, "START -> a", "this is int"},
		{"two sends of two types", `a: {send: [{to: w, input: {k: 1}}, {to: w, input: {k: x}}]}`, "START -> a", ""},
		{"a send of null", `a: {send: [{to: w, input: {k: 1}}, {to: w, input: {k: null}}]}`, "START -> a", "this is int or null"},
		{"a send without it", `a: {send: [{to: w, input: {k: 1}}, {to: w}]}`, "START -> a", "this is int or null"},
		{"an edge beside the send", `a: {send: {to: w, input: {k: 1}}}`, "START -> a -> w", "this is int or null"},
		{"a goto beside the send", `a: {send: {to: w, input: {k: 1}}, goto: w}`, "START -> a", "this is int or null"},
		{"a case beside the send", `a: {send: {to: w, input: {k: 1}}}`, `START -> a", {from: a, cases: [{to: w}]}, "START -> a`, "this is int or null"},
		{"an element of a typed list", `a: {send: {to: w, each: "${ints}", input: {k: "${it}"}}}`, "START -> a", "this is int"},
		{"an element of any list", `a: {send: {to: w, each: "${list}", input: {k: "${it}"}}}`, "START -> a", ""},
		{"what was sent is sent on", `a: {send: {to: b, input: {k: 1}}}, b: {send: {to: c, input: {k: "${k + 1}"}}}, c: {send: {to: w, input: {k: "${k}"}}}`, "START -> a", "this is int"},
		{"a circle of sends", `a: {send: {to: b, input: {k: 1}}}, b: {send: [{to: b, input: {k: "${k + 1}"}}, {to: w, input: {k: "${k}"}}]}`, "START -> a", ""},
		{"an answer", `a: {interrupt: {value: x, into: y}, send: {to: w, input: {k: "${y}"}}}`, "START -> a", ""},
		{"a send of a subgraph to its parent", `a: {graph: {state: {own: {type: int}}, nodes: {x: {send: {to: w, input: {k: "${own}"}}, parent: true}}, edges: [START -> x]}}`, "START -> a", "this is int or null"},
		{"a goto of a subgraph to its parent", `a: {send: {to: w, input: {k: 1}}}, b: {graph: {nodes: {x: {goto: w, parent: true}}, edges: [START -> x]}}`, "START -> a -> b", "this is int or null"},
		{"never sent to", `a: {send: {to: a, input: {k: 1}}}`, "START -> a -> w", `unknown name "k"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := `state: {text: {type: string}, ints: {reduce: append, type: int}, list: {reduce: append}}
nodes: {w: {update: {text: "${k}"}}, ` + tt.nodes + `}
edges: ["` + tt.edges + `"]`
			_, err := graphfile.Parse("x.yaml", []byte(text), nil)
			if tt.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, tt.want)
			assert.ErrorContains(t, err, "x.yaml:2:")
		})
	}
}

// TestUnsetFieldsHaveTypes shows that a field which may be null can still be
// compared with values of its type, and with no others.
func TestUnsetFieldsHaveTypes(t *testing.T) {
	t.Parallel()
	tests := []struct{ when, want string }{
		{"topic == 'x'", ""}, {"n > 3", ""}, {"topic == nil", ""}, {"len(log) > 0", ""}, {"flag", ""}, {"sum + 1 > 2", ""},
		{"top > 1", ""}, {"topic > 3", "does not take"}, {"log > 3", "does not take"}, {"n", "a condition is a bool"}, {"facts.a == 1", ""},
	}
	for _, tt := range tests {
		_, err := graphfile.Parse("x.yaml", []byte(`state: {topic: {type: string}, n: {type: int}, log: {reduce: append}, flag: {type: bool}, sum: {reduce: sum}, top: {reduce: max, type: int}, facts: {reduce: merge}}
nodes: {a: {cases: [{when: "`+tt.when+`"}]}}
edges: [START -> a]`), nil)
		if tt.want == "" {
			assert.NoError(t, err, tt.when)
		} else {
			assert.ErrorContains(t, err, tt.want, tt.when)
		}
	}
}
