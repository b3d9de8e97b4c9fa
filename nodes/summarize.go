package nodes

import (
	"cmp"
	"context"
	"fmt"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

// Summarizer makes a short text of a part of a conversation by asking a model.
type Summarizer struct {
	Model        model.Model // nil: the agent's own
	Instructions string      // "": to keep facts, decisions, names and what is open
	MaxTokens    int         // of the summary; 0: 500
}

const summaryText = `You write down what a conversation was about, for somebody who goes on with it. Keep facts, numbers, names, decisions, what was promised and what is open. Leave out courtesies. Write plain text, as short as can be.`

// ask asks for a summary of messages.
func (s *Summarizer) ask(ctx context.Context, own model.Model, ms []state.Message) (string, model.Usage, error) {
	m := s.Model
	if m == nil {
		m = own
	}
	r := &model.Request{
		MaxTokens: cmp.Or(s.MaxTokens, 500),
		Messages: []state.Message{
			state.Text(state.RoleSystem, cmp.Or(s.Instructions, summaryText)),
			state.Text(state.RoleHuman, "The conversation:\n\n"+handoffs.FormatHistory(ms)),
		},
	}
	got, err := model.Collect(m.Stream(ctx, r), nil)
	if err != nil {
		return "", model.Usage{}, fmt.Errorf("nodes: the summary of %d messages: %w", len(ms), err)
	}
	return got.Message.Text(), got.Usage, nil
}
