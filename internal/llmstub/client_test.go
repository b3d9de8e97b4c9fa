package llmstub_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/llmstub"
)

var wires = []string{llmstub.OpenAI, llmstub.Anthropic}

// asked is a request that both wires take. The usage is asked for.
func asked(wire, last string, stream bool) string {
	rest := `"max_tokens":9`
	switch {
	case wire == llmstub.OpenAI && stream:
		rest = `"stream_options":{"include_usage":true}`
	case wire == llmstub.OpenAI:
		rest = `"n":1`
	}
	return fmt.Sprintf(`{"model":"m","stream":%t,%s,"messages":[{"role":"user","content":%q}]}`, stream, rest, last)
}

// request is a POST with the headers that the wire wants.
func request(t testing.TB, base, wire, body string) *http.Request {
	t.Helper()
	path := "/v1/chat/completions"
	if wire == llmstub.Anthropic {
		path = "/v1/messages"
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+path, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	if wire == llmstub.OpenAI {
		r.Header.Set("Authorization", "Bearer sk-good")
		return r
	}
	r.Header.Set("x-api-key", "sk-good")
	r.Header.Set("anthropic-version", "2023-06-01")
	return r
}

// got is what came back.
type got struct {
	status int
	header http.Header
	body   string
	err    error // of the body
}

func do(t testing.TB, r *http.Request) got {
	t.Helper()
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return got{resp.StatusCode, resp.Header, string(body), err}
}

func post(t testing.TB, srv *llmstub.Server, wire, body string) got {
	t.Helper()
	return do(t, request(t, srv.URL(), wire, body))
}

// serve starts a server that is closed at the end of the test.
func serve(t testing.TB, replies ...llmstub.Reply) *llmstub.Server {
	t.Helper()
	srv := llmstub.New(&llmstub.Script{Replies: replies})
	t.Cleanup(srv.Close)
	return srv
}
