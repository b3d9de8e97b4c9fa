package handoffs

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/graphrun/graphrun/graph"
)

// step lets the manager work on a batch; begin, which may be nil, is called
// before. If threads share breakers it decides on those of now, also when its
// task runs again for an answer: a step that asks has looked at none. Where
// another thread changes them meanwhile it decides anew, so that all failures
// count and no probe is one too many. Each time another thread has gone on.
func (t *Team[S]) step(ctx context.Context, in *Batch, begin func() error) (*Result, error) {
	for {
		version, err := t.loadBreakers(ctx, in)
		if err == nil && begin != nil {
			err = begin()
		}
		if err != nil {
			return nil, err
		}
		res, err := t.m.Step(ctx, in)
		if err != nil {
			return nil, err
		}
		if kept, err := t.keepBreakers(ctx, version, in, res.Desk); kept || err != nil {
			return res, err
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
}

// loadBreakers gives a batch the shared breakers and returns their version.
func (t *Team[S]) loadBreakers(ctx context.Context, in *Batch) (version string, err error) {
	if t.cfg.Breakers == nil {
		return "", nil
	}
	in.Breakers, version, err = t.cfg.Breakers.Load(ctx)
	if in.Breakers == nil {
		in.Breakers = map[string]Breaker{}
	}
	return version, breakersLost(ctx, "reading", err)
}

// keepBreakers stores what became of the shared breakers. It reports false if
// they are not those any more that the batch was decided on.
func (t *Team[S]) keepBreakers(ctx context.Context, version string, in *Batch, d *Desk) (bool, error) {
	if t.cfg.Breakers == nil || maps.Equal(in.Breakers, d.Breakers) {
		return true, nil
	}
	kept, err := t.cfg.Breakers.Swap(ctx, version, d.Breakers)
	return kept, breakersLost(ctx, "keeping", err)
}

// breakersLost says that a BreakerStore failed, or that the task was stopped.
func breakersLost(ctx context.Context, doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return fmt.Errorf("handoffs: %s the shared breakers: %w: %w", doing, graph.ErrStore, err)
}

// checkBreakers looks that breakers can be shared.
func checkBreakers(store BreakerStore, p *Policy) error {
	switch {
	case store == nil:
		return nil
	case p.Breaker == nil:
		return errors.New("handoffs: TeamConfig.Breakers is given, but Policy.Breaker is nil: there are no breakers to share")
	case !p.Virtual.IsZero():
		return errors.New("handoffs: TeamConfig.Breakers cannot be shared under Policy.Virtual: each thread has a time of its own; leave one of them out")
	}
	return nil
}
