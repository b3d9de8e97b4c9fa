package graphfile

import (
	"slices"

	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/graphfile/internal/team"
	"github.com/graphrun/graphrun/handoffs"
)

// mostAgents is how many agents one graph may have.
const mostAgents = 1000

// teamName stands for the agents of a graph in its edges.
const teamName = "agents"

// teamSections are the sections about agents beside that of the agents.
func teamSections() []string { return []string{"handoffs", "rules", "workflow"} }

// teamNodes are the nodes that every team has beside its agents.
func teamNodes() []string {
	return []string{handoffs.NodeProcess, handoffs.NodeNext, handoffs.NodeComplete, teamName}
}

// agents takes the sections about agents, which are read when the names and
// types of the state are known. Their names are those of nodes.
func (d *decoder) agents(g *graphSpec, f *source.Fields) {
	s := team.Sections{
		Pos: f.KeyPos("agents"), Agents: f.Take("agents"), Handoffs: f.Take("handoffs"), Rules: f.Take("rules"), Workflow: f.Take("workflow"),
	}
	if s.Agents == nil {
		for _, key := range f.Present(teamSections()...) {
			d.rep.Errorf(f.KeyPos(key), "the section %q is about agents, and there is no section \"agents\"", key)
		}
		return
	}
	g.team = &s
	switch n := len(s.Agents.Entries); {
	case s.Agents.Kind != source.Map:
		g.partial, g.vague = true, true
	case n == 0:
		d.rep.Errorf(s.Pos, "\"agents\" is empty")
	case n > mostAgents:
		d.rep.Errorf(s.Pos, "there are %d agents, at most %d are allowed", n, mostAgents)
		g.team, g.partial, g.vague = nil, true, true
		return
	}
	for _, n := range g.nodes {
		if slices.Contains(teamNodes(), n.name) {
			d.rep.Errorf(n.pos, "no node can be named %q beside agents: the name is theirs", n.name)
			g.partial = true
		}
	}
	for _, e := range s.Agents.Entries {
		d.agentName(g, e)
		g.nodes = append(g.nodes, &nodeSpec{ref: ref{name: e.Key, pos: e.KeyPos}, agent: true})
	}
	d.teamFields(g)
}

// agentName refuses names that agents cannot have.
func (d *decoder) agentName(g *graphSpec, e source.Entry) {
	switch {
	case slices.Contains(teamNodes(), e.Key):
		d.rep.Errorf(e.KeyPos, "no agent can be named %q: that is a node which every team has", e.Key)
		g.partial = true
	case slices.ContainsFunc(g.nodes, func(n *nodeSpec) bool { return n.name == e.Key }):
		d.rep.Errorf(e.KeyPos, "%q is a node and an agent, it can be only one of both", e.Key)
		g.partial = true
	}
}

// teamFields adds the fields in which a team keeps its handoffs. The messages
// may be declared by the file as well.
func (d *decoder) teamFields(g *graphSpec) {
	for _, decl := range handoffs.RecordFields() {
		own := slices.IndexFunc(g.fields, func(f *fieldSpec) bool { return f.name == decl.Name })
		if own >= 0 {
			f := g.fields[own]
			if decl.Name != "messages" {
				d.rep.Errorf(f.pos, "the field %q belongs to the agents", decl.Name).Hint = "leave it out, it is there by itself"
			} else if f.reduce() != decl.Reduce {
				d.rep.Errorf(f.pos, "the field \"messages\" is the conversation of the agents").Hint = "declare it {reduce: messages}, or leave it out"
			}
			continue
		}
		if decl.Local {
			continue
		}
		f := &fieldSpec{ref: ref{name: decl.Name, pos: g.team.Pos}, decl: decl, kept: slices.Contains(unwritten(), decl.Name)}
		if d.settle(f, nil) {
			g.fields = append(g.fields, f)
		}
	}
}

// unwritten are the fields of a team that only its own nodes write.
func unwritten() []string { return []string{"active_agent", "handoffs", "handoff_log"} }
