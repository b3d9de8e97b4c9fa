package handoffs

import (
	"math"
	"math/bits"
	"strconv"
	"time"
)

// left reports whether another attempt may follow the given one, which is 1
// for the first.
func (r *Retry) left(attempt int) bool {
	if r == nil {
		return false
	}
	most := r.Max
	if most == 0 {
		most = 3
	}
	return max(attempt, 1) <= most
}

// delay returns how long to wait behind the given attempt, which is 1 for the
// first. With jitter it is drawn from all times up to that by the seed and the
// attempt.
func (r *Retry) delay(attempt int, seed string) time.Duration {
	if r == nil {
		return 0
	}
	wait := r.interval(attempt)
	if !r.Jitter || wait <= 0 {
		return wait
	}
	high, _ := bits.Mul64(hashOf("retry", seed, strconv.Itoa(attempt)), uint64(wait)+1)
	return time.Duration(high)
}

// interval returns the wait behind an attempt without jitter.
func (r *Retry) interval(attempt int) time.Duration {
	wait, factor, most := r.Initial, r.Factor, r.Most
	if wait == 0 {
		wait = time.Second
	}
	if factor == 0 {
		factor = 2
	}
	if most <= 0 {
		most = math.MaxInt64
	}
	wait = min(max(wait, 0), most)
	for range attempt - 1 {
		next := float64(wait) * max(factor, 1)
		if !(next < float64(most)) {
			return most
		}
		if time.Duration(next) == wait {
			break
		}
		wait = time.Duration(next)
	}
	return wait
}
