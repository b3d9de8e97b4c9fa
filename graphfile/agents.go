package graphfile

import (
	"slices"

	"github.com/graphrun/graphrun/graphfile/internal/planning"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/graphfile/internal/team"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/plan"
	"github.com/graphrun/graphrun/state"
)

// mostAgents is how many agents one graph may have.
const mostAgents = 1000

// teamName stands for the agents of a graph in its edges.
const teamName = "agents"

// teamSections are the sections about agents beside that of the agents.
func teamSections() []string { return []string{"handoffs", "rules", "workflow", "plan"} }

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
	var names []string
	for _, e := range s.Agents.Entries {
		d.agentName(g, e)
		names = append(names, e.Key)
		g.nodes = append(g.nodes, &nodeSpec{ref: ref{name: e.Key, pos: e.KeyPos}, agent: true})
	}
	if n := f.Take("plan"); n != nil {
		g.plan = planning.Read(d.Page, n, names, d.kit.Models, planning.Go{Planner: d.opt.Planner, Judge: d.opt.Judge, Checks: d.opt.Checks})
		d.plannerName(g)
		d.hidden(g)
	}
	d.teamFields(g)
}

// plannerName refuses a node or an agent with the name of the planner's node.
func (d *decoder) plannerName(g *graphSpec) {
	for _, n := range g.nodes {
		if n.name == plan.NodePlanner && g.plan.Plans() {
			d.rep.Errorf(n.pos, "no node and no agent can be named %q beside a plan that has a planner or is reviewed: the name is theirs", n.name)
			g.partial = true
		}
	}
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

// hidden warns of fields that the steps of a plan do not see.
func (d *decoder) hidden(g *graphSpec) {
	for _, f := range g.fields {
		if slices.Contains(planning.Names(), f.name) {
			d.rep.Warnf(f.pos, "the steps of the plan do not see the field %q: there the name is the plan's own", f.name)
		}
	}
}

// teamFields adds the fields in which a team keeps its handoffs. The messages
// may be declared by the file as well.
func (d *decoder) teamFields(g *graphSpec) {
	for _, decl := range keptFields(g.plan != nil) {
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
		if decl.Name == "plan" {
			decl.Default = d.begin(g.plan)
		}
		f := &fieldSpec{ref: ref{name: decl.Name, pos: g.team.Pos}, decl: decl, kept: slices.Contains(unwritten(), decl.Name)}
		if d.settle(f, nil) {
			g.fields = append(g.fields, f)
		}
	}
}

// begin is the plan that runs begin with, as a field's start value.
func (d *decoder) begin(s *planning.Section) any {
	value, err := s.Default()
	if err != nil {
		d.rep.Errorf(s.Pos, "the plan: %s", plain(err))
	}
	return value
}

// keptFields are the fields that a team keeps, with those of its plan.
func keptFields(plans bool) []state.RecordField {
	if !plans {
		return handoffs.RecordFields()
	}
	return append(handoffs.RecordFields(), plan.RecordFields()...)
}

// unwritten are the fields of a team that only its own nodes write.
func unwritten() []string {
	return []string{"active_agent", "handoffs", "handoff_log", "plan", "plan_steps", "plan_course", "plan_log"}
}
