package nodes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

// SummarizeConfig holds what a Summarize is made of. Messages, Summary.Model and
// one of Tokens and Most are required.
type SummarizeConfig[S any] struct {
	Messages Conversation[S]
	Summary  Summarizer
	// Tokens and Most are how large the conversation may be: in tokens, and in
	// messages. 0 or less: no bound.
	Tokens int
	Most   int
	// Keep is how many of the last messages stay as they are; 0: 6; less: none.
	Keep int
	// Count returns the tokens of a text; nil: a quarter of its bytes, rounded up.
	// Texts and arguments of calls are counted.
	Count func(string) int
	// Usage makes writes of what the summary cost; nil: none.
	Usage func(u model.Usage, calls int) []state.Write[S]
}

// Summarize is a node that puts one message in place of the older part of a
// conversation, when that is too large: a system message with the name
// "summary". It stands where that part stood, and takes up an older summary.
//
// What stays as it was: the last messages, the last human message, system
// messages in front, and calls with their results together if one of them stays,
// or if a result is still to come. So a conversation may stay larger than its
// bound; if there is nothing new to sum up nothing is done and no model is
// asked.
//
// The whole conversation is written anew. Nobody else may write to it in the same
// step, and it must not be that of a team whose agents are at work: they are given
// messages by their places. Memory sums up for one agent's model alone and
// changes nothing.
//
// A Summarize does not change once it is made, and may work for any number of
// runs at once.
type Summarize[S any] struct{ cfg SummarizeConfig[S] }

// summaryName is the name of a summary's message.
const summaryName = "summary"

// NewSummarize checks the configuration.
func NewSummarize[S any](cfg SummarizeConfig[S]) (*Summarize[S], error) {
	var problems []error
	if cfg.Messages == nil {
		problems = append(problems, errors.New("it needs Messages"))
	}
	if cfg.Summary.Model == nil {
		problems = append(problems, errors.New("it needs Summary.Model"))
	}
	if cfg.Tokens <= 0 && cfg.Most <= 0 {
		problems = append(problems, errors.New("it needs Tokens or Most: how large the conversation may be"))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, fmt.Errorf("nodes: summarize: %w", err)
	}
	if cfg.Count == nil {
		cfg.Count = func(text string) int { return (len(text) + 3) / 4 }
	}
	return &Summarize[S]{cfg}, nil
}

// keptSummary is a summary as it is kept.
type keptSummary struct {
	summary
	At time.Time `json:"at"`
}

// Node sums up. It is a graph.Node.
func (n *Summarize[S]) Node(ctx context.Context, s S) (graph.Command[S], error) {
	var cmd graph.Commands[S]
	ms := n.cfg.Messages.Of(&s)
	if !n.tooLarge(ms) {
		return cmd.Update(), nil
	}
	stays := staying(ms, max(0, cmp.Or(n.cfg.Keep, 6)))
	before, old := n.older(ms, stays)
	if len(old) == 0 {
		return cmd.Update(), nil
	}
	info, err := graph.Task(ctx)
	if err != nil {
		return graph.Command[S]{}, err
	}
	made, err := graph.Once(ctx, "summary", func(ctx context.Context) (k keptSummary, err error) {
		k.Text, k.Usage, err = n.cfg.Summary.ask(ctx, nil, before, old)
		k.At = time.Now().UTC()
		return k, err
	})
	if err != nil {
		return graph.Command[S]{}, err
	}
	m := state.Text(state.RoleSystem, summaryFront+strings.TrimSpace(made.Text))
	m.ID, m.Name, m.Time = stableID(info, "summary", "msg_"), summaryName, made.At
	ws := []state.Write[S]{n.cfg.Messages.Replace(summedUp(ms, stays, m))}
	if n.cfg.Usage != nil {
		ws = append(ws, n.cfg.Usage(made.Usage, 1)...)
	}
	return cmd.Update(ws...), nil
}

// tooLarge reports whether a conversation exceeds its bounds.
func (n *Summarize[S]) tooLarge(ms []state.Message) bool {
	if n.cfg.Most > 0 && len(ms) > n.cfg.Most {
		return true
	}
	if n.cfg.Tokens <= 0 {
		return false
	}
	tokens := 0
	for i := range ms {
		tokens += n.cfg.Count(ms[i].Text())
		for _, c := range ms[i].ToolCalls {
			tokens += n.cfg.Count(c.Name) + n.cfg.Count(string(c.Args))
		}
	}
	return tokens > n.cfg.Tokens
}

// older are the messages that do not stay, and the summary that was made before.
func (n *Summarize[S]) older(ms []state.Message, stays []bool) (before string, old []state.Message) {
	for i := range ms {
		switch {
		case stays[i]:
		case isSummary(&ms[i]):
			before = strings.TrimPrefix(ms[i].Text(), summaryFront)
		default:
			old = append(old, ms[i])
		}
	}
	return before, old
}

// summedUp puts a summary in place of the first message that does not stay.
func summedUp(ms []state.Message, stays []bool, m state.Message) []state.Message {
	first := slices.Index(stays, false)
	out := append(make([]state.Message, 0, len(ms)), ms[:first]...)
	out = append(out, m)
	for i := first; i < len(ms); i++ {
		if stays[i] {
			out = append(out, ms[i])
		}
	}
	return out
}
