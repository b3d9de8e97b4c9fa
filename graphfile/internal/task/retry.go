package task

import (
	"errors"
	"math"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile/internal/page"
	"github.com/graphrun/graphrun/graphfile/internal/source"
)

// Longest is the longest duration a file may name.
const Longest = 365 * 24 * time.Hour

// retryable says which errors of a node are worth another attempt: those of
// the key fail, timeouts and errors of Go code, but no expressions, which
// would fail again.
func retryable(err error) bool {
	return graph.Retryable(err) && !errors.Is(err, page.ErrExpression)
}

// ReadRetry reads the key retry of a node; nil if it is not there.
func ReadRetry(p *page.Page, f *source.Fields) *graph.RetryPolicy {
	if !f.Has("retry") {
		return nil
	}
	policy := &graph.RetryPolicy{RetryOn: retryable}
	n := f.Take("retry")
	if n.Kind == source.Null {
		n = &source.Node{Kind: source.Map, Pos: n.Pos}
	}
	r := p.Rep.Fields(n, "a retry policy")
	if n, ok := r.Int("max_attempts", 1, math.MaxInt32); ok {
		policy.MaxAttempts = int(n)
	}
	first, hasFirst := r.Duration("initial_interval", 0, Longest)
	if policy.InitialInterval = first; hasFirst && first == 0 {
		policy.InitialInterval = -1
	}
	policy.Backoff, _ = r.Float("backoff", 1, 1000)
	most, hasMost := r.Duration("max_interval", 1, Longest)
	policy.MaxInterval = most
	if hasFirst && hasMost && most < first {
		p.Rep.Errorf(r.KeyPos("max_interval"), "\"max_interval\" (%s) is shorter than \"initial_interval\" (%s)", most, first)
	}
	if jitter, ok := r.Bool("jitter"); ok {
		policy.NoJitter = !jitter
	}
	r.Done()
	return policy
}
