package anthropic_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/llmstub"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/anthropic"
	"github.com/graphrun/graphrun/state"
)

const key = "sk-ant-test-0123456789abcdef"

// serve answers with replies, in their order.
func serve(t testing.TB, replies ...llmstub.Reply) *llmstub.Server {
	t.Helper()
	srv := llmstub.New(&llmstub.Script{Replies: replies})
	t.Cleanup(srv.Close)
	return srv
}

// ask makes a model at a server; edit may change its Config.
func at(t testing.TB, srv *llmstub.Server, edit func(*anthropic.Config)) *anthropic.Model {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c := anthropic.Config{Name: "stub-1", Key: key, BaseURL: srv.URL(), Provider: "stub", HTTP: &http.Client{Transport: transport}}
	if edit != nil {
		edit(&c)
	}
	m, err := anthropic.New(c)
	require.NoError(t, err)
	return m
}

func question(text string) *model.Request {
	return &model.Request{Messages: []state.Message{state.Text(state.RoleHuman, text)}}
}

// collect asks and returns the answer and all chunks.
func collect(ctx context.Context, m model.Model, r *model.Request) (*model.Response, []model.Chunk, error) {
	var chunks []model.Chunk
	answer, err := model.Collect(m.Stream(ctx, r), func(c model.Chunk) error {
		chunks = append(chunks, c)
		return nil
	})
	return answer, chunks, err
}
