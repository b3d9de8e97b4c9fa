package nodes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

// Class is something that a Router can decide on.
type Class struct {
	Name        string // as the model answers it
	Description string // when it is right, for the model
	Examples    []string
	Goto        string // the node to go to; "": the node's edges are followed
}

// RouterConfig holds what a Router is made of. Model, Classes and one of
// Messages and Text are required.
type RouterConfig[S any] struct {
	Model model.Model
	// Instructions are put before what every router is told; they may be empty.
	Instructions string
	Classes      []Class
	// Messages is the conversation that is looked at: its Last messages.
	Messages Conversation[S]
	// Last is how many; 0: 10; less: all.
	Last int
	// Text makes what is looked at of the state instead.
	Text func(s S) (string, error)
	// Default is the class that is taken if the model names none also after it
	// was told so; "": that is an ErrAnswer.
	Default string
	// Into makes writes of the class; nil: none.
	Into func(c Class) []state.Write[S]
	// Usage makes writes of what the model cost; nil: none.
	Usage func(u model.Usage, calls int) []state.Write[S]

	MaxTokens   int      // of the answer; 0: the model's default
	Temperature *float64 // nil: the model's default
}

// Router is a node that lets a model decide which of several classes the state
// belongs to. Each call of the model is kept with the task: what was decided
// stays, also in another process. It does not change once it is made, and may
// work for any number of runs at once.
type Router[S any] struct{ cfg RouterConfig[S] }

// NewRouter checks the configuration.
func NewRouter[S any](cfg RouterConfig[S]) (*Router[S], error) {
	var problems []error
	if cfg.Model == nil {
		problems = append(problems, errors.New("it needs a Model"))
	}
	if (cfg.Messages == nil) == (cfg.Text == nil) {
		problems = append(problems, errors.New("it needs Messages or Text, and not both"))
	}
	if len(cfg.Classes) == 0 {
		problems = append(problems, errors.New("it needs Classes"))
	}
	seen := map[string]bool{}
	for _, c := range cfg.Classes {
		if plainName(c.Name) == "" || seen[plainName(c.Name)] {
			problems = append(problems, fmt.Errorf("its classes must have names that are different, also without case and spaces; one is %q", c.Name))
		}
		seen[plainName(c.Name)] = true
	}
	cfg.Classes = slices.Clone(cfg.Classes)
	r := &Router[S]{cfg}
	if cfg.Default != "" && r.class(cfg.Default) == nil {
		problems = append(problems, fmt.Errorf("its Default %q is none of its classes", cfg.Default))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, fmt.Errorf("nodes: router: %w", err)
	}
	return r, nil
}

func (r *Router[S]) class(name string) *Class {
	for i := range r.cfg.Classes {
		if c := &r.cfg.Classes[i]; c.Name == name {
			return c
		}
	}
	return nil
}

// NodeConfig declares the nodes that classes lead to; it is the caller's.
func (r *Router[S]) NodeConfig() *graph.NodeConfig {
	var targets []string
	for _, c := range r.cfg.Classes {
		if c.Goto != "" && !slices.Contains(targets, c.Goto) {
			targets = append(targets, c.Goto)
		}
	}
	return &graph.NodeConfig{Goto: targets}
}

// Node decides. It is a graph.Node; add it with NodeConfig if classes lead
// somewhere. It writes nothing but what Into and Usage make.
func (r *Router[S]) Node(ctx context.Context, s S) (graph.Command[S], error) {
	text, err := r.text(&s)
	if err != nil {
		return graph.Command[S]{}, err
	}
	w := &routing{ctx: ctx, model: r.cfg.Model, classes: r.cfg.Classes}
	w.request(r.cfg.Instructions, text, r.cfg.MaxTokens, r.cfg.Temperature)
	c, err := w.decide()
	if errors.Is(err, ErrAnswer) && r.cfg.Default != "" {
		c, err = r.class(r.cfg.Default), nil
	}
	if err != nil {
		return graph.Command[S]{}, err
	}
	var ws []state.Write[S]
	if r.cfg.Into != nil {
		ws = append(ws, r.cfg.Into(*c)...)
	}
	if r.cfg.Usage != nil {
		ws = append(ws, r.cfg.Usage(w.spent, w.calls)...)
	}
	var cmd graph.Commands[S]
	if c.Goto != "" {
		return cmd.Goto(c.Goto, ws...), nil
	}
	return cmd.Update(ws...), nil
}

// text is what the model looks at.
func (r *Router[S]) text(s *S) (string, error) {
	if r.cfg.Text != nil {
		return r.cfg.Text(*s)
	}
	ms := r.cfg.Messages.Of(s)
	if last := cmp.Or(r.cfg.Last, 10); last > 0 && len(ms) > last {
		ms = ms[len(ms)-last:]
	}
	return handoffs.FormatHistory(ms), nil
}
