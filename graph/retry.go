package graph

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"
)

// RetryPolicy says whether and when a failed attempt of a node is repeated.
// Attempts are counted afresh in every run and resume.
type RetryPolicy struct {
	MaxAttempts     int           // with the first one; 0: 3; less: no bound
	InitialInterval time.Duration // before the second attempt; 0: 500 ms; less: none
	Backoff         float64       // factor from one interval to the next; 0: 2; below 1: 1
	MaxInterval     time.Duration // 0: 30 s; less: no bound
	MaxElapsed      time.Duration // no attempt begins later than this after the first; 0 or less: no bound
	NoJitter        bool          // intervals are exact, not drawn from their upper half

	// RetryOn says which errors are worth another attempt; nil: Retryable.
	RetryOn func(error) bool
}

// Retryable reports whether an error is of a kind that another attempt may
// heal. Panics, cancellation, spent budgets, wrong updates, changed views,
// commands with undeclared targets, emitted values with a type that is refused,
// interrupts and a missing or failed store are not, nor is an error in whose
// chain the first one that has a method Retryable() bool says no.
func Retryable(err error) bool {
	var panicked *PanicError
	var says interface{ Retryable() bool }
	if errors.As(err, &says) && !says.Retryable() {
		return false
	}
	return !errors.As(err, &panicked) && !errors.Is(err, context.Canceled) &&
		!errors.Is(err, ErrLimit) && !errors.Is(err, ErrRecursionLimit) &&
		!errors.Is(err, ErrInvalidUpdate) && !errors.Is(err, ErrUndeclared) && !errors.Is(err, ErrGoexit) &&
		!isAny(err, ErrMutated, ErrLineType, ErrNoStore, ErrStore, ErrInterrupted, ErrAnswer)
}

// again reports whether another attempt follows the given one, after how
// long, and the error that there is if none does.
func (p *RetryPolicy) again(attempt int, since time.Time, err error) (time.Duration, bool, error) {
	if p == nil {
		return 0, false, err
	}
	limit := p.MaxAttempts
	if limit == 0 {
		limit = 3
	}
	if limit > 0 && attempt >= limit {
		return 0, false, err
	}
	retry, err := p.wanted(err)
	if !retry {
		return 0, false, err
	}
	wait := p.interval(attempt)
	if p.MaxElapsed > 0 && time.Since(since)+wait > p.MaxElapsed {
		return 0, false, err
	}
	return wait, true, err
}

// wanted asks whether an error is worth another attempt. If the question
// panics that is the error.
func (p *RetryPolicy) wanted(err error) (retry bool, failed error) {
	if p.RetryOn == nil {
		return Retryable(err), err
	}
	defer func() {
		if v := recover(); v != nil {
			panicked := &PanicError{Value: v, Stack: debug.Stack()}
			failed = fmt.Errorf("retry condition: %w (called for: %w)", panicked, err)
		}
	}()
	return p.RetryOn(err), err
}

// interval returns how long to wait behind the given attempt.
func (p *RetryPolicy) interval(attempt int) time.Duration {
	wait, factor, most := p.InitialInterval, p.Backoff, p.MaxInterval
	if wait == 0 {
		wait = 500 * time.Millisecond
	}
	if factor == 0 {
		factor = 2
	}
	if most == 0 {
		most = 30 * time.Second
	}
	wait = max(wait, 0)
	for range attempt - 1 {
		next := time.Duration(float64(wait) * max(factor, 1))
		if next < wait || most > 0 && next > most {
			wait = max(most, wait)
			break
		}
		wait = next
	}
	if most > 0 {
		wait = min(wait, most)
	}
	if half := wait / 2; !p.NoJitter && half > 0 {
		wait = half + rand.N(half)
	}
	return wait
}

// pause waits, or returns the cause of the context's end.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return context.Cause(ctx)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
