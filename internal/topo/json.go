package topo

import (
	"bytes"
	"encoding/json"
	"fmt"
)

type jsonGraph struct {
	Name  string     `json:"name"`
	Nodes []jsonNode `json:"nodes"`
	Edges []jsonEdge `json:"edges"`
}

type jsonNode struct {
	Name     string     `json:"name"`
	Deferred bool       `json:"deferred,omitempty"`
	Note     string     `json:"note,omitempty"`
	Graph    *jsonGraph `json:"graph,omitempty"`
}

type jsonEdge struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Kind   string `json:"kind"`
	Label  string `json:"label,omitempty"`
	Join   *int   `json:"join,omitempty"`
	Router int    `json:"router,omitempty"`
	Choice int    `json:"choice,omitempty"`
	Many   bool   `json:"many,omitempty"`
}

// drawJSON writes the graph as an indented JSON object, nodes and edges in their order.
func drawJSON(g *Graph, opt DrawOptions) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(jsonOf(g, opt.Open)); err != nil {
		return "", fmt.Errorf("topo: write json: %w", err)
	}
	return b.String(), nil
}

func jsonOf(g *Graph, open int) *jsonGraph {
	j := &jsonGraph{Name: g.Name, Nodes: []jsonNode{}, Edges: []jsonEdge{}}
	for _, n := range g.Nodes {
		node := jsonNode{Name: n.Name, Deferred: n.Deferred, Note: n.Note}
		if n.Inner != nil && open != 0 {
			node.Graph = jsonOf(n.Inner, open-1)
		}
		j.Nodes = append(j.Nodes, node)
	}
	for _, e := range g.Edges {
		edge := jsonEdge{From: e.From, To: e.To, Kind: e.Kind.String(), Label: e.Label, Router: e.Router, Choice: e.Choice, Many: e.Many}
		if e.Kind == Joined {
			edge.Join = &e.Join
		}
		j.Edges = append(j.Edges, edge)
	}
	return j
}
