package handoffs

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/graphrun/graphrun/graph"
)

// readBreakers are shared breakers as a step saw them.
type readBreakers struct {
	All     map[string]Breaker `json:"breakers"`
	Version string             `json:"version"`
}

// step lets the manager work on a batch; begin, which may be nil, is called
// before. If threads share breakers it decides on those of now. Where another
// thread changes them meanwhile it decides anew: so all failures count, and no
// probe is one too many. Each time another thread has gone on.
func (t *Team[S]) step(ctx context.Context, in *Batch, begin func() error) (*Result, error) {
	for {
		if err := t.seeBreakers(ctx, in); err != nil {
			return nil, err
		}
		if begin != nil {
			if err := begin(); err != nil {
				return nil, err
			}
		}
		res, err := t.m.Step(ctx, in)
		if err != nil {
			return nil, err
		}
		if kept, err := t.keepBreakers(ctx, in, res.Desk); kept || err != nil {
			return res, err
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		in.Breakers = nil
	}
}

// seeBreakers gives a batch the shared breakers, unless it has them.
func (t *Team[S]) seeBreakers(ctx context.Context, in *Batch) error {
	if t.cfg.Breakers == nil || in.Breakers != nil {
		return nil
	}
	seen, err := t.loadBreakers(ctx)
	in.see(&seen)
	return err
}

// recallBreakers gives a batch the shared breakers as its task saw them first.
func (t *Team[S]) recallBreakers(ctx context.Context, in *Batch) error {
	if t.cfg.Breakers == nil {
		return nil
	}
	seen, err := graph.Once(ctx, "breakers", t.loadBreakers)
	in.see(&seen)
	return err
}

func (t *Team[S]) loadBreakers(ctx context.Context) (seen readBreakers, err error) {
	seen.All, seen.Version, err = t.cfg.Breakers.Load(ctx)
	return seen, breakersLost(ctx, "reading", err)
}

func (in *Batch) see(b *readBreakers) {
	in.Breakers, in.breakers = b.All, b.Version
	if in.Breakers == nil {
		in.Breakers = map[string]Breaker{}
	}
}

// keepBreakers stores what became of the shared breakers. It reports false if
// they are not those any more that the batch was decided on.
func (t *Team[S]) keepBreakers(ctx context.Context, in *Batch, d *Desk) (bool, error) {
	if t.cfg.Breakers == nil || maps.Equal(in.Breakers, d.Breakers) {
		return true, nil
	}
	kept, err := t.cfg.Breakers.Swap(ctx, in.breakers, d.Breakers)
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
