package graph_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares a text with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run the tests with -update to make it")
	require.Equal(t, string(want), got)
}

// someLine hides the line in places of this file.
var someLine = regexp.MustCompile(`compile_test\.go:\d+`)

func problems(t *testing.T, cfg *graph.Config, parts func(b *graph.Builder[Page])) []string {
	t.Helper()
	b := graph.New(pageSchema)
	parts(b)
	_, err := b.Compile(cfg)
	require.ErrorIs(t, err, graph.ErrInvalidGraph)
	var all *graph.CompileError
	require.ErrorAs(t, err, &all)
	var out []string
	for _, p := range all.Problems {
		require.False(t, p.Warning)
		out = append(out, someLine.ReplaceAllString(p.String(), "here"))
	}
	return out
}

func TestCompileProblems(t *testing.T) {
	ok := appends("")
	router := graph.Router[Page](func(context.Context, Page) (pageCmd, error) { return page.Goto(graph.End), nil })
	handler := func(context.Context, Page, *graph.Error) (pageCmd, error) { return pageCmd{}, nil }
	// with has a graph that is right, to which the parts are added.
	with := func(parts func(b *graph.Builder[Page])) func(b *graph.Builder[Page]) {
		return func(b *graph.Builder[Page]) {
			b.AddNode("writer", ok, nil)
			b.AddEdge(graph.Start, "writer")
			parts(b)
		}
	}
	cases := []struct {
		name  string
		parts func(b *graph.Builder[Page])
		want  string
	}{
		{"nothing at all", func(*graph.Builder[Page]) {}, `the graph has no nodes`},
		{"no beginning", func(b *graph.Builder[Page]) { b.AddNode("a", ok, nil); b.AddEdge("a", "a") },
			`the graph does not begin anywhere; add an edge from START`},
		{"a node without a name", with(func(b *graph.Builder[Page]) { b.AddNode(" ", ok, nil) }), `here: a node needs a name`},
		{"a reserved name", with(func(b *graph.Builder[Page]) { b.AddNode("END", ok, nil) }), `here: the name "END" is reserved`},
		{"a name twice", with(func(b *graph.Builder[Page]) { b.AddNode("writer", ok, nil) }),
			`here: there are two nodes called "writer" (the other at here)`},
		{"a node without a function", with(func(b *graph.Builder[Page]) { b.AddNode("a", nil, nil); b.AddEdge("writer", "a") }),
			`here: node "a" has no function`},
		{"a node that nothing leads to", with(func(b *graph.Builder[Page]) { b.AddNode("a", ok, nil) }),
			`here: nothing leads to node "a"; add an edge to it, or declare it as a target`},
		{"an edge to nowhere", with(func(b *graph.Builder[Page]) { b.AddEdge("writer", "editor") }), `here: edge: there is no node "editor"`},
		{"an edge to a node misspelt", with(func(b *graph.Builder[Page]) { b.AddEdge("writer", "writr") }),
			`here: edge: there is no node "writr"; did you mean "writer"?`},
		{"an edge from nowhere", with(func(b *graph.Builder[Page]) { b.AddEdge("editor", "writer") }), `here: edge: there is no node "editor"`},
		{"an edge from END", with(func(b *graph.Builder[Page]) { b.AddEdge(graph.End, "writer") }), `here: edge: nothing leads on from END`},
		{"an edge to START", with(func(b *graph.Builder[Page]) { b.AddEdge("writer", graph.Start) }), `here: edge: nothing leads to START`},
		{"a wait without sources", with(func(b *graph.Builder[Page]) { b.AddJoin(nil, "writer") }), `here: waiting edge to "writer": it has no sources`},
		{"a wait for START", with(func(b *graph.Builder[Page]) { b.AddJoin([]string{graph.Start}, "writer") }),
			`here: waiting edge to "writer": it cannot wait for START`},
		{"a wait that names a node twice", with(func(b *graph.Builder[Page]) { b.AddJoin([]string{"writer", "writer"}, "writer") }),
			`here: waiting edge to "writer": it names "writer" twice`},
		{"a wait for nobody", with(func(b *graph.Builder[Page]) { b.AddJoin([]string{"editor"}, "writer") }), `here: waiting edge: there is no node "editor"`},
		{"a router that is nil", with(func(b *graph.Builder[Page]) { b.AddConditional("writer", nil, graph.End) }),
			`here: conditional edge from "writer": it has no router`},
		{"a router without targets", with(func(b *graph.Builder[Page]) { b.AddConditional("writer", router) }),
			`here: conditional edge from "writer": it has no targets; name all nodes that its router may choose`},
		{"a router to nowhere", with(func(b *graph.Builder[Page]) { b.AddConditional("writer", router, "editor") }),
			`here: conditional edge: there is no node "editor"`},
		{"a router that sends to END", with(func(b *graph.Builder[Page]) { b.AddBranch("writer", router, graph.Way{Send: []string{graph.End}}) }),
			`here: conditional edge: nothing can be sent to END`},
		{"a goto to nowhere", with(func(b *graph.Builder[Page]) {
			b.AddNode("a", ok, &graph.NodeConfig{Goto: []string{"editor"}})
			b.AddEdge("writer", "a")
		}), `here: node "a": there is no node "editor"`},
		{"a send to nowhere", with(func(b *graph.Builder[Page]) {
			b.AddNode("a", ok, &graph.NodeConfig{Send: []string{"editor"}})
			b.AddEdge("writer", "a")
		}), `here: node "a": there is no node "editor"`},
		{"a field that is none", with(func(b *graph.Builder[Page]) {
			b.AddNode("a", ok, &graph.NodeConfig{Writes: []string{"draft"}})
			b.AddEdge("writer", "a")
		}), `here: node "a": it declares that it writes "draft", which is no field (fields: x, v, w, sum, meta, mark, top, item)`},
		{"a handler of nobody", with(func(b *graph.Builder[Page]) { b.AddErrorHandler("editor", handler) }), `here: error handler: there is no node "editor"`},
		{"a handler that is nil", with(func(b *graph.Builder[Page]) { b.AddErrorHandler("writer", nil) }),
			`here: error handler of "writer": it has no function`},
		{"two handlers", with(func(b *graph.Builder[Page]) {
			for range 2 {
				b.AddErrorHandler("writer", handler)
			}
		}), `here: node "writer" has two error handlers (the other at here)`},
		{"a subgraph that is nil", with(func(b *graph.Builder[Page]) {
			graph.AddSubgraph[Page, Draft](b, "sub", nil, nil)
			b.AddEdge("writer", "sub")
		}), "here: node \"sub\" has no function\nhere: subgraph \"sub\": it is nil"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, strings.Join(problems(t, nil, c.parts), "\n"))
		})
	}
}

