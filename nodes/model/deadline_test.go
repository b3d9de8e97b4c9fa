package model_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/nodes/model"
)

func TestDeadline(t *testing.T) {
	fine := []any{text("a"), text("b"), end("stop")}
	for name, c := range map[string]struct {
		deadline model.Deadline
		model    model.Model
		want     []any
		text     string
	}{
		"no bound":           {model.Deadline{}, slow(time.Hour, fine...), fine, ""},
		"in time":            {model.Deadline{First: 2 * time.Second, Idle: 2 * time.Second, Total: time.Minute}, slow(time.Second, fine...), fine, ""},
		"no first chunk":     {model.Deadline{First: time.Second}, hang(), nil, "the first chunk did not come within 1s"},
		"the first is slow":  {model.Deadline{Idle: time.Second}, play(lateFirst), fine, ""},
		"no second chunk":    {model.Deadline{First: time.Second, Idle: time.Minute}, hang(text("a")), []any{text("a")}, "the next chunk, or the end, did not come within 1m0s"},
		"not in all":         {model.Deadline{Idle: 5 * time.Second, Total: 7 * time.Second}, slow(3*time.Second, fine...), []any{text("a"), text("b")}, "the answer was not whole within 7s"},
		"an error":           {model.Deadline{Total: time.Hour}, turns([]any{text("a"), fault(model.Cut)}), []any{text("a")}, "model acme: cut"},
		"deaf before chunks": {model.Deadline{First: time.Second}, deaf(), nil, "the first chunk did not come within 1s"},
		"deaf behind chunks": {model.Deadline{Idle: time.Second}, deaf(text("a")), []any{text("a")}, "the next chunk, or the end, did not come within 1s"},
		"panic": {model.Deadline{Total: time.Hour}, play(func(context.Context, *model.Request, func(model.Chunk, error) bool) { panic("oh") }), nil,
			"model: broken: the model panicked: oh"},
		"end of goroutine": {model.Deadline{Total: time.Hour}, play(func(context.Context, *model.Request, func(model.Chunk, error) bool) { runtime.Goexit() }), nil,
			"model: broken: the model ended its goroutine"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.deadline.Model = c.model
				got := told(c.deadline, t.Context(), ask("?"))
				if c.text != "" {
					require.ErrorContains(t, got[len(got)-1].(error), c.text)
					got = append([]any(nil), got[:len(got)-1]...)
				}
				require.Equal(t, c.want, got)
				time.Sleep(2 * time.Hour) // so that the deaf ones have ended
			})
		})
	}
}

// lateFirst tells its first chunk after a minute and the others at once.
func lateFirst(_ context.Context, _ *model.Request, tell func(model.Chunk, error) bool) {
	time.Sleep(time.Minute)
	tellAll([]any{text("a"), text("b"), end("stop")}, tell)
}

// deaf is a model that does not heed its context for an hour.
func deaf(first ...any) model.Model {
	return play(func(_ context.Context, _ *model.Request, tell func(model.Chunk, error) bool) {
		tellAll(first, tell)
		time.Sleep(time.Hour)
		tell(end("stop"), nil)
	})
}

func TestDeadlineErrorCanBeTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		m := model.Retry{Model: model.Deadline{First: time.Second, Model: play(func(ctx context.Context, _ *model.Request, tell func(model.Chunk, error) bool) {
			if asked++; asked == 1 {
				<-ctx.Done()
				return
			}
			tell(end("stop"), nil)
		})}}
		_, err := model.Collect(m.Stream(t.Context(), ask("?")), func(c model.Chunk) error {
			if a, ok := c.(model.Again); ok {
				require.ErrorIs(t, a.Err, model.TimedOut)
				require.EqualError(t, a.Err, "model acme m1: timed out: the first chunk did not come within 1s")
			}
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, 2, asked)
	})
}

func TestDeadlineWaitsForTheModel(t *testing.T) {
	for name, read := range map[string]func(context.Context, context.CancelFunc, model.Model){
		"late":         func(ctx context.Context, _ context.CancelFunc, m model.Model) { told(m, ctx, ask("?")) },
		"context ends": func(ctx context.Context, cancel context.CancelFunc, m model.Model) { cancel(); told(m, ctx, ask("?")) },
		"reader leaves": func(ctx context.Context, _ context.CancelFunc, m model.Model) {
			for range m.Stream(ctx, ask("?")) {
				break
			}
		},
		"reader panics": func(ctx context.Context, _ context.CancelFunc, m model.Model) {
			defer func() { _ = recover() }()
			for range m.Stream(ctx, ask("?")) {
				panic("reader")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				freed := false // the race detector sees a goroutine that is not waited for
				m := model.Deadline{Total: time.Minute, Model: play(func(ctx context.Context, _ *model.Request, tell func(model.Chunk, error) bool) {
					defer func() { freed = true }()
					tell(text("a"), nil)
					<-ctx.Done()
					time.Sleep(time.Second / 2)
				})}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				read(ctx, cancel, m)
				require.True(t, freed)
			})
		})
	}
}

func TestDeadlineTellsTheCause(t *testing.T) {
	enough := errors.New("enough")
	for name, m := range map[string]model.Model{"heedful": hang(text("a")), "deaf": deaf(text("a"))} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Second, func() { cancel(enough) })
				got := told(model.Deadline{Model: m, Idle: time.Minute}, ctx, ask("?"))
				require.Equal(t, []any{text("a"), enough}, got)
				time.Sleep(2 * time.Hour)
			})
		})
	}
}

func TestDeadlineDoesNotCountItsReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := model.Deadline{First: time.Second, Idle: time.Second, Model: slow(time.Millisecond, text("a"), text("b"), end("stop"))}
		_, err := model.Collect(m.Stream(t.Context(), ask("?")), func(model.Chunk) error {
			time.Sleep(time.Minute)
			return nil
		})
		require.NoError(t, err)
	})
}
