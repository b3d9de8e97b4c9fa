package nodes

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// HumanConfig holds what a Human is made of. It needs a Question or Ask.
type HumanConfig[S any] struct {
	Question Question
	// Ask makes the question of the state instead; it must be pure, for the node
	// runs again with the answer.
	Ask func(s S) (Question, error)
	// Into makes writes of the answer; nil: none. Its error fails the node.
	Into func(a Answer) ([]state.Write[S], error)
	// Messages gets the question as the node's message and the answer as a
	// human's; nil: it does not.
	Messages Conversation[S]
	// Goto are the nodes that choices of Ask may lead to.
	Goto []string
}

// Human is a node that asks a person and waits for the answer, in another
// process if need be. It does not change once it is made, and may work for any
// number of runs at once.
type Human[S any] struct{ cfg HumanConfig[S] }

// NewHuman checks the configuration.
func NewHuman[S any](cfg HumanConfig[S]) (*Human[S], error) {
	var err error
	switch {
	case cfg.Ask == nil:
		err = cfg.Question.check()
	case cfg.Question.Text != "":
		err = errors.New("it has a Question and Ask; it can have one of them")
	}
	if err != nil {
		return nil, fmt.Errorf("nodes: the question of a Human: %w", err)
	}
	return &Human[S]{cfg}, nil
}

// NodeConfig declares the nodes that choices lead to; it is the caller's.
func (h *Human[S]) NodeConfig() *graph.NodeConfig { return &graph.NodeConfig{Goto: h.targets()} }

// targets are the nodes that choices may lead to.
func (h *Human[S]) targets() []string {
	targets := slices.Clone(h.cfg.Goto)
	for _, c := range h.cfg.Question.Choices {
		if c.Goto != "" && !slices.Contains(targets, c.Goto) {
			targets = append(targets, c.Goto)
		}
	}
	return targets
}

// Node asks. It is a graph.Node; add it with NodeConfig if choices lead
// somewhere. Where a choice does, the node's own edges are followed too, as with
// every goto.
func (h *Human[S]) Node(ctx context.Context, s S) (graph.Command[S], error) {
	q, err := h.question(s)
	if err != nil {
		return graph.Command[S]{}, err
	}
	a, err := q.ask(ctx, "ask")
	if err != nil {
		return graph.Command[S]{}, err
	}
	ws, err := h.writes(ctx, &q, &a)
	if err != nil {
		return graph.Command[S]{}, err
	}
	var cmd graph.Commands[S]
	parts := []graph.Command[S]{cmd.Update(ws...)}
	var gone []string
	for _, c := range a.Choices {
		if c.Goto != "" && !slices.Contains(gone, c.Goto) {
			gone = append(gone, c.Goto)
			parts = append(parts, cmd.Goto(c.Goto))
		}
	}
	return cmd.All(parts...), nil
}

// question makes what is asked, and looks that it can be.
func (h *Human[S]) question(s S) (Question, error) {
	if h.cfg.Ask == nil {
		return h.cfg.Question, nil
	}
	q, err := h.cfg.Ask(s)
	if err != nil {
		return q, err
	}
	if err := q.check(); err != nil {
		return q, fmt.Errorf("nodes: the question that Ask has made: %w", err)
	}
	targets := h.targets()
	for _, c := range q.Choices {
		if c.Goto != "" && !slices.Contains(targets, c.Goto) {
			return q, fmt.Errorf("nodes: the choice %q that Ask has made leads to %q, which is not in Goto", c.Value, c.Goto)
		}
	}
	return q, nil
}

// writes are what an answer changes in the state.
func (h *Human[S]) writes(ctx context.Context, q *Question, a *Answer) (ws []state.Write[S], err error) {
	if h.cfg.Messages != nil {
		info, err := graph.Task(ctx)
		if err != nil {
			return nil, err
		}
		asked, answered := state.Text(state.RoleAI, q.Text), state.Text(state.RoleHuman, a.Text)
		asked.ID, asked.Name, answered.ID = stableID(info, "question", "msg_"), info.Node, stableID(info, "answer", "msg_")
		ws = append(ws, h.cfg.Messages.Add(asked, answered))
	}
	if h.cfg.Into != nil {
		more, err := h.cfg.Into(*a)
		if err != nil {
			return nil, err
		}
		ws = append(ws, more...)
	}
	return ws, nil
}
