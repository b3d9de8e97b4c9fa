package agent

import (
	"math"
	"slices"

	"github.com/graphrun/graphrun/graphfile/internal/models"
	"github.com/graphrun/graphrun/graphfile/internal/page"
	"github.com/graphrun/graphrun/graphfile/internal/params"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/graphfile/internal/task"
	"github.com/graphrun/graphrun/graphfile/internal/tools"
	"github.com/graphrun/graphrun/internal/expression"
	"github.com/graphrun/graphrun/nodes"
)

// Kit is what agents of a graph may name.
type Kit struct {
	Models *models.Section
	Tools  *tools.Section
}

// Field is a field of the state that an agent's work goes to.
type Field struct {
	Name string // "": none
	Pos  source.Pos
}

// Spec is an agent with a model. Parts that are wrong were reported.
type Spec struct {
	Pos      source.Pos // of the model
	Model    *models.Spec
	Tools    []*tools.Spec
	Handoffs nodes.Handoffs
	Limits   nodes.Limits
	Memory   nodes.Memory // without the model of its summary
	Summary  *Summary     // nil: none
	Parallel int
	OneCall  bool

	Output *params.Shape // nil: any text
	Into   Field         // of the answer
	Usage  Field         // of the tokens
	Talk   Field         // of a node: the conversation

	text  *source.Node // the instructions; nil: none
	value *expression.Value
	place string
	reads bool // they name the messages of the turn
}

// Summary is how a conversation that is too long is told in short.
type Summary struct {
	Model        *models.Spec // nil: the agent's
	Instructions string
	MaxTokens    int
}

// Keys are those that only agents with a model have.
func Keys() []string {
	return []string{"instructions", "tools", "output", "limits", "memory", "handoff", "usage", "parallel", "one_call"}
}

// Read reads the agent whose keys stand beside those of its team or node; nil: it
// has no model.
func Read(p *page.Page, f *source.Fields, kit *Kit) *Spec {
	if !f.Has("model") {
		for _, key := range f.Present(Keys()...) {
			p.Rep.Errorf(f.KeyPos(key), "%q is for agents with a model, and there is no \"model\"", key).Hint = `write for example model: "openai:gpt-4o"`
		}
		return nil
	}
	s := &Spec{Pos: f.Take("model").Pos, Model: kit.Models.At(f, "model")}
	if n := f.Take("instructions"); n != nil {
		if _, ok := p.Rep.Text(n, `"instructions"`); ok {
			s.text, s.place, s.reads = n, p.At(n.Pos, "instructions"), mentions(n.Text)
		}
	}
	if f.Has("tools") {
		s.Tools = kit.Tools.At(f, "tools")
	}
	s.output(p, f)
	if f.Has("limits") {
		s.Limits = limits(f.Fields("limits", `"limits"`))
	}
	s.memory(p, f, kit)
	if f.Has("handoff") {
		s.Handoffs = handoffs(f.Fields("handoff", `"handoff"`))
	}
	s.Usage = field(f, "usage")
	if n, ok := f.Int("parallel", 1, math.MaxInt32); ok {
		s.Parallel = int(n)
	}
	s.OneCall, _ = f.Bool("one_call")
	return s
}

// field reads the name of a field.
func field(f *source.Fields, key string) Field {
	name, _ := f.Text(key)
	if name == "" {
		return Field{}
	}
	return Field{name, f.Take(key).Pos}
}

// output reads {fields or schema, into}.
func (s *Spec) output(p *page.Page, f *source.Fields) {
	if !f.Has("output") {
		return
	}
	g := f.Fields("output", `"output"`)
	if s.Output = params.Read(p, g, "fields", "schema"); s.Output == nil && g.Node != nil && !g.Has("fields") && !g.Has("schema") {
		p.Rep.Errorf(g.Node.Pos, `"output" needs "fields" or "schema", the shape of the answer`).Hint = "write for example {fields: {city: string, days: int}}"
	}
	s.Into = field(g, "into")
	g.Done()
}

// limits reads what bounds a turn. No calls of the model at all are not offered;
// 0 is no bound.
func limits(f *source.Fields) nodes.Limits {
	l := nodes.Limits{ModelCalls: bound(f, "model_calls"), ToolCalls: bound(f, "tool_calls"), Tokens: bound(f, "tokens")}
	l.Time, _ = f.Duration("time", 0, task.Longest)
	l.Finish, _ = f.Bool("finish")
	f.Done()
	return l
}

// bound reads a number of which 0 is no bound, as the zero value may be the usual
// one.
func bound(f *source.Fields, key string) int {
	n, ok := f.Int(key, 0, math.MaxInt32)
	if ok && n == 0 {
		return -1
	}
	return int(n)
}

// memory reads {tokens, last, summary}.
func (s *Spec) memory(p *page.Page, f *source.Fields, kit *Kit) {
	if !f.Has("memory") {
		return
	}
	g := f.Fields("memory", `"memory"`)
	s.Memory.Tokens, s.Memory.Last = count(g, "tokens"), count(g, "last")
	if n := g.Take("summary"); n != nil && n.Kind == source.Bool {
		if n.Bool {
			s.Summary = &Summary{}
		}
	} else if n != nil {
		h := g.Fields("summary", `"summary"`)
		s.Summary = &Summary{Model: kit.Models.At(h, "model"), MaxTokens: count(h, "max_tokens")}
		s.Summary.Instructions, _ = h.Text("instructions")
		h.Done()
	}
	if g.Done() && !g.Has("tokens") && !g.Has("last") {
		p.Rep.Errorf(g.Node.Pos, `"memory" needs "tokens" or "last", or it bounds nothing`)
	}
}

func count(f *source.Fields, key string) int {
	n, _ := f.Int(key, 1, math.MaxInt32)
	return int(n)
}

// Models are those that the agent asks.
func (s *Spec) Models() []*models.Spec {
	all := []*models.Spec{s.Model}
	if s.Summary != nil {
		all = append(all, s.Summary.Model)
	}
	return slices.DeleteFunc(all, func(m *models.Spec) bool { return m == nil })
}

// Writes are the fields that the agent writes; none of nil.
func (s *Spec) Writes() (out []string) {
	if s == nil {
		return nil
	}
	for _, f := range []Field{s.Talk, s.Into, s.Usage} {
		if f.Name != "" {
			out = append(out, f.Name)
		}
	}
	return out
}
