package topo_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/topo"
)

func TestDrawRefusesWhatItCannotDraw(t *testing.T) {
	t.Parallel()
	self := &topo.Graph{Nodes: nodes("again")}
	self.Nodes[0].Inner = self
	twins := &topo.Graph{Nodes: nodes("a", "b")}
	twins.Nodes[0].Inner, twins.Nodes[1].Inner = twins, twins
	deep := &topo.Graph{Nodes: []topo.Node{{Name: "sub", Inner: &topo.Graph{Edges: path("x", "y")}}}}
	for _, c := range []struct {
		name  string
		graph *topo.Graph
		want  []string
	}{
		{"nil", nil, []string{"it is nil"}},
		{"names", &topo.Graph{Nodes: nodes("a", "", "a", topo.Start, topo.End)}, []string{
			"node 1 has no name", `two nodes are named "a"`, `node 3 is named "START", which is reserved`, `node 4 is named "END"`,
		}},
		{"ends", &topo.Graph{Nodes: nodes("a"), Edges: []topo.Edge{static("a", "b"), static("c", "a"), static(topo.End, "a"), static("a", topo.Start)}}, []string{
			`edge "a" -> "b" leads to "b", which is not a node`, `edge "c" -> "a" begins at "c"`, `begins at "END"`, `leads to "START"`,
		}},
		{"kind", &topo.Graph{Nodes: nodes("a"), Edges: []topo.Edge{{From: "a", To: "a", Kind: 9}}}, []string{"unknown kind 9"}},
		{"joins", &topo.Graph{Nodes: nodes("a", "b", "c"), Edges: []topo.Edge{join(1, "a", "b"), join(1, "b", "c"), join(-1, "a", "c")}}, []string{
			`the waiting edge 1 leads to "b" and to "c"`, "negative join id -1",
		}},
		{"inner", deep, []string{`subgraph "sub": edge "x" -> "y" begins at "x"`, `leads to "y"`}},
		{"holds itself", self, []string{"nested more than 64 deep"}},
		{"multiplies", twins, []string{"nested more than 64 deep"}},
	} {
		for _, f := range formats() {
			t.Run(c.name+"/"+string(f), func(t *testing.T) {
				t.Parallel()
				got, err := topo.Draw(c.graph, topo.DrawOptions{Format: f, Open: -1})
				require.ErrorIs(t, err, topo.ErrShape)
				assert.Empty(t, got)
				for _, w := range c.want {
					assert.ErrorContains(t, err, w)
				}
			})
		}
	}
}

func TestDrawLooksOnlyAtOpenedLevels(t *testing.T) {
	t.Parallel()
	self := &topo.Graph{Name: "self", Nodes: nodes("again")}
	self.Nodes[0].Inner = self
	for _, f := range formats() {
		for open := range 3 {
			got, err := topo.Draw(self, topo.DrawOptions{Format: f, Open: open})
			require.NoError(t, err)
			assert.Equal(t, open+1, strings.Count(got, "again"), "%s opened %d levels:\n%s", f, open, got)
		}
	}
}

func TestDrawUnknownFormat(t *testing.T) {
	t.Parallel()
	_, err := topo.Draw(&topo.Graph{}, topo.DrawOptions{Format: "mermiad"})
	require.ErrorIs(t, err, topo.ErrFormat)
	assert.EqualError(t, err, `topo: unknown format "mermiad" (did you mean "mermaid"?): use mermaid, dot, ascii or json`)
	_, err = topo.Draw(&topo.Graph{}, topo.DrawOptions{})
	assert.EqualError(t, err, `topo: unknown format "": use mermaid, dot, ascii or json`)
}

func TestASCIIKeepsToItsWidth(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		for _, width := range []int{-1, 0, 20, 40, 60} {
			got, err := topo.Draw(s.graph, topo.DrawOptions{Format: topo.ASCII, Open: s.open, Width: width})
			require.NoError(t, err)
			limit := width
			if width == 0 {
				limit = 100
			}
			for line := range strings.Lines(got) {
				line = strings.TrimSuffix(line, "\n")
				assert.Equal(t, strings.TrimRight(line, " "), line)
				if strings.ContainsAny(line, "│┌└▼") && limit > 0 {
					assert.LessOrEqual(t, utf8.RuneCountInString(line), limit)
				}
			}
		}
	}
}

