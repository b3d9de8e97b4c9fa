package topo

import (
	"fmt"
	"strings"
)

// drawDOT writes a digraph for Graphviz, opened subgraphs as clusters.
func drawDOT(g *Graph, opt DrawOptions) (string, error) {
	d := &dot{}
	d.line(0, "digraph %s {", dotText(g.Name))
	if g.Name != "" {
		d.line(1, "label=%s; labelloc=t;", dotText(g.Name))
	}
	d.line(1, "compound=true;")
	d.line(1, `node [shape=box, style=rounded, fontname="Helvetica"];`)
	d.line(1, `edge [fontname="Helvetica", fontsize=10];`)
	d.level(sketchOf(g, opt.Open), 1)
	d.line(0, "}")
	return d.b.String(), nil
}

// dot is a digraph in the making.
type dot struct{ b strings.Builder }

func (d *dot) line(depth int, format string, args ...any) {
	d.b.WriteString(strings.Repeat("  ", depth))
	fmt.Fprintf(&d.b, format, args...)
	d.b.WriteByte('\n')
}

func (d *dot) level(sk *sketch, depth int) {
	for _, s := range sk.spots {
		d.spot(s, depth)
	}
	for _, l := range sk.links {
		d.link(sk, l, depth)
	}
}

func (d *dot) spot(s spot, depth int) {
	label := dotText(strings.Join(s.captions(), "\n"))
	if s.role == joins {
		label = dotText("all")
	}
	if s.inner == nil {
		d.line(depth, "%s [label=%s%s];", s.id, label, s.dotLook())
		return
	}
	d.line(depth, "subgraph cluster_%s {", s.inner.id)
	style := "rounded"
	if s.node.Deferred {
		style = "rounded,dashed"
	}
	d.line(depth+1, `label=%s; style="%s"; class="opened";`, label, style)
	d.level(s.inner, depth+1)
	d.line(depth, "}")
}

// dotLook returns what sets a spot apart from a plain node.
func (s spot) dotLook() string {
	look := ""
	switch {
	case s.role == begins:
		look = `, shape=oval, style=solid, class="entry"`
	case s.role == ends:
		look = `, shape=oval, style=solid, peripheries=2, class="exit"`
	case s.role == joins:
		return `, shape=circle, style=solid, width=0.3, fixedsize=true, fontsize=9, class="join"`
	case s.node.Inner != nil:
		look = `, shape=box3d, class="closed"`
	default:
		look = `, class="step"`
	}
	if s.node.Deferred {
		look += `, style="rounded,dashed"`
	}
	return look
}

func (d *dot) link(sk *sketch, l link, depth int) {
	from, to := sk.spots[l.from], sk.spots[l.to]
	source, target := from.id, to.id
	look := l.dotLook(to.role)
	loop := l.from == l.to // a cluster cannot be both ends of an edge
	if from.inner != nil {
		source = from.inner.last()
		if !loop {
			look += ", ltail=cluster_" + from.inner.id
		}
	}
	if to.inner != nil {
		target = to.inner.first()
		if !loop {
			look += ", lhead=cluster_" + to.inner.id
		}
	}
	if l.label != "" {
		look += ", label=" + dotText(l.label)
	}
	d.line(depth, "%s -> %s [%s];", source, target, look)
}

func (l link) dotLook(target role) string {
	look := fmt.Sprintf("class=%q", l.kind)
	switch {
	case l.kind == Conditional:
		look += ", style=dashed"
	case l.kind == Declared:
		look += ", style=dotted"
	case l.kind == Sent:
		look += ", style=bold, arrowhead=vee"
	case target == joins:
		look += ", arrowhead=none"
	}
	return look
}

// dotText quotes a text that may have several lines. Graphviz reads escapes and HTML
// entities in labels; both are taken from it.
func dotText(s string) string {
	lines := plainLines(s)
	for i, line := range lines {
		line = strings.ReplaceAll(line, `\`, `\\`)
		line = strings.ReplaceAll(line, `"`, `\"`)
		lines[i] = strings.ReplaceAll(line, "&", "&amp;")
	}
	return `"` + strings.Join(lines, `\n`) + `"`
}
