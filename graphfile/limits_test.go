package graphfile_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graphfile"
)

// many repeats a line, which may use a number.
func many(n int, line string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(line, "#", fmt.Sprint(i)) + "\n")
	}
	return b.String()
}

// TestFilesThatAttack parses files that are made to take long or much memory.
func TestFilesThatAttack(t *testing.T) {
	chain := fstest.MapFS{}
	for i := range 30 {
		text := fmt.Sprintf("nodes: {a: {graph: {file: f%d.yaml}}, b: {graph: {file: f%d.yaml}}}\nedges: [START -> a -> b]", i+1, i+1)
		chain[fmt.Sprintf("f%d.yaml", i)] = &fstest.MapFile{Data: []byte(text)}
	}
	chain["big.yaml"] = &fstest.MapFile{Data: []byte(strings.Repeat("# text\n", 400_000) + "nodes: {a: }\nedges: [START -> a]")}
	chain["wide.yaml"] = &fstest.MapFile{Data: []byte("state: {a: {default: &a [1,1,1,1,1,1,1,1,1,1]}, b: {default: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]}, c: {default: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]}, d: {default: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]}}\nnodes: {a: }\nedges: [START -> a]")}
	chain["circle.yaml"] = &fstest.MapFile{Data: []byte("nodes: {a: {graph: {file: sub/../circle2.yaml}}}\nedges: [START -> a]")}
	chain["circle2.yaml"] = &fstest.MapFile{Data: []byte("nodes: {a: {graph: {file: ./circle.yaml}}}\nedges: [START -> a]")}
	tests := []struct{ name, file, want string }{
		{"100 MB", strings.Repeat("# comment\n", 10<<20), "larger than 4194304 bytes"},
		{"nesting", "nodes: " + strings.Repeat("[", 100_000), "error"},
		{"nested maps", strings.Repeat("{a: ", 100_000), "error"},
		{"nested subgraphs", strings.Repeat("{nodes: {a: {graph: ", 30) + "{}" + strings.Repeat("}}}", 30), "64 deep"},
		{"anchors", "a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]", "200000 values"},
		{"fields", "state:\n" + many(30_000, "  f#: {}"), "at most 4096"},
		{"wrong names", "state:\n" + many(4000, "  field#: {}") + "nodes:\n" + many(10_000, "  n#: {goto: m#, update: {feeld#: '${fxeld# + feld}'}}") + "edges: [START -> n0]", "more errors are not shown"},
		{"one long line", `{"nodes": {` + strings.ReplaceAll(many(10_000, `"a#": {"update": {"x": "${y}"}},`), "\n", "") + `"z": {}}, "edges": [` + strings.ReplaceAll(many(10_000, `"a# -> b#",`), "\n", "") + `"START -> z"]}`, "more errors are not shown"},
		{"questions", "nodes:\n  a:\n    interrupt:\n" + many(30_000, "      - {value: '${a#}', into: a#}") + "edges: [START -> a]", "at most 100"},
		{"names of inputs", "nodes:\n  b: {}\n  a:\n    send:\n" + many(15_000, "      - {to: b, input: {k#: 1}}") + "edges: [START -> a]", "at most 4096"},
		{"files that double", "nodes: {a: {graph: {file: f0.yaml}}}\nedges: [START -> a]", "included inside one another"},
		{"files together", "nodes:\n" + many(2, "  n#: {graph: {file: big.yaml}}") + "edges: [START -> n0 -> n1]", "more than 4194304 bytes together"},
		{"values together", "nodes:\n" + many(200, "  n#: {graph: {file: wide.yaml}}") + "edges:\n" + many(200, "  - START -> n#"), "more than 200000 values together"},
		{"subgraphs", "nodes:\n  x: &x {graph: {nodes: {a: }, edges: [START -> a]}}\n" + many(2000, "  y#: *x") + "edges:\n  - START -> x\n" + many(2000, "  - START -> y#"), "more than 1000 subgraphs"},
		{"a circle of files", "nodes: {a: {graph: {file: circle.yaml}}}\nedges: [START -> a]", "circle.yaml → circle2.yaml → circle.yaml"},
		{"itself", "nodes: {a: {graph: {file: x/../attack.yaml}}}\nedges: [START -> a]", "attack.yaml → attack.yaml"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data := []byte(tt.file)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := graphfile.Parse("attack.yaml", data, &graphfile.Options{FS: chain})
			runtime.ReadMemStats(&after)
			require.Error(t, err)
			assert.ErrorContains(t, err, tt.want)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<30))
		})
	}
}

func TestLargeGraph(t *testing.T) {
	t.Parallel()
	text := "state: {log: {reduce: append}}\nnodes:\n" + many(10_000, "  n#: {update: {log: '${len(log)}'}}") + "edges:\n" + many(10_000, "  - START -> n#")
	f, err := graphfile.Parse("large.yaml", []byte(text), nil)
	require.NoError(t, err)
	assert.Empty(t, f.Warnings())

	// The same in one line, as programs write JSON.
	text = `{"state": {"log": {"reduce": "append"}}, "nodes": {` + strings.ReplaceAll(many(10_000, `"n#": {"update": {"log": "${len(log)}"}},`), "\n", "") +
		`"z": {}}, "edges": [` + strings.ReplaceAll(many(10_000, `"START -> n#",`), "\n", "") + `"START -> z"]}`
	_, err = graphfile.Parse("large.json", []byte(text), nil)
	require.NoError(t, err)
}
