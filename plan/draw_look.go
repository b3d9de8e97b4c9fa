package plan

import (
	"fmt"
	"strings"
)

// look is how steps of a status are drawn.
type look struct {
	status             Status
	mark               string // of one column
	fill, border, text string // colours
}

// looks are those of all statuses, in the order of a step's life.
func looks() []look {
	const dark, grey = "#1f2328", "#6e7781"
	return []look{
		{Pending, "·", "#f6f8fa", "#d0d7de", grey},
		{Ready, "○", "#ffffff", "#0969da", dark},
		{Running, "▸", "#ddf4ff", "#0969da", dark},
		{Input, "?", "#fff8c5", "#9a6700", dark},
		{Approval, "?", "#fff8c5", "#9a6700", dark},
		{Detour, "↷", "#fbefff", "#8250df", dark},
		{Done, "✓", "#dafbe1", "#1a7f37", dark},
		{Failed, "✗", "#ffebe9", "#cf222e", dark},
		{Skipped, "–", "#eaeef2", "#6e7781", grey},
		{Superseded, "~", "#ffffff", "#d0d7de", grey},
	}
}

// Mark is a sign of one column for the status; "·", as for Pending, if it is
// none of those there are.
func (s Status) Mark() string {
	for _, l := range looks() {
		if l.status == s {
			return l.mark
		}
	}
	return "·"
}

// class is the status as a name in drawings.
func (l *look) class() string { return strings.ReplaceAll(string(l.status), ":", "_") }

// legendEntry is what the legend says of a status.
func (l *look) legendEntry() string { return l.mark + " " + string(l.status) }

// seen are the looks that a plan's steps have, with the ids that the drawing
// gives them: n and the place.
func (p *Plan) seen(do func(l *look, ids []string)) {
	for _, l := range looks() {
		var ids []string
		for i := range p.Steps {
			if p.Steps[i].Status == l.status {
				ids = append(ids, fmt.Sprintf("n%d", i))
			}
		}
		if len(ids) > 0 {
			do(&l, ids)
		}
	}
}

// mermaidLooks are the lines of a flowchart that colour steps by status and
// explain the colours.
func mermaidLooks(p *Plan) string {
	escaped := strings.NewReplacer("?", "#63;", ":", "#58;", "~", "#126;")
	var legend, classes strings.Builder
	p.seen(func(l *look, ids []string) {
		key := "key_" + l.class()
		fmt.Fprintf(&legend, "    %s[\"%s\"]\n", key, escaped.Replace(l.legendEntry()))
		fmt.Fprintf(&classes, "  class %s,%s status_%s\n", strings.Join(ids, ","), key, l.class())
		fmt.Fprintf(&classes, "  classDef status_%s fill:%s,stroke:%s,color:%s\n", l.class(), l.fill, l.border, l.text)
	})
	if legend.Len() == 0 {
		return ""
	}
	return "  subgraph legend\n" + legend.String() + "  end\n" + classes.String()
}

// dotLooks are the lines of a digraph that do the same.
func dotLooks(p *Plan) string {
	var legend, nodes strings.Builder
	p.seen(func(l *look, ids []string) {
		style := fmt.Sprintf(`style="rounded,filled", fillcolor=%q, color=%q, fontcolor=%q`, l.fill, l.border, l.text)
		fmt.Fprintf(&legend, "    key_%s [label=%q, %s];\n", l.class(), l.legendEntry(), style)
		for _, id := range ids {
			fmt.Fprintf(&nodes, "  %s [%s, class=%q];\n", id, style, l.class())
		}
	})
	if legend.Len() == 0 {
		return ""
	}
	return nodes.String() + "  subgraph cluster_legend {\n    label=\"legend\"; style=\"rounded\";\n" + legend.String() + "  }\n"
}
