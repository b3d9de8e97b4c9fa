package graphfile_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/state"
)

func parse(t *testing.T, text string, opt *graphfile.Options) *graphfile.File {
	t.Helper()
	f, err := graphfile.Parse("test.yaml", []byte(text), opt)
	require.NoError(t, err)
	return f
}

// lines are the values and updates of a run, one a line.
func lines(t *testing.T, f *graphfile.File, input string) ([]string, error) {
	t.Helper()
	in, err := f.Input([]byte(input))
	require.NoError(t, err)
	var out []string
	for e, err := range f.Graph().Stream(t.Context(), in, nil) {
		if err != nil {
			return out, err
		}
		switch e := e.(type) {
		case *graph.TaskFinished:
			if !e.Leaves {
				data, err := e.Update.MarshalJSON()
				require.NoError(t, err)
				out = append(out, strings.Join(append(e.NS, e.Node), "/")+" "+string(data))
			}
		case *graph.StepCommitted:
			if len(e.NS) == 0 {
				data, err := e.State.(*state.Record).MarshalJSON()
				require.NoError(t, err)
				out = append(out, string(data))
			}
		}
	}
	return out, nil
}

// last is the state that a run ends with.
func last(t *testing.T, f *graphfile.File, input string) string {
	t.Helper()
	out, err := lines(t, f, input)
	require.NoError(t, err)
	return out[len(out)-1]
}

// feature is a file, an input, and the state that its run ends with.
type feature struct{ name, file, input, want string }

func (f *feature) check(t *testing.T) {
	t.Run(f.name, func(t *testing.T) {
		t.Parallel()
		assert.Equal(t, f.want, last(t, parse(t, f.file, nil), f.input))
	})
}

const oneEdge = "\nedges: [START -> a]"

func TestRunStateAndUpdates(t *testing.T) {
	t.Parallel()
	for _, f := range []feature{
		{"append takes one or many", `state: {l: {reduce: append}}
nodes: {a: {update: {l: x}}, b: {update: {l: [y, [z]]}}}
edges: [START -> a -> b]`, `{"l":["in"]}`, `{"l":["in","x","y",["z"]]}`},
		{"sum of ints and floats", `state: {n: {reduce: sum}, f: {reduce: sum, type: float}}
nodes: {a: {update: {n: 2, f: 1}}, b: {update: {n: -5, f: "${n}"}}}
edges: [START -> a -> b]`, `{"n":1}`, `{"n":-2,"f":4.0}`},
		{"merge, messages, max, min, union", `state: {m: {reduce: merge}, t: {reduce: messages}, x: {reduce: max}, y: {reduce: min}, u: {reduce: union}}
nodes: {a: {update: {m: {k: 1, j: 1}, t: [{id: a, v: 1}, {v: 2}], x: 3, y: 3, u: [1, 2]}}, b: {update: {m: {k: 2}, t: {id: a, v: 3}, x: 2, y: 2, u: [2, 3]}}}
edges: [START -> a -> b]`, ``, `{"m":{"j":1,"k":2},"t":[{"id":"a","v":3},{"v":2}],"x":3,"y":2,"u":[1,2,3]}`},
		{"defaults", `state: {a: {default: {k: "${1 + 1}"}}, b: {reduce: append, default: [1]}, c: {reduce: sum, default: 5}, d: {}}
nodes: {a: {update: {b: 2, c: 1}}}` + oneEdge, ``, `{"a":{"k":2},"b":[1,2],"c":6}`},
		{"null resets a last field", `state: {s: {type: string}}
nodes: {a: {update: {s: null}}}` + oneEdge, `{"s":"x"}`, `{}`},
		{"an unset field is null and can be compared", `state: {s: {type: string}, n: {type: int}, l: {reduce: append}}
nodes: {a: {cases: [{when: s == "x" || n > 3, update: {l: wrong}}, {when: s == nil && s != "x", update: {l: ["${s}"]}}]}}` + oneEdge, ``, `{"l":[null]}`},
		{"templates keep the type or make text", `state: {n: {reduce: sum, default: 3}, v: {}, w: {}}
nodes: {a: {update: {v: "${[n, 1.5]}", w: "n=${n} $${x}"}}}` + oneEdge, ``, `{"n":3,"v":[3,1.5],"w":"n=3 ${x}"}`},
		{"cases see no writes of their own node", `state: {n: {reduce: sum}, l: {reduce: append}}
nodes: {a: {update: {n: 5}, cases: [{when: n == 0, update: {l: "${n}"}}, {update: {l: later}}]}}` + oneEdge, ``, `{"n":5,"l":[0]}`},
		{"node and case make one update", `state: {s: {}, n: {reduce: sum}, l: {reduce: append}, m: {reduce: merge}}
nodes: {a: {update: {s: node, n: 1, l: node, m: {a: 1, b: 1}}, cases: [{when: true, update: {s: case, n: 2, l: case, m: {b: 2}}, cases: [{update: {s: inner}}]}]}}` + oneEdge, ``, `{"s":"inner","n":3,"l":["node","case"],"m":{"a":1,"b":2}}`},
		{"no case holds", `state: {l: {reduce: append}}
nodes: {a: {update: {l: a}, cases: [{when: false, update: {l: x}}]}, b: {update: {l: b}}}
edges: [START -> a, a -> b]`, ``, `{"l":["a","b"]}`},
	} {
		f.check(t)
	}
}

