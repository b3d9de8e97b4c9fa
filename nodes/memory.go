package nodes

import (
	"context"
	"fmt"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

// Memory says how much of the conversation an agent's model gets. The zero
// Memory gives all of it. The state keeps it all in any case; what Summarize, the
// node, does to it is another matter.
type Memory struct {
	// Tokens is a budget for the conversation, without instructions and tools; 0
	// or less: none. The newest messages are taken, a call with its results or
	// not at all, and the first message of the user.
	Tokens int
	// Last is how many messages are given; 0 or less: all that the budget takes.
	Last int
	// Summary tells in place of what does not fit what it was about; nil: it is
	// left out.
	Summary *Summarizer
	// Count returns the tokens of a text; nil: a quarter of its bytes, rounded up.
	Count func(string) int
}

// remember makes what the model gets of the conversation, with what the turn
// has added, and tells what that cost.
func (t *turn) remember(ctx context.Context) (talk []state.Message, cost costs, err error) {
	talk = t.seen(append(t.given[:len(t.given):len(t.given)], t.made...))
	m := &t.memory
	if m.Tokens <= 0 && m.Last <= 0 {
		return talk, cost, nil
	}
	p := &handoffs.ContextPolicy{Tokens: m.Tokens, Count: m.Count, PinFirst: true}
	if m.Last > 0 {
		p.Mode, p.Last = handoffs.ContextLast, m.Last
	}
	kept, _, err := p.Project(handoffs.ContextInput{Messages: talk, Turn: handoffs.Turn{Agent: t.agent()}})
	if err != nil {
		return nil, cost, fmt.Errorf("nodes: agent %q: %w", t.agent(), err)
	}
	if m.Summary == nil || len(kept) == len(talk) {
		return kept, cost, nil
	}
	return t.summarized(ctx, talk, kept)
}

// summarized puts a summary of what was left out in front of what is kept.
func (t *turn) summarized(ctx context.Context, talk, kept []state.Message) ([]state.Message, costs, error) {
	lost := leftOut(talk, kept)
	if len(lost) == 0 {
		return kept, costs{}, nil
	}
	made, err := graph.Once(ctx, t.key("summary:%d", t.round), func(ctx context.Context) (s summary, err error) {
		s.Text, s.Usage, err = t.memory.Summary.ask(ctx, t.model, "", lost)
		return s, err
	})
	if err != nil {
		return nil, costs{}, err
	}
	front := state.Text(state.RoleSystem, summaryFront+made.Text)
	return append([]state.Message{front}, kept...), costs{made.Usage, 1}, nil
}

// summary is a summary as it is kept.
type summary struct {
	Text  string      `json:"text"`
	Usage model.Usage `json:"usage"`
}

// leftOut are the messages of talk that are not among those kept. Messages are
// the same if they are of one place of the conversation: kept is in its order.
func leftOut(talk, kept []state.Message) (lost []state.Message) {
	at := 0
	for i := range talk {
		if at < len(kept) && sameMessage(&talk[i], &kept[at]) {
			at++
			continue
		}
		lost = append(lost, talk[i])
	}
	return lost
}

func sameMessage(a, b *state.Message) bool {
	return a.Role == b.Role && a.ID == b.ID && a.ToolCallID == b.ToolCallID && a.Text() == b.Text() && len(a.ToolCalls) == len(b.ToolCalls)
}
