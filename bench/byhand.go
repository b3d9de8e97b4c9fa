package bench

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
)

// The baselines: what one writes by hand for the same work.

// loopByHand calls the nodes one after another.
func loopByHand(ctx context.Context, n int) (S8, error) {
	var s S8
	for range n {
		d, err := workByHand(ctx, s)
		if err != nil {
			return s, err
		}
		s.apply(d)
	}
	return s, nil
}

// goroutineByHand calls every node in a goroutine of its own and waits for it.
func goroutineByHand(ctx context.Context, n int) (S8, error) {
	var s S8
	for range n {
		var d delta
		var err error
		var wg sync.WaitGroup
		wg.Add(1)
		go func() {
			defer wg.Done()
			d, err = workByHand(ctx, s)
		}()
		wg.Wait()
		if err != nil {
			return s, err
		}
		s.apply(d)
	}
	return s, nil
}

// errgroupByHand calls n branches at once and applies what they return in
// their order, between one node before and one after them.
func errgroupByHand(ctx context.Context, n int) (S8, error) {
	s, err := loopByHand(ctx, 1)
	if err != nil {
		return s, err
	}
	deltas := make([]delta, n)
	g, gctx := errgroup.WithContext(ctx)
	for i := range n {
		g.Go(func() (err error) {
			deltas[i], err = workByHand(gctx, s)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return s, err
	}
	for _, d := range deltas {
		s.apply(d)
	}
	d, err := workByHand(ctx, s)
	s.apply(d)
	return s, err
}
