package plan

import (
	"fmt"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/internal/topo"
)

// DrawConfig holds what a drawing of a plan can be given. Nil means its zero
// value.
type DrawConfig struct {
	Width int // columns an ASCII drawing may take; 0: 100; less: any
}

// Draw writes a plan: its steps, each with who does it, and an arrow to every
// step from those it waits for. Steps that have a status, as those of View do,
// show it, in Mermaid and DOT by a colour that a legend explains. The text is
// the same for the same plan. It fails if the format is unknown, and for plans
// that Check refuses because of their ids or dependencies.
func Draw(p *Plan, f graph.Format, cfg *DrawConfig) (string, error) {
	if cfg == nil {
		cfg = &DrawConfig{}
	}
	text, err := topo.Draw(shapeOf(p), topo.DrawOptions{Format: f, Width: cfg.Width})
	if err != nil {
		return "", fmt.Errorf("plan: draw: %w", err)
	}
	switch f {
	case graph.Mermaid:
		text += mermaidLooks(p)
	case graph.DOT:
		text = text[:len(text)-len("}\n")] + dotLooks(p) + "}\n"
	}
	return text, nil
}

// Linear reports whether the steps are done one behind the other.
func (p *Plan) Linear() bool { return p.linear() }

// shapeOf is a plan as a graph.
func shapeOf(p *Plan) *topo.Graph {
	g := &topo.Graph{Name: p.title()}
	linear := p.linear()
	for i := range p.Steps {
		s := &p.Steps[i]
		g.Nodes = append(g.Nodes, topo.Node{Name: drawnName(s.ID), Note: s.note()})
		needs := s.DependsOn
		if linear && i > 0 {
			needs = []string{p.Steps[i-1].ID}
		}
		for _, id := range needs {
			g.Edges = append(g.Edges, topo.Edge{From: drawnName(id), To: drawnName(s.ID)})
		}
	}
	return g
}

// title names a plan in a line.
func (p *Plan) title() string {
	text := nameOf(p)
	if p.Version > 0 {
		text += fmt.Sprintf(", version %d", p.Version)
	}
	if p.Goal != "" {
		text += ": " + p.Goal
	}
	return text
}

// note is what is drawn of a step beside its id.
func (s *Step) note() string {
	text := s.Agent
	if text == "" && s.Capability != "" {
		text = "whoever can " + s.Capability
	}
	if s.Status == "" {
		return text
	}
	status := s.Status.Mark() + " " + string(s.Status)
	if text == "" {
		return status
	}
	return text + " " + status
}

// drawnName is a step's id, unless that is the name of something else in
// drawings.
func drawnName(id string) string {
	if id == topo.Start || id == topo.End {
		return fmt.Sprintf("step %q", id)
	}
	return id
}
