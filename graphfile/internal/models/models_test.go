package models_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graphfile/internal/models"
	"github.com/graphrun/graphrun/graphfile/internal/page"
	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

// specOf reads a model as it may stand in an agent.
func specOf(t *testing.T, text string) *models.Spec {
	t.Helper()
	f, err := source.Parse("x.yaml", []byte("model: "+text), source.Limits{})
	require.NoError(t, err)
	failures := 0
	p := &page.Page{File: f, Rep: f.Report(), Failures: &failures}
	fields := p.Rep.Fields(f.Root, "a test")
	spec := models.Read(p, nil, nil, nil).At(fields, "model")
	fields.Done()
	require.NoError(t, p.Rep.Err())
	require.NotNil(t, spec)
	return spec
}

func TestUse(t *testing.T) {
	t.Parallel()
	s := specOf(t, `"ollama:hf.co/org/model:Q4_K_M"`)
	require.Equal(t, []string{"ollama", "hf.co/org/model:Q4_K_M", "ollama:hf.co/org/model:Q4_K_M", "x.yaml:1:8"}, []string{s.Provider, s.Name, s.Text(), s.Place})
}

// What hangs is bounded by idle_timeout and timeout, and tried again as retry has
// it; waiting for a place among those at work counts for neither.
func TestGuarded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := specOf(t, `{use: "openai:m", timeout: 10s, idle_timeout: 3s, retry: {max_attempts: 2, initial_interval: 1s, jitter: false}, limit: {concurrent: 1}}`)
		calls := 0
		hangs := model.Func(func(ctx context.Context, _ *model.Request) (*model.Response, error) {
			calls++
			<-ctx.Done()
			return nil, context.Cause(ctx)
		})
		began := time.Now()
		_, err := model.Collect(s.Guarded(hangs).Stream(t.Context(), &model.Request{}), nil)
		require.ErrorIs(t, err, model.TimedOut)
		require.ErrorContains(t, err, "3s")
		require.Equal(t, 2, calls)
		require.Equal(t, 7*time.Second, time.Since(began))

		slow := s.Guarded(model.Func(func(context.Context, *model.Request) (*model.Response, error) {
			time.Sleep(2 * time.Second)
			return &model.Response{Message: state.Text(state.RoleAI, "x"), Stop: model.StopEnd}, nil
		}))
		done := make(chan error)
		began = time.Now()
		for range 4 {
			go func() {
				_, err := model.Collect(slow.Stream(t.Context(), &model.Request{}), nil)
				done <- err
			}()
		}
		for range 4 {
			require.NoError(t, <-done)
		}
		require.Equal(t, 8*time.Second, time.Since(began), "one after another")
	})
}

func TestAModelIsNotTriedAgainWithoutNeed(t *testing.T) {
	t.Parallel()
	calls := 0
	fails := model.Func(func(context.Context, *model.Request) (*model.Response, error) {
		calls++
		return nil, &model.Error{Class: model.Auth, Text: "no"}
	})
	_, err := model.Collect(specOf(t, `"openai:m"`).Guarded(fails).Stream(t.Context(), &model.Request{}), nil)
	require.True(t, errors.Is(err, model.Auth))
	require.Equal(t, 1, calls)
}