func TestRunNodesAndEdges(t *testing.T) {
	t.Parallel()
	for _, f := range []feature{
		{"goto comes in addition to edges", `state: {l: {reduce: append}}
nodes: {a: {goto: [c, END]}, b: {update: {l: b}}, c: {update: {l: c}}}
edges: [START -> a, a -> b]`, ``, `{"l":["b","c"]}`},
		{"goto and send beside cases that have none", `state: {l: {reduce: append}}
nodes: {a: {goto: b, send: {to: c}, cases: [{when: false}, {update: {l: a}}]}, b: {update: {l: b}}, c: {update: {l: c}}}
edges: [START -> a]`, ``, `{"l":["a","b","c"]}`},
		{"router sees its own node's writes", `state: {n: {reduce: sum}, l: {reduce: append}}
nodes: {a: {update: {n: 1}}, z: {update: {n: 10}}, b: {update: {l: b}}, c: {update: {l: c}}, d: {update: {l: d}}}
edges: [START -> a, START -> z, {from: a, cases: [{when: n > 5, to: b}, {when: n == 1, to: [c, d]}]}, {from: z, cases: [{when: n == 0, to: b}]}]`, ``, `{"n":11,"l":["c","d"]}`},
		{"router at the start", `state: {l: {reduce: append}}
nodes: {a: {update: {l: a}}, b: {update: {l: b}}}
edges: [{from: START, cases: [{when: len(l) == 2, to: b}, {to: a}]}]`, `{"l":[1,2]}`, `{"l":[1,2,"b"]}`},
		{"join waits for both", `state: {l: {reduce: append}}
nodes: {a: {update: {l: a}}, b: {update: {l: b}}, c: {update: {l: c}}, d: {update: {l: d}}}
edges: [START -> a, START -> b -> c, {from: [a, c], to: d}]`, ``, `{"l":["a","b","c","d"]}`},
		{"send lays its input over the state", `state: {l: {reduce: append}, n: {reduce: sum}, s: {type: string}}
nodes: {a: {update: {n: 1}, send: [{to: w, each: "${[1, 2]}", input: {k: "${it * 10}", s: "s${it}"}}, {to: w}]}, w: {update: {l: "${k}/${s}/${n}"}}}` + oneEdge, `{"s":"x"}`, `{"l":["10/s1/1","20/s2/1","null/x/1"],"n":1,"s":"x"}`},
		{"sent inputs go on by sends only", `state: {l: {reduce: append}}
nodes: {a: {send: {to: b, input: {k: 1}}}, b: {send: {to: c, input: {k: "${k + 1}"}}}, c: {update: {l: "${k}"}}}` + oneEdge, ``, `{"l":[2]}`},
		{"defer runs when nothing else is due", `state: {l: {reduce: append}}
nodes: {a: {update: {l: a}}, b: {update: {l: b}}, z: {update: {l: z}, defer: true}}
edges: [START -> a, START -> z, a -> b]`, ``, `{"l":["a","b","z"]}`},
		{"subgraph shares fields of one name", `state: {l: {reduce: append}, n: {reduce: sum}}
nodes: {a: {graph: {state: {l: {reduce: append}, own: {}}, nodes: {x: {update: {own: "${len(l)}"}}, y: {update: {l: "${own}"}}}, edges: [START -> x -> y]}}}` + oneEdge, `{"l":["in"],"n":7}`, `{"l":["in",1],"n":7}`},
		{"subgraph leaves for its parent", `state: {l: {reduce: append}, s: {}}
nodes: {a: {graph: {state: {l: {reduce: append}}, nodes: {x: {update: {l: dropped}}, y: {update: {l: lost}, cases: [{update: {s: out, l: kept}, goto: b, send: {to: w, input: {k: "${len(l)}"}}, parent: true}]}}, edges: [START -> x -> y]}}, b: {update: {l: "b${s}"}}, c: {update: {l: c}}, w: {update: {l: "w${k}"}}}
edges: [START -> a -> c]`, ``, `{"l":["kept","bout","c","w1"],"s":"out"}`},
		{"parent beside cases holds for them", `state: {l: {reduce: append}}
nodes: {a: {graph: {nodes: {x: {parent: true, update: {l: 1}, cases: [{update: {l: 2}}]}}, edges: [START -> x]}}}` + oneEdge, ``, `{"l":[1,2]}`},
		{"a send reaches a subgraph's own fields", `state: {l: {reduce: append}}
nodes: {a: {send: {to: team, each: "${['p', 'q']}", input: {item: "${it}"}}}, team: {graph: {state: {l: {reduce: append}, item: {type: string}}, nodes: {x: {update: {l: "did ${item}"}}}, edges: [START -> x]}}}` + oneEdge, ``, `{"l":["did p","did q"]}`},
		{"names that are no words", `state: {my-field: {reduce: sum}, in: {}}
nodes: {a b: {update: {my-field: '${$env["my-field"] + 1}', in: '${$env["in"] ?? 2}'}}}
edges: [START -> a b]`, `{"my-field":2}`, `{"my-field":5,"in":2}`},
		{"fail stops after its attempts", `state: {l: {reduce: append}}
nodes: {a: {fail: {error: down, attempts: 2}, update: {l: up}, retry: {initial_interval: 0}}}` + oneEdge, ``, `{"l":["up"]}`},
	} {
		f.check(t)
	}
}

