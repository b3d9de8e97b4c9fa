package model_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

// event is a call that began, and the tokens that it took.
type event struct {
	at     time.Time
	tokens int
}

// clock is a model that keeps when its calls began. A call costs as many tokens
// as its question says, and takes a while.
type clock struct {
	mu       sync.Mutex
	events   []event
	now, top int // calls at work, and the most of them
	lasts    time.Duration
}

func (c *clock) model() model.Model {
	return model.Func(func(_ context.Context, r *model.Request) (*model.Response, error) {
		var cost int
		_, _ = fmt.Sscan(r.Messages[0].Text(), &cost)
		c.mu.Lock()
		c.events = append(c.events, event{time.Now(), cost})
		c.now++
		c.top = max(c.top, c.now)
		c.mu.Unlock()
		time.Sleep(c.lasts)
		c.mu.Lock()
		c.now--
		c.mu.Unlock()
		return &model.Response{Usage: model.Usage{Output: cost}}, nil
	})
}

// costs is a request that costs tokens, with an estimate of at least as much.
func costs(tokens, estimate int) *model.Request {
	r := ask(fmt.Sprint(tokens))
	r.MaxTokens = estimate
	return r
}

// requireRates checks every stretch of time between two calls: it may have what
// a rate allows in it, and a burst.
func (c *clock) requireRates(t *testing.T, limits model.LimiterConfig, excess int) {
	allowed := func(perMinute int, stretch time.Duration) float64 {
		return float64(perMinute)*stretch.Minutes() + max(float64(perMinute)*limits.Burst.Minutes(), 1) + 1e-6
	}
	for i := range c.events {
		tokens := 0
		for j := i; j < len(c.events); j++ {
			tokens += c.events[j].tokens
			stretch := c.events[j].at.Sub(c.events[i].at)
			if limits.Requests > 0 {
				require.LessOrEqual(t, float64(j-i+1), allowed(limits.Requests, stretch))
			}
			if limits.Tokens > 0 {
				require.LessOrEqual(t, float64(tokens-excess), allowed(limits.Tokens, stretch))
			}
		}
	}
}

func TestRatesAreNeverExceeded(t *testing.T) {
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			dice := rand.New(rand.NewPCG(seed, 1))
			limits := model.LimiterConfig{Requests: dice.IntN(120), Tokens: dice.IntN(3) * 3000, Concurrent: dice.IntN(4),
				Burst: time.Duration(1+dice.IntN(20)) * time.Second}
			full := int(float64(limits.Tokens) / 60 * limits.Burst.Seconds())
			c := &clock{lasts: time.Duration(dice.IntN(5000)) * time.Millisecond}
			m := model.Limit{Model: c.model(), Limiter: model.NewLimiter(limits)}
			var all sync.WaitGroup
			for range 30 {
				used := dice.IntN(max(full, 1))
				r, after := costs(used, used+dice.IntN(max(full-used, 1))), time.Duration(dice.IntN(60))*time.Second
				gone := time.Duration(dice.IntN(90)) * time.Second
				if dice.IntN(4) > 0 {
					gone = 24 * time.Hour
				}
				all.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), gone)
					defer cancel()
					time.Sleep(after)
					told(m, ctx, r)
				})
			}
			all.Wait()
			require.NotEmpty(t, c.events)
			c.requireRates(t, limits, 0)
			if limits.Concurrent > 0 {
				require.LessOrEqual(t, c.top, limits.Concurrent)
			}
		})
	}
}

func TestCallsThatCostMoreThanEstimatedArePaidByThoseThatCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := model.LimiterConfig{Tokens: 600, Burst: 6 * time.Second}
		c := &clock{}
		m := model.Limit{Model: c.model(), Limiter: model.NewLimiter(limits)}
		began := time.Now()
		for _, cost := range []int{10, 500, 10, 700, 10} {
			told(m, t.Context(), costs(cost, 0))
		}
		c.requireRates(t, limits, 700)
		require.Greater(t, time.Since(began), 2*time.Minute-6*time.Second)
	})
}

func TestLimitsThatAreLargerThanTheBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &clock{}
		m := model.Limit{Model: c.model(), Limiter: model.NewLimiter(model.LimiterConfig{Tokens: 60, Requests: 1, Burst: time.Second})}
		began := time.Now()
		require.Len(t, told(m, t.Context(), costs(120, 120)), 1)
		require.Zero(t, time.Since(began), "the burst is there at once")
		require.Len(t, told(m, t.Context(), costs(1<<40, 1<<40)), 1)
		require.InDelta(t, 121, time.Since(began).Seconds(), 2, "what was more is paid")
		require.Len(t, told(m, t.Context(), costs(1, 1)), 1)
		require.InDelta(t, 121+600, time.Since(began).Seconds(), 3, "a debt is of ten minutes at most")
	})
}

func TestUnusedTokensAreGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &clock{}
		m := model.Limit{Model: c.model(), Limiter: model.NewLimiter(model.LimiterConfig{Tokens: 6000, Burst: 10 * time.Second})}
		for range 10 {
			told(m, t.Context(), costs(50, 1000))
		}
		require.Less(t, c.events[9].at.Sub(c.events[0].at), time.Minute)
	})
}

func TestPlacesAreFreed(t *testing.T) {
	for name, read := range map[string]func(context.Context, model.Model){
		"at the end": func(ctx context.Context, m model.Model) { told(m, ctx, ask("?")) },
		"when the reader leaves": func(ctx context.Context, m model.Model) {
			for range m.Stream(ctx, ask("?")) {
				break
			}
		},
		"when the reader panics": func(ctx context.Context, m model.Model) {
			defer func() { _ = recover() }()
			for range m.Stream(ctx, ask("?")) {
				panic("reader")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				limiter := model.NewLimiter(model.LimiterConfig{Concurrent: 1})
				m := model.Limit{Model: turns([]any{text("a"), fault(model.Cut)}), Limiter: limiter}
				for range 3 {
					read(t.Context(), m)
				}
			})
		})
	}
}

func TestWaitsEndWithTheirContext(t *testing.T) {
	enough := errors.New("enough")
	for name, limits := range map[string]model.LimiterConfig{
		"rate": {Requests: 1}, "tokens": {Tokens: 1}, "place": {Concurrent: 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &clock{lasts: 10 * time.Minute}
				m := model.Limit{Model: c.model(), Limiter: model.NewLimiter(limits)}
				var all sync.WaitGroup
				all.Go(func() { told(m, t.Context(), costs(3, 1)) })
				synctest.Wait()
				ctx, cancel := context.WithCancelCause(t.Context())
				for range 3 { // the first in the line, and those behind it
					all.Go(func() { require.Equal(t, []any{enough}, told(m, ctx, costs(1, 1))) })
				}
				time.Sleep(time.Second)
				cancel(enough)
				all.Go(func() { require.Equal(t, []any{enough}, told(m, ctx, costs(1, 1))) })
				all.Wait()
				require.Len(t, c.events, 1)
				require.Len(t, told(m, t.Context(), costs(1, 1)), 1, "those who left hold nothing")
			})
		})
	}
}

func TestFirstComeFirstServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &clock{lasts: time.Second}
		m := model.Limit{Model: c.model(), Limiter: model.NewLimiter(model.LimiterConfig{Requests: 30, Concurrent: 2, Tokens: 6000})}
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() { told(m, t.Context(), costs(i, (i%3)*700)) })
			synctest.Wait()
		}
		all.Wait()
		for i, e := range c.events {
			require.Equal(t, i, e.tokens)
		}
	})
}

func TestNoLimit(t *testing.T) {
	for name, limiter := range map[string]*model.Limiter{"nil": nil, "zero": {}, "empty": model.NewLimiter(model.LimiterConfig{})} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &clock{}
				m := model.Limit{Model: c.model(), Limiter: limiter}
				began := time.Now()
				for range 100 {
					require.Len(t, told(m, t.Context(), costs(1000, 1000)), 1)
				}
				require.Zero(t, time.Since(began))
			})
		})
	}
}

func TestEstimateCountsTextsAndSchemas(t *testing.T) {
	// Each of these says about 4000 bytes, so 1000 tokens of 60 a minute: the
	// debt of the first call keeps the second one waiting.
	long := strings.Repeat("x", 4000)
	for name, r := range map[string]*model.Request{
		"text":      ask(long),
		"link":      {Messages: []state.Message{{Role: state.RoleHuman, Content: []state.Part{{Type: "image", URL: long}}}}},
		"arguments": {Messages: []state.Message{{Role: state.RoleAI, ToolCalls: []state.ToolCall{{Name: "a", Args: []byte(`"` + long + `"`)}}}}},
		"tool":      {Tools: []model.Tool{{Name: "a", Description: long}}},
		"schema":    {Schema: &model.Schema{Schema: []byte(`"` + long + `"`)}},
		"answer":    {MaxTokens: 1000},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := model.Limit{Model: turns([]any{end("stop")}), Limiter: model.NewLimiter(model.LimiterConfig{Tokens: 600})}
				began := time.Now()
				told(m, t.Context(), r)
				require.Zero(t, time.Since(began))
				told(m, t.Context(), r)
				require.InDelta(t, 100, time.Since(began).Seconds(), 1)
			})
		})
	}
}
