package graphfile

import (
	"context"
	"fmt"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile/internal/agent"
	"github.com/graphrun/graphrun/graphfile/internal/task"
	"github.com/graphrun/graphrun/graphfile/internal/team"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/state"
)

// member makes the work of an agent with a model that is in a team.
func (t *tree) member(c *crew, a *team.Agent) graph.Node[record] {
	cfg := t.agentConfig(a.ID, a.Model)
	cfg.Prompt = func(r record) (string, error) {
		in, err := c.in(r)
		if err != nil {
			return "", err
		}
		return a.Instructions(in)
	}
	made := t.agent(a.ID, a.Model, cfg)
	if made == nil {
		return idle
	}
	c.agents = append(c.agents, made)
	return made.Node
}

// addHelper adds a node that is an agent with a model.
func (t *tree) addHelper(b *graph.Builder[record], n *nodeSpec, cfg *graph.NodeConfig) {
	for _, name := range n.model.Writes() {
		if t.fieldBy[name] != nil { // one that is not there is told where it is named
			cfg.Writes = append(cfg.Writes, name)
		}
	}
	n.model.Compile(t.Page, t.scopeOf(n.name))
	b.AddNode(n.name, t.helper(n.name, n.model), cfg)
}

func (t *tree) helper(name string, s *agent.Spec) graph.Node[record] {
	talk := conversation{field: s.Talk.Name, schema: t.schema}
	if !t.talks(s) {
		return idle
	}
	cfg := t.agentConfig(name, s)
	cfg.Messages = talk
	cfg.Prompt = func(r record) (string, error) { return s.Prompt(&task.View{Record: r}) }
	made := t.agent(name, s, cfg)
	if made == nil {
		return idle
	}
	return func(ctx context.Context, r record) (graph.Command[record], error) {
		if _, err := talk.read(&r); err != nil {
			return graph.Command[record]{}, err
		}
		return made.Node(ctx, r)
	}
}

// talks looks that there is a conversation, and reports it if not.
func (t *tree) talks(s *agent.Spec) bool {
	f := t.fieldBy[s.Talk.Name]
	switch {
	case f == nil && t.lost[s.Talk.Name]:
	case f == nil:
		t.rep.Errorf(s.Talk.Pos, "the agent's conversation is the field %q, which the state does not have", s.Talk.Name).Hint =
			"declare it under \"state\": " + s.Talk.Name + ": {reduce: messages}; or name another one under \"messages\""
	case f.reduce() != state.ReduceMessages:
		t.rep.Errorf(s.Talk.Pos, "the agent's conversation is the field %q, which does not hold messages", s.Talk.Name).Hint = "declare it {reduce: messages}"
	default:
		return true
	}
	return false
}

// agentConfig is what an agent in a team and one that is a node have in common.
func (t *tree) agentConfig(name string, s *agent.Spec) nodes.AgentConfig[record] {
	cfg := nodes.AgentConfig[record]{
		Name: name, Handoffs: s.Handoffs, Limits: s.Limits, Memory: s.Memory, Parallel: s.Parallel, OneCall: s.OneCall,
		Output: t.output(s), Usage: t.usage(s),
	}
	for _, tool := range s.Tools {
		cfg.Tools = append(cfg.Tools, t.maker.tool(tool))
	}
	if s.Model == nil { // it was told
		return cfg
	}
	who := fmt.Sprintf("agent %q", name)
	cfg.Model = t.maker.model(who, s.Model)
	ask := &s.Model.Ask
	cfg.MaxTokens, cfg.Temperature, cfg.TopP, cfg.Seed, cfg.Stop = ask.MaxTokens, ask.Temperature, ask.TopP, ask.Seed, ask.Stop
	if sum := s.Summary; sum != nil {
		cfg.Memory.Summary = &nodes.Summarizer{Instructions: sum.Instructions, MaxTokens: sum.MaxTokens}
		if sum.Model != nil {
			cfg.Memory.Summary.Model = t.maker.model(who, sum.Model)
		}
	}
	return cfg
}

// agent makes the agent; nil: something is wrong with it, which is reported.
func (t *tree) agent(name string, s *agent.Spec, cfg nodes.AgentConfig[record]) *nodes.Agent[record] {
	if t.rep.Failed() || cfg.Model == nil {
		return nil
	}
	made, err := nodes.NewAgent(cfg)
	if err != nil {
		t.rep.Errorf(s.Pos, "agent %q: %s", name, plain(err))
		return nil
	}
	return made
}