func TestRunErrors(t *testing.T) {
	t.Parallel()
	const one = oneEdge
	tests := []struct {
		name, file, want string
		kind             graph.Kind
	}{
		{"fail", `nodes: {a: {fail: {error: "a is down: ${1 + 1}"}}}` + one, `step 1: node "a": a is down: 2`, graph.KindNode},
		{"fail with retries", `nodes: {a: {fail: {error: down}, retry: {max_attempts: 2, initial_interval: 0}}}` + one, `after 2 attempts: down`, graph.KindNode},
		{"an expression fails", "state: {l: {reduce: append}}\nnodes:\n  a: {update: {l: ok}, cases: [{when: 'l[3] == 1', update: {l: x}}]}" + one,
			`node "a": test.yaml:3:39: when: `, graph.KindNode},
		{"a value does not fit", "state: {n: {type: int}, x: {}}\nnodes:\n  a: {update: {n: \"${x}\"}}" + one,
			`node "a": test.yaml:3:19: update of "n": want int, got string "text"`, graph.KindNode},
		{"an input does not fit", "state: {n: {type: int}, x: {}}\nnodes:\n  a: {send: {to: b, input: {n: \"${x}\"}}}\n  b: {}" + one,
			`node "a": test.yaml:3:32: input "n" of the send to "b": want int, got string "text"`, graph.KindNode},
		{"an input does not fit a subgraph", "state: {x: {}}\nnodes:\n  a: {send: {to: b, input: {k: \"${x}\"}}}\n  b: {graph: {state: {k: {type: int}}, nodes: {i: {}}, edges: [START -> i]}}" + one,
			`node "a": test.yaml:3:32: input "k" of the send to "b": want int, got string "text"`, graph.KindNode},
		{"each needs a list", "state: {x: {}}\nnodes:\n  a: {send: {to: b, each: \"${x}\"}}\n  b: {}" + one,
			`node "a": test.yaml:3:27: each: a list is needed, this is a string`, graph.KindNode},
		{"a router fails", "state: {x: {}}\nnodes:\n  a: {}\nedges:\n  - START -> a\n  - {from: a, cases: [{when: x + 1 > 2, to: a}]}",
			`node "a": router: test.yaml:6:30: when: `, graph.KindNode},
		{"a bound of expressions", "state: {l: {reduce: append}, x: {}}\nnodes:\n  a: {update: {l: \"${count(1..(20000 + len(l)), # > 1)}\"}}" + one,
			`node "a": test.yaml:3:19: update of "l": `, graph.KindLimit},
		{"two writers", "state: {s: {}, x: {}}\nnodes: {a: {update: {s: 1}}, b: {update: {s: 2}}}\nedges: [START -> a, START -> b]", `"s"`, graph.KindInvalidUpdate},
		{"recursion limit", "state: {x: {}}\nnodes: {a: {goto: a}}\nedges: [START -> a]\nrecursion_limit: 3", `3`, graph.KindRecursionLimit},
		{"default recursion limit of a subgraph", "state: {x: {}}\nnodes: {s: {graph: {nodes: {a: {goto: a}}, edges: [START -> a]}}}\nedges: [START -> s]\nrecursion_limit: 100", `25`, graph.KindRecursionLimit},
		{"an interrupt needs a store", "state: {x: {}}\nnodes: {a: {interrupt: {value: 'publish ${x}?', into: answer}, update: {x: '${answer}'}}}" + one,
			`test.yaml:2:24: interrupt: a run can wait for an answer only in a store`, graph.KindStore},
		{"static interrupts need a store", "state: {x: {}}\nnodes: {a: {}}\ninterrupt_before: a" + one, `interrupt_before`, graph.KindStore},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := parse(t, tt.file, nil)
			in := ""
			if strings.Contains(tt.file, "x: {}") {
				in = `{"x":"text"}`
			}
			_, err := lines(t, f, in)
			var failed *graph.Error
			require.ErrorAs(t, err, &failed)
			assert.Equal(t, tt.kind, failed.Kind(), err)
			assert.ErrorContains(t, err, tt.want)
			assert.NotContains(t, err.Error(), "expression: ")
			assert.NotContains(t, err.Error(), "unfit value")
		})
	}
}

