package model_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/nodes/model"
)

func TestRetry(t *testing.T) {
	busy, slow := fault(model.Overloaded), &model.Error{Class: model.RateLimited, RetryAfter: 7 * time.Second}
	refused, odd := fault(model.Auth), errors.New("odd")
	fine := []any{text("ok"), end("stop")}
	again := func(attempt int, after time.Duration, err error) model.Again {
		return model.Again{Attempt: attempt, After: after, Err: err}
	}
	for name, c := range map[string]struct {
		retry model.Retry
		turns [][]any
		want  []any  // a final error is only compared by its text
		text  string // of the final error; "": none
		waits time.Duration
	}{
		"at once": {turns: [][]any{fine}, want: fine},
		"once more": {turns: [][]any{{busy}, fine}, waits: 500 * time.Millisecond,
			want: []any{again(2, 500*time.Millisecond, busy), text("ok"), end("stop")}},
		"what was told is void": {turns: [][]any{{text("half"), call("1", "look", "{}"), busy}, fine}, waits: 500 * time.Millisecond,
			want: []any{text("half"), call("1", "look", "{}"), again(2, 500*time.Millisecond, busy), text("ok"), end("stop")}},
		"as the provider asks": {turns: [][]any{{slow}, fine}, waits: 7 * time.Second,
			want: []any{again(2, 7*time.Second, slow), text("ok"), end("stop")}},
		"longer than the provider asks": {retry: model.Retry{Initial: 9 * time.Second}, turns: [][]any{{slow}, fine}, waits: 9 * time.Second,
			want: []any{again(2, 9*time.Second, slow), text("ok"), end("stop")}},
		"it asks for too much": {retry: model.Retry{MaxWait: 5 * time.Second}, turns: [][]any{{slow}},
			text: "model: rate limited; it asks to wait 7s, longer than the 5s that are waited at most"},
		"it may ask for all": {retry: model.Retry{MaxWait: -1}, turns: [][]any{{slow}, fine}, waits: 7 * time.Second,
			want: []any{again(2, 7*time.Second, slow), text("ok"), end("stop")}},
		"four attempts": {turns: [][]any{{busy}}, waits: 3500 * time.Millisecond,
			want: []any{again(2, 500*time.Millisecond, busy), again(3, time.Second, busy), again(4, 2*time.Second, busy)},
			text: "model acme: overloaded (attempt 4, the last)"},
		"one attempt": {retry: model.Retry{Attempts: 1}, turns: [][]any{{busy}}, text: "model acme: overloaded"},
		"no bound": {retry: model.Retry{Attempts: -1, Initial: -1}, turns: [][]any{{busy}, {busy}, {busy}, {busy}, {busy}, fine},
			want: []any{again(2, 0, busy), again(3, 0, busy), again(4, 0, busy), again(5, 0, busy), again(6, 0, busy), text("ok"), end("stop")}},
		"longest wait": {retry: model.Retry{Initial: time.Second, Backoff: 10, Max: 3 * time.Second}, turns: [][]any{{busy}, {busy}, fine}, waits: 4 * time.Second,
			want: []any{again(2, time.Second, busy), again(3, 3*time.Second, busy), text("ok"), end("stop")}},
		"even waits": {retry: model.Retry{Initial: time.Second, Backoff: 0.1}, turns: [][]any{{busy}, {busy}, fine}, waits: 2 * time.Second,
			want: []any{again(2, time.Second, busy), again(3, time.Second, busy), text("ok"), end("stop")}},
		"no factor": {retry: model.Retry{Initial: time.Second, Backoff: math.NaN()}, turns: [][]any{{busy}, fine}, waits: time.Second,
			want: []any{again(2, time.Second, busy), text("ok"), end("stop")}},
		"it takes too long": {retry: model.Retry{MaxElapsed: time.Second}, turns: [][]any{{busy}}, waits: 500 * time.Millisecond,
			want: []any{again(2, 500*time.Millisecond, busy)}, text: "model acme: overloaded (attempt 2, the last)"},
		"another class": {turns: [][]any{{busy}, {refused}}, waits: 500 * time.Millisecond,
			want: []any{again(2, 500*time.Millisecond, busy)}, text: "model acme: auth (attempt 2, the last)"},
		"not an error of a model": {turns: [][]any{{odd}}, text: "odd"},
		"as the program likes": {retry: model.Retry{On: func(err error) bool { return err == odd }}, turns: [][]any{{odd}, {busy}}, waits: 500 * time.Millisecond,
			want: []any{again(2, 500*time.Millisecond, odd)}, text: "model acme: overloaded (attempt 2, the last)"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.retry.Model, c.retry.NoJitter = turns(c.turns...), true
				began := time.Now()
				got := told(c.retry, t.Context(), ask("?"))
				require.Equal(t, c.waits, time.Since(began))
				if c.text != "" {
					require.EqualError(t, got[len(got)-1].(error), c.text)
					got = got[:len(got)-1]
				}
				require.Len(t, got, len(c.want))
				for i := range got {
					require.Equal(t, c.want[i], got[i])
				}
			})
		})
	}
}

