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

// summaryFront begins a message with a summary.
const summaryFront = "What was said before, in short:\n"

// ask asks for a summary of messages, and of what was before them; "": nothing. An
// empty one is an ErrAnswer.
func (s *Summarizer) ask(ctx context.Context, own model.Model, before string, ms []state.Message) (string, model.Usage, error) {
	m := s.Model
	if m == nil {
		m = own
	}
	talk := "The conversation:\n\n" + handoffs.FormatHistory(ms)
	if before != "" {
		talk = "What was before it, in short:\n\n" + before + "\n\n" + talk
	}
	r := &model.Request{
		MaxTokens: cmp.Or(s.MaxTokens, 500),
		Messages: []state.Message{
			state.Text(state.RoleSystem, cmp.Or(s.Instructions, summaryText)),
			state.Text(state.RoleHuman, talk),
		},
	}
	got, err := model.Collect(m.Stream(ctx, r), nil)
	if err != nil {
		return "", model.Usage{}, fmt.Errorf("nodes: the summary of %d messages: %w", len(ms), err)
	}
	if isBlank(got.Message.Text()) {
		return "", model.Usage{}, fmt.Errorf("%w: the summary of %d messages is empty", ErrAnswer, len(ms))
	}
	return got.Message.Text(), got.Usage, nil
}
