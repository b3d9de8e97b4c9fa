package topo_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/graphrun/graphrun/internal/topo"
)

// fuzzed makes a graph in which every text is given. It has two nodes and a subgraph.
func fuzzed(name, label, note string) *topo.Graph {
	inner := &topo.Graph{Name: name, Nodes: []topo.Node{{Name: "in" + name, Note: note}}, Edges: []topo.Edge{
		{From: topo.Start, To: "in" + name, Label: label}, {From: "in" + name, To: topo.End, Kind: topo.Declared, Label: label},
	}}
	return &topo.Graph{
		Name:  name,
		Nodes: []topo.Node{{Name: "a" + name, Note: note}, {Name: name + "b", Inner: inner, Note: note, Deferred: true}},
		Edges: []topo.Edge{
			{From: topo.Start, To: "a" + name, Label: label},
			{From: "a" + name, To: name + "b", Kind: topo.Conditional, Label: label},
			{From: name + "b", To: "a" + name, Kind: topo.Sent, Label: label, Many: true},
			{From: "a" + name, To: topo.End, Kind: topo.Joined, Label: label},
			{From: name + "b", To: topo.End, Kind: topo.Joined, Label: label},
		},
	}
}

func addSeeds(f *testing.F) {
	for _, s := range []string{"", "end", `"`, "]", "a\nb", "\r\n", "%%{init: {}}%%", "%% c", "style x:#35;", "#quot;", "`md`", "1. x", "- x",
		"<script>", "&amp;", "\\", "\\N", "\x00\x1b[31m", "\xff", "日本語", "e\u0301", "👩‍💻", "---", "ﬂ°°34¶ß", "subgraph", "|", "direction TD", "class n1 x", "}", ";"} {
		f.Add(s, s, s)
	}
}

// FuzzMermaid checks that whatever the texts are, each line is one of the few that the
// format consists of and that subgraphs are closed.
func FuzzMermaid(f *testing.F) {
	addSeeds(f)
	text := "\"(?:[^\"`<>#;%°¶\n]|#[a-z0-9]+;|<br/>)*\""
	line := regexp.MustCompile(`^ *(?:` + strings.Join([]string{
		`flowchart TD`, `direction TD`, `end`,
		`n\d+\(\[` + text + `\]\)`, `n\d+\(\(\(` + text + `\)\)\)`, `n\d+\(\("all"\)\)`, `n\d+\[\[` + text + `\]\]`, `n\d+\[` + text + `\]`,
		`subgraph s\d+\[` + text + `\]`,
		`[ns]\d+ (?:-->|-\.->|==>|---)(?:\|` + text + `\|)? [ns]\d+`,
		`class (?:[ns]\d+,)*[ns]\d+ [a-z]+`, `classDef deferred stroke-dasharray: 5 3`,
	}, "|") + `)$`)
	f.Fuzz(func(t *testing.T, name, label, note string) {
		got, err := topo.Draw(fuzzed(name, label, note), topo.DrawOptions{Format: topo.Mermaid, Open: -1})
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
		if lines[0] == "---" {
			if lines[2] != "---" || !strings.HasPrefix(lines[1], `title: "`) || !strings.HasSuffix(lines[1], `"`) {
				t.Fatalf("the title is not one quoted line:\n%s", got)
			}
			lines = lines[3:]
		}
		open := 0
		for _, l := range lines {
			if !line.MatchString(l) {
				t.Fatalf("unexpected line %q in:\n%s", l, got)
			}
			if strings.Contains(l, "direction ") && strings.TrimLeft(l, " ") != "direction TD" {
				t.Fatalf("Mermaid would take %q for a direction", l)
			}
			switch {
			case strings.HasPrefix(strings.TrimLeft(l, " "), "subgraph "):
				open++
			case strings.TrimLeft(l, " ") == "end":
				open--
			}
		}
		if open != 0 {
			t.Fatalf("%d subgraphs are left open:\n%s", open, got)
		}
	})
}

// FuzzDraw checks what holds for all formats: text that a terminal can show, no
// trailing spaces in drawings, quotes that are closed in DOT.
func FuzzDraw(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, name, label, note string) {
		for _, format := range formats() {
			got, err := topo.Draw(fuzzed(name, label, note), topo.DrawOptions{Format: format, Open: -1})
			if err != nil {
				t.Fatal(err)
			}
			if !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\x1b\r\t") {
				t.Fatalf("%s holds characters that are not text: %q", format, got)
			}
			for l := range strings.Lines(got) {
				if format == topo.ASCII && strings.HasSuffix(l, " \n") {
					t.Fatalf("trailing space in %q", l)
				}
				bare := strings.NewReplacer(`\\`, "", `\"`, "").Replace(l)
				if format == topo.DOT && strings.Count(bare, `"`)%2 != 0 {
					t.Fatalf("open quote in %q", l)
				}
			}
		}
	})
}
