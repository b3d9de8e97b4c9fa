package handoffs

import (
	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/state"
)

// input is what a context policy works on.
func (t *Team[S]) input(s *S, talk []state.Message, turn *Turn) ContextInput {
	in := ContextInput{Messages: talk, Turn: *turn, Facts: withPayload(t.facts(s), turn.Payload), Why: turn.Why, Needs: turn.Needs}
	if p, ok := t.m.p.Registry.Get(turn.Agent); ok {
		in.Target = *p
	}
	return in
}

// withPayload are a state's fields and the payload of a handoff, as guards see
// them.
func withPayload(fields Facts, payload map[string]any) Facts {
	if payload == nil {
		payload = map[string]any{}
	}
	return func(name string) (any, bool) {
		switch {
		case name == "payload":
			return payload, true
		case fields == nil:
			return nil, false
		}
		return fields(name)
	}
}

// contextOf makes an agent's context: what its policy made of the messages
// that were there when the agent was handed to, and its own since.
func (t *Team[S]) contextOf(s *S, look *Sight) ([]state.Message, error) {
	turn := &look.Turn
	if turn.Context == nil {
		return look.Messages, nil
	}
	ms, _, err := t.contextPolicy(look.Desk, turn).Project(t.input(s, look.Messages, turn))
	return ms, err
}

// contextPolicy is the policy that an agent was handed to by.
func (t *Team[S]) contextPolicy(d *Desk, turn *Turn) *ContextPolicy {
	for i := range d.Frames {
		if f := &d.Frames[i]; f.ID == turn.Frame {
			if e := t.m.edges[f.Edge]; e != nil && e.Context != nil {
				return e.Context
			}
		}
	}
	return &t.m.p.Context
}

// IndexRows makes the rows of the table agent_handoffs for what a step has
// added to the log. It is for graph.Builder.AddIndex.
func (t *Team[S]) IndexRows(before, after S) []checkpoint.Row {
	was, is := t.borrow(), t.borrow()
	defer t.giveBack(was)
	defer t.giveBack(is)
	*was, *is = before, after
	a, err := t.cfg.Fields.Look(was)
	if err != nil {
		return nil
	}
	b, err := t.cfg.Fields.Look(is)
	if err != nil || b.Log.Len() == a.Log.Len() {
		return nil
	}
	return IndexRows("", a.Log, b.Log)
}

// borrow returns a state to copy one into for those who take a pointer to it.
// When nothing refers to it any more it goes back by giveBack.
func (t *Team[S]) borrow() *S {
	if s, ok := t.spare.Get().(*S); ok {
		return s
	}
	return new(S)
}

func (t *Team[S]) giveBack(s *S) {
	var zero S
	*s = zero
	t.spare.Put(s)
}
