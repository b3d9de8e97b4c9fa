package nodes

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// ReviewerConfig holds what a Reviewer is made of. Ask is required.
type ReviewerConfig[S any] struct {
	// Ask makes of the state what is to be decided about; it must be pure. Configs
	// that are left out allow every decision.
	Ask func(s S) (Review, error)
	// Into makes writes of the decisions, one for each action; nil: none.
	Into func(decisions []Decision) ([]state.Write[S], error)
	// Goto are the nodes to go to: by Reject if anything is rejected, else by Edit
	// if anything is edited, else by Approve. What is absent follows the edges.
	Goto map[DecisionKind]string
}

// Reviewer is a node that lets a person approve, edit or reject what a run is
// about to do, in the form in which calls of tools are reviewed. It does not
// change once it is made, and may work for any number of runs at once.
type Reviewer[S any] struct{ cfg ReviewerConfig[S] }

// NewReviewer checks the configuration.
func NewReviewer[S any](cfg ReviewerConfig[S]) (*Reviewer[S], error) {
	if cfg.Ask == nil {
		return nil, errors.New("nodes: a Reviewer needs Ask")
	}
	for _, k := range slices.Sorted(maps.Keys(cfg.Goto)) {
		if k != Approve && k != Edit && k != Reject {
			return nil, fmt.Errorf("nodes: a Reviewer's Goto has the decision %q; there are approve, edit and reject", k)
		}
	}
	cfg.Goto = maps.Clone(cfg.Goto)
	return &Reviewer[S]{cfg}, nil
}

// NodeConfig declares the nodes that decisions lead to; it is the caller's.
func (r *Reviewer[S]) NodeConfig() *graph.NodeConfig {
	targets := slices.Sorted(maps.Values(r.cfg.Goto))
	return &graph.NodeConfig{Goto: slices.Compact(targets)}
}

// Node asks. It is a graph.Node; add it with NodeConfig if it has a Goto.
func (r *Reviewer[S]) Node(ctx context.Context, s S) (graph.Command[S], error) {
	var none graph.Command[S]
	q, err := r.cfg.Ask(s)
	if err != nil {
		return none, err
	}
	if err := q.complete(); err != nil {
		return none, fmt.Errorf("nodes: the review that Ask has made: %w", err)
	}
	decisions, err := decided(ctx, "review", &q)
	if err != nil {
		return none, err
	}
	var ws []state.Write[S]
	if r.cfg.Into != nil {
		if ws, err = r.cfg.Into(decisions); err != nil {
			return none, err
		}
	}
	var cmd graph.Commands[S]
	if to := r.cfg.Goto[overall(decisions)]; to != "" {
		return cmd.Goto(to, ws...), nil
	}
	return cmd.Update(ws...), nil
}

// complete fills in what a review may leave out.
func (q *Review) complete() error {
	if len(q.Actions) == 0 {
		return errors.New("it has no actions")
	}
	if q.Configs == nil {
		for _, a := range q.Actions {
			q.Configs = append(q.Configs, ReviewConfig{Name: a.Name, Allowed: []DecisionKind{Approve, Edit, Reject}})
		}
	}
	if len(q.Configs) != len(q.Actions) {
		return fmt.Errorf("it has %d actions and %d configs", len(q.Actions), len(q.Configs))
	}
	return nil
}

// overall is what several decisions come to.
func overall(ds []Decision) DecisionKind {
	for _, k := range []DecisionKind{Reject, Edit} {
		if slices.ContainsFunc(ds, func(d Decision) bool { return d.Kind == k }) {
			return k
		}
	}
	return Approve
}
