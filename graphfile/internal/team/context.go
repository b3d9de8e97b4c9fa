package team

import (
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/internal/expression"
	"github.com/graphrun/graphrun/state"
)

// contextAt reads what of the conversation an agent gets: a mode, or a map;
// nil if it is not there.
func (r *reader) contextAt(f *source.Fields, key string) *handoffs.ContextPolicy {
	n := f.Take(key)
	switch {
	case n == nil:
		return nil
	case n.Kind == source.String:
		c := &handoffs.ContextPolicy{Mode: wordOf(f, key, contextModes()...)}
		r.contextNeeds(n, c, nil)
		return c
	}
	g := r.Rep.Fields(n, quote(key))
	c := &handoffs.ContextPolicy{Last: count(g, "last", 1), Tokens: count(g, "tokens", 1), Fields: texts(g, "fields"), Pinned: texts(g, "pinned")}
	c.Mode = wordOf(g, "mode", contextModes()...)
	c.PinFirst, _ = g.Bool("pin_first")
	for _, name := range c.Fields {
		if _, ok := r.Scope.Lookup(name); !ok && c.Mode == handoffs.ContextArtifacts {
			r.Rep.Unknown(g.Take("fields").Pos, "field", name, r.Scope.Names())
		}
	}
	text := r.textAt(g, "text", r.contextScope(c.Mode))
	g.Done()
	r.contextNeeds(n, c, text)
	return c
}

// contextScope has the names of the text of a context: a summary knows the
// messages alone.
func (r *reader) contextScope(mode handoffs.ContextMode) expression.Scope {
	scope := expression.Scope{}
	if mode != handoffs.ContextSummary {
		scope = r.Scope.With(turnName, expression.Record(turnShape())).With("payload", kindOf(expression.Map))
	}
	return scope.With("messages", expression.Type{Kind: expression.List, Elem: expression.Map})
}

// contextNeeds looks that a policy has what its mode needs, and makes the
// functions of its text.
func (r *reader) contextNeeds(n *source.Node, c *handoffs.ContextPolicy, text *slot) {
	made := c.Mode == handoffs.ContextSummary || c.Mode == handoffs.ContextCustom
	switch {
	case made && n.Get("text") == nil:
		r.Rep.Errorf(n.Pos, "the context %q needs \"text\", which says what the agent gets", c.Mode).Hint = `write {mode: ` + string(c.Mode) + `, text: "${…}"}`
	case !made && n.Get("text") != nil:
		r.Rep.Errorf(n.Get("text").Pos, `"text" is only for the contexts summary and custom`)
	case (c.Mode == handoffs.ContextFields || c.Mode == handoffs.ContextArtifacts) && len(c.Fields) == 0 && n.Get("fields") == nil:
		r.Rep.Errorf(n.Pos, "the context %q needs \"fields\"", c.Mode)
	}
	switch c.Mode {
	case handoffs.ContextSummary:
		c.Summarize = func(ms []state.Message) (string, error) {
			return text.text(&contextView{messages: messageValues(ms)})
		}
	case handoffs.ContextCustom:
		c.Custom = func(in handoffs.ContextInput) ([]state.Message, error) {
			made, err := text.text(&contextView{messageValues(in.Messages), turnValue(&in.Turn), in.Facts})
			return []state.Message{state.Text(state.RoleHuman, made)}, err
		}
	}
}

// contextView is what the text of a context sees.
type contextView struct {
	messages []any
	turn     map[string]any
	facts    handoffs.Facts
}

// Lookup finds the messages, the turn, and then facts.
func (v *contextView) Lookup(name string) (any, bool) {
	switch name {
	case "messages":
		return v.messages, true
	case turnName:
		if v.turn == nil {
			return turnValue(&handoffs.Turn{}), true
		}
		return v.turn, true
	}
	return facts(v.facts).Lookup(name)
}

// messageValues are messages as fields of files hold them.
func messageValues(ms []state.Message) []any {
	out := make([]any, 0, len(ms))
	for _, m := range ms {
		data, err := m.MarshalJSON()
		if err != nil {
			continue
		}
		if v, err := state.ParseAny(data); err == nil {
			out = append(out, v)
		}
	}
	return out
}
