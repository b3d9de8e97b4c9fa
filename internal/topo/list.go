package topo

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// lister writes a graph as a list of nodes, each with its targets.
type lister struct{ lines []string }

// list returns the lines of a sketch. Each arrow is told below the node it leaves.
func (t *lister) list(sk *sketch) []string {
	t.level(sk, 0)
	return t.lines
}

func (t *lister) line(depth int, text string) {
	t.lines = append(t.lines, strings.Repeat("  ", depth)+text)
}

func (t *lister) level(sk *sketch, depth int) {
	out := make([][]link, len(sk.spots))
	in := make([][]link, len(sk.spots))
	for _, l := range sk.links {
		out[l.from] = append(out[l.from], l)
		in[l.to] = append(in[l.to], l)
	}
	waits := map[int]int{} // numbers by place
	for i, s := range sk.spots {
		if s.role == joins {
			waits[i] = len(waits) + 1
		}
	}
	for i, s := range sk.spots {
		switch s.role {
		case ends:
			continue
		case joins:
			t.line(depth, fmt.Sprintf("wait %d, until all have run", waits[i]))
			for _, l := range in[i] {
				t.line(depth+1, "<- "+quoted(sk.spots[l.from].node.Name))
			}
		default:
			t.line(depth, s.heading())
		}
		for _, l := range out[i] {
			t.line(depth+1, l.entry(sk, waits[l.to]))
		}
		if s.inner != nil {
			t.line(depth+1, "holds")
			t.level(s.inner, depth+2)
		}
	}
}

// heading names a node with all that is known about it.
func (s spot) heading() string {
	var marks []string
	if s.node.Inner != nil {
		marks = append(marks, "subgraph")
	}
	if s.node.Deferred {
		marks = append(marks, "deferred")
	}
	if s.node.Note != "" {
		marks = append(marks, plain(s.node.Note))
	}
	if len(marks) == 0 {
		return quoted(s.node.Name)
	}
	return quoted(s.node.Name) + " [" + strings.Join(marks, "; ") + "]"
}

// entry tells where a link leads and when it is followed. wait is the number of the
// wait that it is part of, or zero.
func (l link) entry(sk *sketch, wait int) string {
	var words []string
	add := func(text string) {
		if text != "" {
			words = append(words, text)
		}
	}
	add(map[EdgeKind]string{Conditional: "if chosen", Declared: "goto", Sent: "send"}[l.kind])
	if wait > 0 {
		add(fmt.Sprintf("wait %d", wait))
	}
	add(plain(l.label))
	text := "-> " + quoted(sk.spots[l.to].node.Name)
	if len(words) > 0 {
		text += "  [" + strings.Join(words, "; ") + "]"
	}
	return text
}

// quoted returns a name as it is if it can stand for itself in a line of text.
func quoted(name string) string {
	odd := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) && !strings.ContainsRune("_-./: ", r)
	}
	if name != strings.Join(strings.Fields(name), " ") || strings.ContainsFunc(name, odd) {
		return strconv.Quote(name)
	}
	return name
}
