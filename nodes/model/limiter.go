package model

import (
	"context"
	"sync"
	"time"
)

// LimiterConfig says how much a Limiter allows. The zero value allows everything.
type LimiterConfig struct {
	Requests   int // per minute; 0 or less: no bound
	Tokens     int // per minute, of questions and answers; 0 or less: no bound
	Concurrent int // calls at once; 0 or less: no bound

	// Burst says how much may be used at once after a pause: what the rates
	// allow in this time, but never less than one request or token. A minute has
	// at most a minute's and a burst's requests and tokens. 0 or less: 6 seconds.
	Burst time.Duration
}

// Limiter keeps the calls of a model to its rates. Make one per model and share
// it: all threads of a process count together. Calls are let through in the order
// in which they came. A nil or zero Limiter allows everything. It may be used
// concurrently.
type Limiter struct {
	turn  chan struct{} // held by the call that is next
	slots chan struct{} // a place for each call at work; nil: any number

	mu       sync.Mutex
	requests bucket
	tokens   bucket
}

// NewLimiter makes a limiter. Its first burst is ready at once.
func NewLimiter(c LimiterConfig) *Limiter {
	if c.Burst <= 0 {
		c.Burst = 6 * time.Second
	}
	l := &Limiter{
		turn:     make(chan struct{}, 1),
		requests: newBucket(c.Requests, c.Burst),
		tokens:   newBucket(c.Tokens, c.Burst),
	}
	if c.Concurrent > 0 {
		l.slots = make(chan struct{}, c.Concurrent)
	}
	return l
}

// acquire waits until a call may begin. Only the first in the line looks at
// slots and rates: nothing is promised to calls that wait.
func (l *Limiter) acquire(ctx context.Context, tokens int) error {
	if l == nil || l.turn == nil {
		return nil
	}
	if err := enter(ctx, l.turn); err != nil {
		return err
	}
	defer func() { <-l.turn }()
	if l.slots != nil {
		if err := enter(ctx, l.slots); err != nil {
			return err
		}
	}
	for {
		wait := l.try(tokens)
		if wait == 0 {
			return nil
		}
		if err := pause(ctx, wait); err != nil {
			l.release()
			return err
		}
	}
}

// enter takes a place of a channel.
func enter(ctx context.Context, places chan struct{}) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// try takes a request and its tokens, or returns how long they are not there.
func (l *Limiter) try(tokens int) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if wait := max(l.requests.lack(now, 1), l.tokens.lack(now, tokens)); wait > 0 {
		return wait
	}
	l.requests.take(now, 1)
	l.tokens.take(now, tokens)
	return 0
}

// settle sets right what a call was taken for.
func (l *Limiter) settle(taken, used int) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tokens.take(time.Now(), used-taken)
}

// release gives back the place of a call.
func (l *Limiter) release() {
	if l != nil && l.slots != nil {
		<-l.slots
	}
}

// bucket fills at a rate up to its burst. It may be in debt.
type bucket struct {
	rate         float64 // per second; 0: no bound
	burst, level float64
	at           time.Time // when level was right
}

func newBucket(perMinute int, burst time.Duration) bucket {
	rate := float64(max(perMinute, 0)) / 60
	full := max(rate*burst.Seconds(), 1)
	return bucket{rate: rate, burst: full, level: full}
}

func (b *bucket) fill(now time.Time) {
	if !b.at.IsZero() {
		b.level = min(b.level+now.Sub(b.at).Seconds()*b.rate, b.burst)
	}
	b.at = now
}

// lack returns how long it takes until n are there. More than the burst never
// are: such a call begins when the burst is there.
func (b *bucket) lack(now time.Time, n int) time.Duration {
	b.fill(now)
	missing := min(float64(n), b.burst) - b.level
	if b.rate == 0 || missing <= 0 {
		return 0
	}
	return time.Duration(missing/b.rate*float64(time.Second)) + 1
}

// take takes n; what is not there is a debt that those who come pay by waiting.
// No debt is of more than ten minutes, for a usage may be told wrongly. A
// negative n is given back.
func (b *bucket) take(now time.Time, n int) {
	b.fill(now)
	b.level = min(max(b.level-float64(n), -600*b.rate), b.burst)
}
