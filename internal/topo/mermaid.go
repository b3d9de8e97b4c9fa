package topo

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// drawMermaid writes a flowchart. Every name and label stands escaped between quotes,
// and ids are generated, so that nothing in a graph can be taken for syntax.
func drawMermaid(g *Graph, opt DrawOptions) (string, error) {
	m := &mermaid{members: map[string][]string{}}
	if g.Name != "" {
		title, err := json.Marshal(plain(g.Name))
		if err != nil {
			return "", fmt.Errorf("topo: write the title: %w", err)
		}
		m.line(0, "---\ntitle: %s\n---", title)
	}
	m.line(0, "flowchart TD")
	m.level(sketchOf(g, opt.Open), 1)
	m.classes()
	return m.b.String(), nil
}

// mermaid is a flowchart in the making.
type mermaid struct {
	b       strings.Builder
	members map[string][]string // ids by class
}

func (m *mermaid) line(depth int, format string, args ...any) {
	m.b.WriteString(strings.Repeat("  ", depth))
	fmt.Fprintf(&m.b, format, args...)
	m.b.WriteByte('\n')
}

func (m *mermaid) level(sk *sketch, depth int) {
	for _, s := range sk.spots {
		m.spot(s, depth)
	}
	for _, l := range sk.links {
		m.link(sk, l, depth)
	}
}

func (m *mermaid) spot(s spot, depth int) {
	label := mermaidText(strings.Join(s.captions(), "\n"))
	if s.inner != nil {
		m.line(depth, "subgraph %s[%s]", s.inner.id, label)
		m.line(depth+1, "direction TD")
		m.level(s.inner, depth+1)
		m.line(depth, "end")
		m.member("opened", s.inner.id)
		return
	}
	switch {
	case s.role == begins:
		m.line(depth, "%s([%s])", s.id, label)
		m.member("entry", s.id)
	case s.role == ends:
		m.line(depth, "%s(((%s)))", s.id, label)
		m.member("exit", s.id)
	case s.role == joins:
		m.line(depth, `%s(("all"))`, s.id)
		m.member("join", s.id)
	case s.node.Inner != nil:
		m.line(depth, "%s[[%s]]", s.id, label)
		m.member("closed", s.id)
	default:
		m.line(depth, "%s[%s]", s.id, label)
		m.member("step", s.id)
	}
	if s.node.Deferred {
		m.member("deferred", s.id)
	}
}

func (m *mermaid) member(class, id string) {
	m.members[class] = append(m.members[class], id)
}

func (m *mermaid) link(sk *sketch, l link, depth int) {
	from, to := sk.spots[l.from], sk.spots[l.to]
	source, target := from.id, to.id
	if from.inner != nil {
		source = from.inner.id
	}
	if to.inner != nil {
		target = to.inner.id
	}
	if l.from == l.to && from.inner != nil { // a cluster cannot be linked to itself
		source, target = from.inner.last(), from.inner.first()
	}
	label := ""
	if l.label != "" {
		label = "|" + mermaidText(l.label) + "|"
	}
	m.line(depth, "%s %s%s %s", source, l.mermaidArrow(to.role), label, target)
}

func (l link) mermaidArrow(target role) string {
	switch {
	case l.kind == Conditional || l.kind == Declared:
		return "-.->"
	case l.kind == Sent:
		return "==>"
	case target == joins:
		return "---"
	}
	return "-->"
}

// classes names the members of each class, for themes, and gives deferred nodes the
// dashed border that marks them.
func (m *mermaid) classes() {
	for _, class := range []string{"entry", "exit", "step", "closed", "opened", "join", "deferred"} {
		if ids := m.members[class]; len(ids) > 0 {
			m.line(1, "class %s %s", strings.Join(ids, ","), class)
		}
	}
	if len(m.members["deferred"]) > 0 {
		m.line(1, "classDef deferred stroke-dasharray: 5 3")
	}
}

// mermaidText quotes a text that may have several lines.
func mermaidText(s string) string {
	lines := plainLines(s)
	for i, line := range lines {
		lines[i] = mermaidLine(line)
	}
	return `"` + strings.Join(lines, "<br/>") + `"`
}

// mermaidLine writes whatever could mean something to Mermaid, to the Markdown that it
// reads in labels or to HTML as an entity.
func mermaidLine(line string) string {
	runes := []rune(line)
	var b strings.Builder
	begun := false // a letter was seen, so that nothing can begin a list
	for i, r := range runes {
		begun = begun || unicode.IsLetter(r)
		if mermaidSafe(runes, i, begun) {
			b.WriteRune(r)
			continue
		}
		b.WriteByte('#')
		b.WriteString(mermaidEntity(r))
		b.WriteByte(';')
	}
	return b.String()
}

func mermaidEntity(r rune) string {
	switch r {
	case '"':
		return "quot"
	case '<':
		return "lt"
	case '>':
		return "gt"
	case '&':
		return "amp"
	}
	return strconv.Itoa(int(r))
}

// mermaidSafe reports whether the character at i can stand as it is. Spaces at either
// end and double ones are layout to HTML; punctuation before the first letter could
// begin a list; and Mermaid takes a line for a statement if it holds the word direction
// with a space behind, be it between quotes.
func mermaidSafe(line []rune, i int, begun bool) bool {
	r := line[i]
	word := func(i int) bool {
		return i >= 0 && i < len(line) && (unicode.IsLetter(line[i]) || unicode.IsDigit(line[i]))
	}
	switch {
	case word(i):
		return true
	case r >= 0x80:
		return r != '°' && r != '¶' // Mermaid marks entities with them inside
	case r == '_':
		return word(i-1) && word(i+1)
	case r == ' ':
		const word = "direction"
		inner := i > 0 && i < len(line)-1 && line[i-1] != ' '
		return inner && string(line[max(0, i-len(word)):i]) != word
	}
	return begun && strings.ContainsRune(",/='!?()-+.", r)
}
