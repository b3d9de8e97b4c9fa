package topo_test

import (
	"fmt"

	"github.com/graphrun/graphrun/internal/topo"
)

// nodes makes plain nodes.
func nodes(names ...string) []topo.Node {
	var all []topo.Node
	for _, n := range names {
		all = append(all, topo.Node{Name: n})
	}
	return all
}

// static makes an edge that is always followed.
func static(from, to string) topo.Edge { return topo.Edge{From: from, To: to} }

// when makes a conditional edge.
func when(from, to, label string) topo.Edge {
	return topo.Edge{From: from, To: to, Kind: topo.Conditional, Label: label}
}

// join makes a part of a waiting edge.
func join(id int, from, to string) topo.Edge {
	return topo.Edge{From: from, To: to, Kind: topo.Joined, Join: id}
}

// path makes static edges along the names.
func path(names ...string) []topo.Edge {
	var all []topo.Edge
	for i := 1; i < len(names); i++ {
		all = append(all, static(names[i-1], names[i]))
	}
	return all
}

// edges puts edges together.
func edges(lists ...[]topo.Edge) []topo.Edge {
	var all []topo.Edge
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// sample is a graph that is drawn in every format.
type sample struct {
	name  string
	graph *topo.Graph
	open  int
}

func team() *topo.Graph {
	return &topo.Graph{
		Name:  "team",
		Nodes: nodes("plan", "fix", "check"),
		Edges: edges(path(topo.Start, "plan", "fix", "check"), []topo.Edge{
			when("check", "fix", "fails"), when("check", topo.End, "passes"),
		}),
	}
}

func support() *topo.Graph {
	return &topo.Graph{
		Name: "support",
		Nodes: []topo.Node{
			{Name: "triage"}, {Name: "worker"}, {Name: "review"},
			{Name: "publish", Note: "interrupt before"}, {Name: "report", Deferred: true},
		},
		Edges: []topo.Edge{
			static(topo.Start, "triage"),
			{From: "triage", To: "worker", Kind: topo.Sent, Many: true},
			static("triage", "report"),
			static("worker", "review"),
			{From: "review", To: "publish", Kind: topo.Declared, Label: `answer == "yes"`},
			{From: "review", To: topo.End, Kind: topo.Declared},
			when("publish", "triage", "more"),
			when("publish", topo.End, ""),
		},
	}
}

func odd() *topo.Graph {
	return &topo.Graph{
		Name: "odd \"names\" --- %%{init}%%",
		Nodes: nodes("end", "1. first", "a\"b]", "two\nlines", "日本語 node", "<b>&amp;</b>", "style x:#35;", "back\\slash\\", "`code` _it_ *b*",
			"tab\there", "bad\xffbyte", "cafe\u0301 21°", "in direction TD", " edge "),
		Edges: edges(
			path(topo.Start, "end", "1. first", "a\"b]", "two\nlines", "日本語 node", "<b>&amp;</b>", "style x:#35;", "back\\slash\\", "`code` _it_ *b*", "tab\there", "bad\xffbyte", "cafe\u0301 21°", "in direction TD", " edge "),
			[]topo.Edge{when(" edge ", "end", "x > \"1\" | y\n\\N #quot;"), when(" edge ", topo.End, "-")},
		),
	}
}

func ladder(n int) *topo.Graph {
	g := &topo.Graph{Name: "ladder"}
	for i := range n {
		g.Nodes = append(g.Nodes, topo.Node{Name: fmt.Sprintf("step-%02d", i)})
	}
	for i := range n {
		for j := i + 1; j < n; j += 3 {
			g.Edges = append(g.Edges, static(g.Nodes[i].Name, g.Nodes[j].Name))
		}
	}
	g.Edges = append(g.Edges, static(topo.Start, g.Nodes[0].Name))
	return g
}

func samples() []sample {
	withTeam := &topo.Graph{
		Name:  "outer",
		Nodes: []topo.Node{{Name: "ask"}, {Name: "team", Inner: team(), Note: "interrupt after"}, {Name: "tell"}},
		Edges: path(topo.Start, "ask", "team", "tell", topo.End),
	}
	return []sample{
		{"empty", &topo.Graph{}, 0},
		{"chain", &topo.Graph{Name: "chain", Nodes: nodes("read", "think", "write"), Edges: path(topo.Start, "read", "think", "write", topo.End)}, 0},
		{"branch", &topo.Graph{Name: "branch", Nodes: nodes("score", "draft", "publish", "audit"), Edges: edges(path(topo.Start, "score"), []topo.Edge{
			when("score", "draft", "n < 3"),
			{From: "score", To: "publish", Kind: topo.Conditional, Choice: 1},
			{From: "score", To: "audit", Kind: topo.Conditional, Choice: 1},
			static("publish", topo.End), static("audit", topo.End), static("draft", topo.End),
		})}, 0},
		{"fanout", &topo.Graph{Name: "fanout", Nodes: nodes("split", "a", "b", "c", "gather"), Edges: edges(path(topo.Start, "split"), []topo.Edge{
			static("split", "a"), static("split", "b"), static("split", "c"),
			join(0, "a", "gather"), join(0, "b", "gather"), join(0, "c", "gather"), static("gather", topo.End),
		})}, 0},
		{"loop", &topo.Graph{Name: "loop", Nodes: nodes("draft", "critique", "polish"), Edges: edges(path(topo.Start, "draft", "critique", "polish", topo.End)[:2], []topo.Edge{
			when("critique", "draft", "n < 3"), when("critique", "critique", "unsure"), when("critique", "polish", "good"), when("critique", "polish", "tired"), static("polish", topo.End),
		})}, 0},
		{"support", support(), 0},
		{"closed", withTeam, 0},
		{"opened", withTeam, -1},
		{"uneven", &topo.Graph{Name: "uneven", Nodes: nodes("a", "b", "c", "d", "e"), Edges: edges(
			path(topo.Start, "a", "b", "c", "e", topo.End), path("a", "d", "e"), path("a", "e"), path("b", topo.End))}, 0},
		{"crossing", &topo.Graph{Name: "crossing", Nodes: nodes("a", "b", "x", "y", "z"), Edges: edges(
			path(topo.Start, "a", "x"), path(topo.Start, "b", "x"), path("a", "y"), path("b", "y"), path("a", "z"), path("b", "z"))}, 0},
		{"bypass", &topo.Graph{Name: "bypass", Nodes: nodes("intake", "check", "fix", "archive"), Edges: edges(path(topo.Start, "intake"), []topo.Edge{
			when("intake", "check", "new"), when("intake", "archive", "seen before"), when("intake", topo.End, "a very long condition that has no room beside its line"),
			static("check", "fix"), static("fix", "archive"), static("archive", topo.End),
			{From: "check", To: topo.End, Kind: topo.Declared, Label: "fine"},
		})}, 0},
		{"joins", &topo.Graph{Name: "joins", Nodes: nodes("a", "b", "c", "d", "e"), Edges: edges(path(topo.Start, "a"), path(topo.Start, "b"), path("a", "c"), []topo.Edge{
			join(0, "c", "d"), join(0, "b", "d"), join(1, "a", "e"), join(1, "b", "e"), static("d", topo.End), static("e", topo.End),
		})}, 0},
		{"islands", &topo.Graph{Name: "islands", Nodes: nodes("a", "b", "lone"), Edges: path(topo.Start, "a", "b", "a")}, 0},
		{"wide", func() *topo.Graph {
			g := &topo.Graph{Name: "wide", Nodes: []topo.Node{{Name: "sum up", Deferred: true, Note: "last"}}}
			for i := range 14 {
				g.Nodes = append(g.Nodes, topo.Node{Name: fmt.Sprintf("worker %d", i)})
				g.Edges = append(g.Edges, static(topo.Start, g.Nodes[i+1].Name), join(0, g.Nodes[i+1].Name, "sum up"))
			}
			g.Nodes[4].Inner = team()
			g.Edges = append(g.Edges, topo.Edge{From: "worker 3", To: "worker 4", Kind: topo.Sent, Many: true, Label: "leftovers"})
			return g
		}(), -1},
		{"notes", &topo.Graph{Name: "notes", Nodes: nodes("ask", "answer"), Edges: edges(path(topo.Start, "ask"), []topo.Edge{
			when("ask", "answer", `question != "" && len(sources) > 3`), when("ask", topo.End, "else"),
			when("answer", "ask", "the reader has another question about it"), when("answer", topo.End, ""),
		})}, 0},
		{"odd", odd(), 0},
		{"ladder", ladder(12), 0},
	}
}