func TestRetryTriesAgainWhatIsNotWhole(t *testing.T) {
	fine := []any{text("ok"), end("stop")}
	for name, c := range map[string]struct {
		stream []any
		class  model.Class
	}{
		"no end":           {[]any{text("half")}, model.Cut},
		"nothing":          {nil, model.Cut},
		"no calls":         {[]any{text("half"), end("tool_calls")}, model.Malformed},
		"behind the end":   {[]any{end("stop"), text("more")}, model.Malformed},
		"wrong arguments":  {[]any{call("1", "look", "{")}, model.Malformed},
		"not even a chunk": {[]any{nil}, model.Malformed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var why error
				m := model.Retry{Model: turns(c.stream, fine)}
				got, err := model.Collect(m.Stream(t.Context(), ask("?")), func(c model.Chunk) error {
					if a, ok := c.(model.Again); ok {
						why = a.Err
					}
					return nil
				})
				require.NoError(t, err)
				require.Equal(t, "ok", got.Message.Text())
				require.ErrorIs(t, why, c.class)

				m = model.Retry{Model: turns(c.stream), Attempts: 2}
				_, err = model.Collect(m.Stream(t.Context(), ask("?")), nil)
				require.ErrorIs(t, err, c.class)
				require.ErrorContains(t, err, "(attempt 2, the last)")
			})
		})
	}
}

func TestRetryEndsWithItsContext(t *testing.T) {
	enough := errors.New("enough")
	for name, m := range map[string]model.Model{
		"while it waits":    turns([]any{fault(model.Overloaded)}),
		"while it is asked": hang(text("a")),
		"told as a failure": play(func(ctx context.Context, _ *model.Request, tell func(model.Chunk, error) bool) {
			<-ctx.Done()
			tell(nil, fault(model.Unreachable))
		}),
		"told as nothing": play(func(ctx context.Context, _ *model.Request, _ func(model.Chunk, error) bool) { <-ctx.Done() }),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Second, func() { cancel(enough) })
				got := told(model.Retry{Model: m, Attempts: -1, Initial: 10 * time.Second}, ctx, ask("?"))
				require.Equal(t, enough, got[len(got)-1])
			})
		})
	}
}

func TestRetryStopsWhenItsReaderLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, at := range []int{1, 2, 3} {
			asked := 0
			m := model.Retry{Model: play(func(_ context.Context, _ *model.Request, tell func(model.Chunk, error) bool) {
				asked++
				tellAll([]any{text("a"), fault(model.Cut)}, tell)
			})}
			seen := 0
			for range m.Stream(t.Context(), ask("?")) {
				if seen++; seen == at {
					break
				}
			}
			require.Equal(t, (at+1)/2, asked)
		}
	})
}

func TestRetryWaitsAreScatteredAndTheSameEachTime(t *testing.T) {
	waits := func(ctx context.Context, question string) (out []time.Duration) {
		m := model.Retry{Model: turns([]any{fault(model.Cut)}), Initial: time.Second, Backoff: 1}
		for _, c := range told(m, ctx, ask(question)) {
			if a, ok := c.(model.Again); ok {
				require.LessOrEqual(t, a.After, time.Second)
				require.GreaterOrEqual(t, a.After, time.Second/2)
				out = append(out, a.After)
			}
		}
		return out
	}
	synctest.Test(t, func(t *testing.T) {
		one := waits(t.Context(), "one")
		require.Len(t, one, 3)
		require.NotEqual(t, one[0], one[1])
		require.Equal(t, one, waits(t.Context(), "one"))
		require.NotEqual(t, one, waits(t.Context(), "other"))
	})
}

func TestRetryTellsWhatTheModelIs(t *testing.T) {
	m := hang()
	want := model.Info{Provider: "acme", Name: "m1"}
	for _, wrapped := range []model.Model{
		model.Retry{Model: m}, model.Limit{Model: m}, model.Deadline{Model: m}, &model.Recorder{Model: m}, &model.Replayer{As: want},
	} {
		require.Equal(t, want, model.InfoOf(wrapped), "%T", wrapped)
	}
	require.Zero(t, model.InfoOf(model.Func(nil)))
}

func TestWrappersWithoutAModel(t *testing.T) {
	for _, m := range []model.Model{
		model.Retry{}, model.Limit{}, model.Deadline{}, model.Deadline{Idle: time.Hour}, &model.Recorder{Dir: t.TempDir()},
	} {
		require.Zero(t, model.InfoOf(m))
		_, err := model.Collect(m.Stream(t.Context(), ask("?")), nil)
		require.ErrorIs(t, err, model.Invalid, "%T", m)
	}
}