func TestCompileChecksInterruptLists(t *testing.T) {
	require.Equal(t, []string{`interrupt list: there is no node "b"`},
		problems(t, &graph.Config{InterruptBefore: []string{"a"}, InterruptAfter: []string{"b"}}, func(b *graph.Builder[Page]) { chain(b, "a") }))
}

func TestCompileWithoutASchema(t *testing.T) {
	b := graph.New[Page](nil)
	b.AddNode("a", appends("a"), nil)
	b.AddEdge(graph.Start, "a")
	_, err := b.Compile(nil)
	require.EqualError(t, err, "graph: the graph has no schema")
}

// All problems are told at once, in the order of their places, each with the
// line of the call.
func TestCompileTellsAllProblems(t *testing.T) {
	_, _, line, _ := runtime.Caller(0)
	b := graph.New(pageSchema)
	b.AddNode("a", appends("a"), nil)
	b.AddNode("a", appends("a"), nil)
	b.AddNode("", appends("a"), nil)
	b.AddNode("START", appends("a"), nil)
	b.AddEdge("START", "aa")
	b.AddEdge("b", "a")
	b.AddJoin([]string{"a", "a"}, "c")
	b.AddConditional("a", nil)
	b.AddErrorHandler("d", nil)
	_, err := b.Compile(nil)
	at := func(n int) string { return "compile_test.go:" + strconv.Itoa(line+n) + ": " }
	require.EqualError(t, err, "graph: "+strings.Join([]string{
		at(3) + `there are two nodes called "a" (the other at compile_test.go:` + strconv.Itoa(line+2) + `)`,
		at(4) + `a node needs a name`,
		at(5) + `the name "START" is reserved`,
		at(6) + `edge: there is no node "aa"; did you mean "a"?`,
		at(7) + `edge: there is no node "b"`,
		at(8) + `waiting edge to "c": it names "a" twice`,
		at(8) + `waiting edge: there is no node "c"`,
		at(9) + `conditional edge from "a": it has no router`,
		at(9) + `conditional edge from "a": it has no targets; name all nodes that its router may choose`,
		at(10) + `error handler: there is no node "d"`,
		at(10) + `error handler of "d": it has no function`,
	}, "\n"))
}

func TestCompileUsesThePlacesOfAFile(t *testing.T) {
	b := graph.New(pageSchema)
	b.At(graph.Place{File: "team.yaml", Line: 3, Col: 5}).AddNode("a", appends("a"), nil)
	b.At(graph.Place{File: "team.yaml", Line: 9}).AddEdge(graph.Start, "b")
	b.At(graph.Place{File: "team.yaml"}).AddEdge("c", "a")
	_, err := b.Compile(nil)
	require.EqualError(t, err, "graph: team.yaml: edge: there is no node \"c\"\nteam.yaml:9: edge: there is no node \"b\"")
}