func TestErrorsCanBeTold(t *testing.T) {
	t.Parallel()
	f := parse(t, "nodes: {a: {fail: {error: down}, retry: {initial_interval: 0}}}\nedges: [START -> a]", nil)
	_, err := f.Graph().Invoke(t.Context(), nil, nil)
	var fail *graphfile.FailError
	require.ErrorAs(t, err, &fail)
	assert.Equal(t, graphfile.FailError{Text: "down", Attempt: 3}, *fail)

	f = parse(t, "state: {l: {reduce: append}}\nnodes: {a: {update: {l: '${l[9]}'}, retry: {}}}\nedges: [START -> a]", nil)
	_, err = f.Graph().Invoke(t.Context(), nil, nil)
	require.ErrorIs(t, err, graphfile.ErrExpression)
	var failed *graph.Error
	require.ErrorAs(t, err, &failed)
	assert.Equal(t, 1, failed.Attempt, "an expression that failed is not tried again")
}

func TestSleepRetryAndTimeout(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, node string
		took       time.Duration
		kind       graph.Kind
	}{
		{"sleep", "sleep: 3s", 3 * time.Second, ""},
		{"sleep of a case", "sleep: 1s, cases: [{when: false, sleep: 1h}, {sleep: 2s}]", 3 * time.Second, ""},
		{"timeout", "sleep: 1h, timeout: 2s", 2 * time.Second, graph.KindTimeout},
		{"default retries", "fail: {error: x}, retry: {jitter: false}", 1500 * time.Millisecond, graph.KindNode},
		{"own retries", "fail: {error: x}, retry: {max_attempts: 5, initial_interval: 1s, backoff: 3, max_interval: 4s, jitter: false}", 12 * time.Second, graph.KindNode},
		{"timeouts are retried", "sleep: 1h, timeout: 1s, retry: {max_attempts: 2, initial_interval: 1s, jitter: false}", 3 * time.Second, graph.KindTimeout},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := parse(t, "nodes: {a: {"+tt.node+"}}\nedges: [START -> a]", nil)
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				_, err := f.Graph().Invoke(t.Context(), nil, nil)
				assert.Equal(t, tt.took, time.Since(began))
				var failed *graph.Error
				if errors.As(err, &failed) {
					assert.Equal(t, tt.kind, failed.Kind())
				} else {
					assert.Equal(t, tt.kind, graph.Kind(""))
				}
			})
		})
	}
}