func TestASCIIMovesLongLabelsBelow(t *testing.T) {
	t.Parallel()
	g := &topo.Graph{Nodes: nodes("a", "b"), Edges: []topo.Edge{static(topo.Start, "a"), when("a", "b", "a condition of some length")}}
	for _, c := range []struct {
		width int
		want  string
	}{
		{0, "┆ a condition of some length\n"},
		{20, "┆ [1]\n"},
		{5, "-> b  [if chosen; a condition of some length]\n"},
	} {
		got, err := topo.Draw(g, topo.DrawOptions{Format: topo.ASCII, Width: c.width})
		require.NoError(t, err)
		assert.Contains(t, got, c.want)
		assert.Equal(t, c.width == 20, strings.Contains(got, "\n[1] a → b: a condition of some length\n"), got)
	}
}

// TestASCIILeavesNothingOut asks for every name and label, drawn or listed.
func TestASCIILeavesNothingOut(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		if s.name == "odd" {
			continue // its names are written with escapes
		}
		for _, width := range []int{-1, 0, 10} {
			got, err := topo.Draw(s.graph, topo.DrawOptions{Format: topo.ASCII, Width: width})
			require.NoError(t, err)
			for _, n := range s.graph.Nodes {
				assert.Contains(t, got, n.Name)
				assert.Contains(t, got, n.Note)
			}
			for _, e := range s.graph.Edges {
				assert.Contains(t, got, e.Label)
			}
		}
	}
}

func TestASCIIOfAnUncommonGraphIsQuick(t *testing.T) {
	t.Parallel()
	g := chain(50_000)
	for _, f := range formats() {
		got, err := topo.Draw(g, topo.DrawOptions{Format: f, Width: -1})
		require.NoError(t, err)
		assert.Contains(t, got, "n49999")
	}
}

func TestJSONIsReadable(t *testing.T) {
	t.Parallel()
	got, err := topo.Draw(&topo.Graph{
		Name:  "g",
		Nodes: []topo.Node{{Name: "a", Deferred: true, Note: "<n>"}, {Name: "b", Inner: team()}},
		Edges: []topo.Edge{join(0, "a", "b"), {From: "b", To: "a", Kind: topo.Sent, Many: true, Router: 1, Choice: 2, Label: "l"}},
	}, topo.DrawOptions{Format: topo.JSON})
	require.NoError(t, err)
	assert.JSONEq(t, `{"name":"g","nodes":[{"name":"a","deferred":true,"note":"<n>"},{"name":"b"}],
		"edges":[{"from":"a","to":"b","kind":"joined","join":0},
		{"from":"b","to":"a","kind":"sent","label":"l","router":1,"choice":2,"many":true}]}`, got)
	assert.True(t, json.Valid([]byte(got)))
	assert.Contains(t, got, "<n>")
}

// TestGraphvizReadsTheGoldens is skipped where Graphviz is not installed.
func TestGraphvizReadsTheGoldens(t *testing.T) {
	t.Parallel()
	dot, err := exec.LookPath("dot")
	if err != nil {
		t.Skip("dot is not installed")
	}
	files, err := filepath.Glob("testdata/*.dot")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		out, err := exec.Command(dot, "-Tplain", "-o", filepath.Join(t.TempDir(), "out"), f).CombinedOutput()
		require.NoError(t, err, "%s: %s", f, out)
		assert.Empty(t, string(out), f)
	}
}

func TestEdgeKindNames(t *testing.T) {
	t.Parallel()
	want := []string{"static", "conditional", "declared", "sent", "joined", "edge kind 5"}
	for k, name := range want {
		assert.Equal(t, name, topo.EdgeKind(k).String())
	}
}