func TestWarnings(t *testing.T) {
	cases := []struct {
		name  string
		parts func(b *graph.Builder[Page])
		want  []string
	}{
		{"named, but not reachable", func(b *graph.Builder[Page]) {
			nodes(b, "a", "b", "c")
			lead(b, "START>a", "b>c", "c>b")
		}, []string{`node "b" cannot be reached from START`, `node "c" cannot be reached from START`}},
		{"a wait that cannot fill", func(b *graph.Builder[Page]) {
			nodes(b, "a", "b", "c")
			lead(b, "START>a", "b>b")
			b.AddJoin([]string{"a", "b"}, "c")
		}, []string{`the wait for "c" can never fill: "b" cannot be reached`, `node "b" cannot be reached from START`, `node "c" cannot be reached from START`}}, // by place: the wait is declared in this file
		{"two writers that can meet", func(b *graph.Builder[Page]) {
			for _, n := range []string{"a", "b"} {
				b.AddNode(n, gives(pageCmd{}), &graph.NodeConfig{Writes: []string{"v", "x"}})
				b.AddEdge(graph.Start, n)
			}
		}, []string{`"a" and "b" may write "v" in one step, which takes one writer: a + b`}},
		{"several sends to one writer", func(b *graph.Builder[Page]) {
			b.AddNode("a", gives(pageCmd{}), &graph.NodeConfig{Send: []string{"b"}})
			b.AddNode("b", gives(pageCmd{}), &graph.NodeConfig{Writes: []string{"v"}})
			b.AddEdge(graph.Start, "a")
		}, []string{`two tasks of "b" may write "v" in one step, which takes one writer: a → b + b`}},
		{"writers one behind the other", func(b *graph.Builder[Page]) {
			for _, n := range []string{"a", "b"} {
				b.AddNode(n, gives(pageCmd{}), &graph.NodeConfig{Writes: []string{"v"}})
			}
			lead(b, "START>a", "a>b")
		}, nil},
		{"a choice of writers", func(b *graph.Builder[Page]) {
			for _, n := range []string{"a", "b"} {
				b.AddNode(n, gives(pageCmd{}), &graph.NodeConfig{Writes: []string{"v"}})
			}
			b.AddChoice(graph.Start, func(Page) string { return "a" }, "a", "b")
		}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, w := range pageGraph(t, nil, c.parts).Warnings() {
				require.True(t, w.Warning)
				require.NotEmpty(t, w.Place.File)
				got = append(got, w.Message)
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestLenientLeavesOutCostlyWarnings(t *testing.T) {
	g := pageGraph(t, &graph.Config{Lenient: true}, func(b *graph.Builder[Page]) {
		nodes(b, "a", "b")
		lead(b, "START>a", "b>b")
	})
	require.Empty(t, g.Warnings())
}

// support is a graph with every kind of edge and a subgraph.
func support(t testing.TB) *graph.Graph[Page] {
	sub := pageGraph(t, &graph.Config{Name: "answer"}, func(b *graph.Builder[Page]) { chain(b, "draft", "check") })
	return pageGraph(t, &graph.Config{Name: "support"}, func(b *graph.Builder[Page]) {
		b.AddNode("triage", gives(page.Goto("answer")), &graph.NodeConfig{Goto: []string{"answer"}, Send: []string{"search"}})
		b.AddEdge(graph.Start, "triage")
		graph.AddSubgraph[Page, Page](b, "answer", sub, nil)
		nodes(b, "search", "review", "log")
		b.AddChoice("answer", func(Page) string { return "review" }, "review", graph.End)
		b.AddJoin([]string{"search", "review"}, "log")
	})
}

func TestDraw(t *testing.T) {
	g := support(t)
	for name, c := range map[string]struct {
		format graph.Format
		cfg    *graph.DrawConfig
	}{
		"support.mmd":         {graph.Mermaid, nil},
		"support_open.mmd":    {graph.Mermaid, &graph.DrawConfig{Open: -1}},
		"support.txt":         {graph.ASCII, nil},
		"support_open.txt":    {graph.ASCII, &graph.DrawConfig{Open: 1, Width: -1}},
		"support.dot":         {graph.DOT, nil},
		"support.json.golden": {graph.JSON, nil},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := g.Draw(c.format, c.cfg)
			require.NoError(t, err)
			for _, part := range []string{"triage", "answer", "search", "review", "log"} {
				require.Contains(t, text, part)
			}
			require.Equal(t, strings.Contains(name, "open"), strings.Contains(text, "draft"))
			golden(t, name, text)
		})
	}
	_, err := g.Draw("poem", nil)
	require.ErrorContains(t, err, "poem")
}
