package graphfile

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile/internal/agent"
	"github.com/graphrun/graphrun/graphfile/internal/models"
	"github.com/graphrun/graphrun/graphfile/internal/task"
	"github.com/graphrun/graphrun/graphfile/internal/team"
	"github.com/graphrun/graphrun/internal/expression"
	"github.com/graphrun/graphrun/internal/fieldjson"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/plan"
	"github.com/graphrun/graphrun/state"
)

// unmade stands for a model that was not made.
type unmade struct{ spec *models.Spec }

// Stream tells that there is no model.
func (u unmade) Stream(context.Context, *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		yield(nil, fmt.Errorf("%s: the model %s was not made: the file was loaded without Options.Models", u.spec.Place, u.spec.Text()))
	}
}

// asker makes what asks a model outside of an agent's turn.
func (t *tree) asker(who string, s *models.Spec) nodes.Asker {
	return nodes.Asker{Model: t.maker.model(who, s), MaxTokens: s.Ask.MaxTokens, Temperature: s.Ask.Temperature}
}

// planAsk makes what a planner or judge asks a model with.
func (t *tree) planAsk(who string, s *models.Spec) plan.Ask {
	a := t.asker(who, s)
	return func(ctx context.Context, p plan.Prompt) (string, error) {
		return a.JSON(ctx, p.System, p.User, p.Schema)
	}
}

func (t *tree) routerAsk(s *models.Spec) func(context.Context, string) (string, error) {
	return t.asker("the router", s).Text
}

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

// output makes what holds the answer to a shape; nil: any text will do.
func (t *tree) output(s *agent.Spec) *nodes.Output[record] {
	if s.Output == nil {
		return nil
	}
	if s.Into.Name != "" && !t.takesValue(s.Into, expression.Type{Kind: s.Output.Kind()}) {
		return nil
	}
	out, err := nodes.JSONSchema("answer", s.Output.Schema, func(value json.RawMessage) ([]state.Write[record], error) {
		if s.Into.Name == "" {
			return nil, nil
		}
		v, err := state.ParseAny(value)
		if err != nil {
			return nil, err
		}
		w, err := t.schema.Write(s.Into.Name, v)
		return []state.Write[record]{w}, err
	})
	if err != nil {
		t.rep.Errorf(s.Pos, "the output: %s", plain(err))
	}
	return out
}

// takesValue looks that a field can take what an agent writes, and reports it if
// not.
func (t *tree) takesValue(to agent.Field, typ expression.Type) bool {
	f := t.fieldBy[to.Name]
	switch {
	case f == nil && t.lost[to.Name]:
		return false
	case f == nil:
		t.unknownField(t, entrySpec{ref: ref{name: to.Name, pos: to.Pos}})
		return false
	case f.kept || f.reduce() == state.ReduceMessages:
		t.rep.Errorf(to.Pos, "the field %q is written by agents for their conversation and handoffs alone", to.Name)
		return false
	}
	if wrong := f.refuses(typ, false); wrong != "" {
		t.rep.Errorf(to.Pos, "%s", wrong)
		return false
	}
	return true
}

// usage makes what counts the tokens in a field; nil: nothing does.
func (t *tree) usage(s *agent.Spec) func(model.Usage, int) []state.Write[record] {
	if s.Usage.Name == "" || !t.takesValue(s.Usage, expression.Type{Kind: expression.Int}) {
		return nil
	}
	if f := t.fieldBy[s.Usage.Name]; f.reduce() != state.ReduceSum {
		t.rep.Errorf(s.Usage.Pos, "the field %q does not add up what it is given, as \"usage\" needs it", f.name).Hint = "declare it {type: int, reduce: sum}"
		return nil
	}
	return func(u model.Usage, _ int) []state.Write[record] {
		w, err := t.schema.Write(s.Usage.Name, int64(u.Total()))
		if err != nil { // the type was looked at
			return nil
		}
		return []state.Write[record]{w}
	}
}

// conversation is a field with messages.
type conversation struct {
	field  string
	schema *state.RecordSchema
}

func (c conversation) read(r *record) (ms []state.Message, err error) {
	return ms, fieldjson.Read(r, c.field, &ms)
}

// Of returns the messages, which were read once before.
func (c conversation) Of(r *record) []state.Message {
	ms, err := c.read(r)
	if err != nil {
		return nil
	}
	return ms
}

// Add makes the write of messages. One that cannot be made is empty, and the
// engine refuses it.
func (c conversation) Add(ms ...state.Message) state.Write[record] {
	var w state.Write[record]
	if list, err := fieldjson.List(ms); err == nil {
		w, _ = c.schema.Write(c.field, list)
	}
	return w
}

// Replace makes the write of all messages, in place of those that there are.
func (c conversation) Replace(ms []state.Message) state.Write[record] {
	var w state.Write[record]
	if list, err := fieldjson.List(ms); err == nil {
		w, _ = c.schema.Replace(c.field, list)
	}
	return w
}