func TestSleepEndsWithItsContext(t *testing.T) {
	t.Parallel()
	f := parse(t, "nodes: {a: {sleep: 1h}}\nedges: [START -> a]", nil)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		_, err := f.Graph().Invoke(ctx, nil, nil)
		require.ErrorIs(t, err, graph.ErrCancelled)
		assert.Equal(t, time.Second, time.Since(began))
	})
}

// TestViewsStayWhole runs every feature with the check that no node changes
// what it is given of the state.
func TestViewsStayWhole(t *testing.T) {
	t.Parallel()
	f := parse(t, `state: {l: {reduce: append}, m: {reduce: merge}, s: {}}
nodes:
  a: {update: {l: "${l}", m: "${m}", s: "${l}"}, send: {to: b, each: "${l}", input: {k: "${m}"}}}
  b: {update: {l: "${k}", m: {b: "${s}"}}}
edges: [START -> a]`, nil)
	in, err := f.Input([]byte(`{"l":[1,{"x":[2]}],"m":{"k":[3]}}`))
	require.NoError(t, err)
	_, err = f.Graph().Invoke(t.Context(), in, &graph.RunConfig{CheckViews: true})
	require.NoError(t, err)
}

func TestUpdateOfASubgraphThatLeft(t *testing.T) {
	t.Parallel()
	f := parse(t, `state: {l: {reduce: append}}
nodes: {a: {graph: {nodes: {x: {update: {l: x}, parent: true}}, edges: [START -> x]}}}
edges: [START -> a]`, nil)
	out, err := lines(t, f, "")
	require.NoError(t, err)
	assert.Equal(t, []string{`{"l":[]}`, `a {"l":["x"]}`, `{"l":["x"]}`}, out)
}

// TestOneFileManyRuns runs one file in several goroutines at once, for the
// race detector.
func TestOneFileManyRuns(t *testing.T) {
	t.Parallel()
	f := parse(t, `state: {l: {reduce: append}, n: {reduce: sum}}
nodes:
  a: {update: {l: "${n}", n: 1}, send: {to: w, each: "${l}", input: {k: "${it}"}}, cases: [{when: n < 3, goto: a}]}
  w: {update: {l: "w${k}"}}
edges: [START -> a, {from: w, cases: [{when: n > 100, to: a}]}]`, nil)
	want := last(t, f, `{"l":[1]}`)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				assert.Equal(t, want, last(t, f, `{"l":[1]}`))
			}
		})
	}
	group.Wait()
}
