package model

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"time"
)

// Retry is a model that asks another one again when that fails, by the class of
// the error. A stream that ends without its End, or that Collect would not take,
// is a failure too. Before each new attempt it tells an Again; End is told once
// the stream has ended well. The error of several attempts says how many there
// were, and has the last one's inside. Once ctx has ended nothing is tried
// anew, and the error is the cause.
//
// A Retry keeps nothing: it may be copied, and used concurrently.
type Retry struct {
	Model      Model
	Attempts   int           // with the first one; 0: 4; less: no bound
	Initial    time.Duration // wait before the second attempt; 0: 500 ms; less: none
	Max        time.Duration // longest wait of its own accord; 0: 30 s; less: no bound
	Backoff    float64       // factor from one wait to the next; 0: 2; below 1: 1
	MaxElapsed time.Duration // no attempt begins later than this after the first; 0 or less: no bound

	// MaxWait is how long a provider may ask to wait, with Error.RetryAfter: at
	// least that long is waited. If it asks for more there is no other attempt.
	// 0: 2 minutes; less: no bound.
	MaxWait time.Duration
	// On says which errors are worth another attempt; nil: Retryable.
	On func(error) bool
	// NoJitter makes waits exact. Else a wait is shortened by up to a half, by a
	// share that follows from the request and the attempt: other requests that
	// failed at the same time wait for other times, and each always the same.
	NoJitter bool
}

// errLeft stands for a reader that breaks out of a stream.
var errLeft = errors.New("model: the reader left the stream")

// Info tells what the model is that is asked.
func (t Retry) Info() Info { return InfoOf(t.Model) }

// Stream asks the model, again and again if need be.
func (t Retry) Stream(ctx context.Context, r *Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		began := time.Now()
		for attempt := 1; ; attempt++ {
			failed := t.attempt(ctx, r, yield)
			if failed == nil || failed == errLeft {
				return
			}
			wait, err := t.again(ctx, r, attempt, time.Since(began), failed)
			if err == nil {
				err = pause(ctx, wait)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(Again{Attempt: attempt + 1, After: wait, Err: failed}, nil) {
				return
			}
		}
	}
}

// attempt tells one answer. End is held back until it is sure to be one.
func (t Retry) attempt(ctx context.Context, r *Request, yield func(Chunk, error) bool) error {
	var j joiner
	var end Chunk
	for c, err := range ask(ctx, t.Model, r) {
		if err == nil {
			err = j.take(c)
		}
		if err != nil {
			return err
		}
		if _, ok := c.(End); ok {
			end = c
		} else if !yield(c, nil) {
			return errLeft
		}
	}
	if _, err := j.close(); err != nil {
		return err
	}
	yield(end, nil)
	return nil
}

// again returns how long to wait behind a failed attempt, or the error that
// there is if no other follows.
func (t Retry) again(ctx context.Context, r *Request, attempt int, since time.Duration, failed error) (time.Duration, error) {
	on := t.On
	if on == nil {
		on = Retryable
	}
	most := or(t.Attempts, 4)
	switch {
	case ctx.Err() != nil:
		return 0, context.Cause(ctx)
	case !on(failed) || most > 0 && attempt >= most:
		return 0, t.last(attempt, failed)
	}
	wait := t.interval(r, attempt)
	if e := (*Error)(nil); errors.As(failed, &e) {
		if longest := or(t.MaxWait, 2*time.Minute); longest > 0 && e.RetryAfter > longest {
			return 0, fmt.Errorf("%w, longer than the %s that are waited at most", t.last(attempt, failed), longest)
		}
		wait = max(wait, e.RetryAfter)
	}
	if t.MaxElapsed > 0 && since+wait > t.MaxElapsed {
		return 0, t.last(attempt, failed)
	}
	return wait, nil
}

// last is the error of the last attempt.
func (t Retry) last(attempt int, failed error) error {
	if attempt == 1 {
		return failed
	}
	return fmt.Errorf("%w (attempt %d, the last)", failed, attempt)
}

// interval returns the wait behind an attempt, if the provider has no wishes.
func (t Retry) interval(r *Request, attempt int) time.Duration {
	first, most, factor := or(t.Initial, 500*time.Millisecond), or(t.Max, 30*time.Second), or(t.Backoff, 2)
	if first < 0 {
		return 0
	}
	if most < 0 {
		most = math.MaxInt64 / 4
	}
	if !(factor >= 1) {
		factor = 1
	}
	wait := min(float64(first)*math.Pow(factor, float64(attempt-1)), float64(most))
	if !t.NoJitter {
		wait -= wait / 2 * share(r, attempt)
	}
	return time.Duration(wait)
}

// share returns a number from 0 up to 1 that follows from its arguments.
func share(r *Request, attempt int) float64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", r.Hash(), attempt))
	return float64(binary.BigEndian.Uint64(sum[:])>>11) / (1 << 53)
}

// or returns the value, or a default for zero.
func or[T int | float64 | time.Duration](v, zero T) T {
	if v == 0 {
		return zero
	}
	return v
}

// pause waits, or returns the cause of the context's end.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 || ctx.Err() != nil {
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

// ask asks the model that a wrapper is around. None is an error.
func ask(ctx context.Context, m Model, r *Request) iter.Seq2[Chunk, error] {
	if m != nil {
		return m.Stream(ctx, r)
	}
	return func(yield func(Chunk, error) bool) {
		yield(nil, &Error{Class: Invalid, Text: "there is no model to ask: the field Model is nil"})
	}
}
