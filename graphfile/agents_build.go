package graphfile

import (
	"errors"
	"slices"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/graphfile/internal/team"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/internal/expression"
	"github.com/graphrun/graphrun/state"
)

// gather reads the sections about agents and adds the agents to the graph.
func (t *tree) gather(b *graph.Builder[record]) {
	if t.team == nil || t.team.Agents.Kind != source.Map {
		return
	}
	read := team.Read(&team.Source{
		Page: t.Page, Sections: *t.team, Scope: t.base, Update: t.updateOf, Kit: t.kit, Ask: t.routerAsk,
	})
	plans := t.checkPlan(read.Policy)
	if t.rep.Failed() || t.schema == nil {
		t.idleAgents(b)
		return
	}
	cfg := handoffs.TeamConfig[record]{
		Fields: handoffs.Records{Schema: t.schema}, Policy: read.Policy, Digest: read.Digest, Block: read.Block,
		Fatal: func(err error) bool { return errors.Is(err, ErrExpression) },
	}
	crew := &crew{schema: t.schema, began: read.Policy.Virtual}
	for _, a := range read.Agents {
		cfg.Agents = append(cfg.Agents, t.agentOf(crew, a))
	}
	if t.rep.Failed() {
		t.idleAgents(b)
		return
	}
	policy := *read.Policy
	policy.Endless = lintable(&policy) // findings tell it with its place
	cfg.Policy = &policy
	made, err := t.newTeam(cfg, plans)
	if err != nil {
		t.rep.Errorf(t.team.Pos, "the agents: %s", plain(err))
		t.idleAgents(b)
		return
	}
	t.crew = made
	crew.join(made)
	b.At(t.place(t.team.Pos))
	made.AddNodes(b)
	if t.planned != nil {
		t.planned.AddTo(b, made)
	}
	t.findings(read.Policy)
	t.meetings(read)
}

// idleAgents stands for agents of which something is wrong.
func (t *tree) idleAgents(b *graph.Builder[record]) {
	t.partial = true
	for _, n := range t.nodes {
		if n.agent && n.name != "" && !slices.ContainsFunc(t.nodes, func(o *nodeSpec) bool { return o.name == n.name && o != n }) {
			b.At(t.place(n.pos))
			b.AddNode(n.name, idle, nil)
		}
	}
}

// agentOf makes an agent of what the file says of it.
func (t *tree) agentOf(c *crew, a *team.Agent) handoffs.Agent[record] {
	if n := t.byName[a.ID]; n.work != nil {
		if a.Script != nil {
			t.rep.Errorf(a.Pos, "agent %q has turns in the file and is written in Go, it can be only one of both", a.ID)
		}
		if a.Model != nil {
			t.rep.Errorf(a.Model.Pos, "agent %q has a model in the file and is written in Go, it can be only one of both", a.ID)
		}
		return handoffs.Agent[record]{Profile: a.Profile, Node: n.work.work, Config: &n.work.cfg}
	}
	work := c.node(a.Script)
	if a.Model != nil {
		work = t.member(c, a)
	}
	return handoffs.Agent[record]{
		Profile: a.Profile, Node: work, Config: &graph.NodeConfig{Retry: a.Node.Retry, Timeout: a.Node.Timeout},
	}
}

// updateOf compiles an update by an agent.
func (t *tree) updateOf(entries []source.Entry, scope expression.Scope) team.Writer {
	writes := t.writes(entrySpecs(entries), t, scope)
	return func(env expression.Env) ([]state.Write[record], error) {
		out := make([]state.Write[record], len(writes))
		for i := range writes {
			var err error
			if out[i], err = writes[i].make(env); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
}

// teamLocals are the names that tasks of agents know beside the state.
func (t *tree) teamLocals() []state.RecordField {
	if t.team == nil {
		return nil
	}
	var out []state.RecordField
	for _, f := range handoffs.RecordFields() {
		if !f.Local {
			continue
		}
		if t.isLocal[f.Name] {
			t.rep.Errorf(t.team.Pos, "the input of a send is named %q, which is a name of the agents", f.Name)
			continue
		}
		out = append(out, f)
	}
	return out
}

// beginWithAgents leads the run to the agents, if no edge of the file does.
func (t *tree) beginWithAgents(b *graph.Builder[record]) {
	led := slices.ContainsFunc(t.edges, func(e *edgeSpec) bool {
		return slices.ContainsFunc(e.to, func(r ref) bool { return r.name == teamName })
	})
	if t.team != nil && !led {
		b.At(t.place(t.team.Pos))
		t.leadToAgents(b, graph.Start)
	}
}

// leadToAgents adds an edge to the agent whose turn it is.
func (t *tree) leadToAgents(b *graph.Builder[record], from string) {
	if t.crew != nil {
		b.AddBranch(from, t.crew.RouteTurn, t.crew.TurnWays()...)
	}
}

// sources are the nodes at which an edge begins.
func (t *tree) sources(refs []ref) []string {
	out := texts(refs)
	for i := range out {
		if t.teamEnds(refs[i]) {
			out[i] = handoffs.NodeComplete
		}
	}
	return out
}

// besideTeams pairs the fields that a graph and a subgraph share which both
// have agents: each team keeps its handoffs for itself.
func (t *tree) besideTeams(kid *tree) []state.Shared {
	pairs, _ := state.Share(t.schema.Layout(), kid.schema.Layout())
	var out []state.Shared
	for _, name := range kid.schema.Fields() {
		inner, _ := kid.schema.Layout().Info(name)
		outer, shared := t.schema.Layout().Info(name)
		if !shared || inner.Local || outer.Local || len(pairs) == 0 {
			continue
		}
		if name == "messages" || !slices.Contains(teamFieldNames(), name) {
			out = append(out, pairs[0])
		}
		pairs = pairs[1:]
	}
	return out
}

func teamFieldNames() []string {
	var out []string
	for _, f := range keptFields(true) {
		out = append(out, f.Name)
	}
	return out
}
