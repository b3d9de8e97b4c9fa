package llmstub_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/llmstub"
)

// noRetry uses each connection once, so that a failure is not tried again.
var noRetry = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// TestCloseEndsAll closes while clients wait for an answer, for an event, and
// while one has sent only half of its request.
func TestCloseEndsAll(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]llmstub.Fault{"hang": {Hang: true}, "delay": {Delay: time.Hour}, "gap": {Gap: time.Hour}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmstub.New(&llmstub.Script{Replies: []llmstub.Reply{{Text: "a b", Fault: f}}})
			half, err := net.Dial("tcp", strings.TrimPrefix(srv.URL(), "http://"))
			require.NoError(t, err)
			defer half.Close()
			_, err = half.Write([]byte("POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\nContent-Length: 9\r\n\r\n{"))
			require.NoError(t, err)
			done := make(chan error, 1)
			r := request(t, srv.URL(), llmstub.OpenAI, asked(llmstub.OpenAI, "hi", true))
			go func() {
				resp, err := noRetry.Do(r)
				if err == nil {
					_, err = resp.Body.Read(make([]byte, 1<<16))
					for err == nil {
						_, err = resp.Body.Read(make([]byte, 1<<16))
					}
				}
				done <- err
			}()
			require.Eventually(t, func() bool { return srv.Busy() == 2 }, time.Minute, time.Millisecond)
			srv.Close()
			srv.Close()
			require.Zero(t, srv.Busy())
			require.Error(t, <-done)
		})
	}
}

func TestClientGoesAway(t *testing.T) {
	t.Parallel()
	srv := serve(t, llmstub.Reply{Fault: llmstub.Fault{Hang: true}})
	ctx, cancel := context.WithCancel(t.Context())
	r := request(t, srv.URL(), llmstub.Anthropic, asked(llmstub.Anthropic, "hi", true)).WithContext(ctx)
	done := make(chan error, 1)
	go func() {
		_, err := noRetry.Do(r)
		done <- err
	}()
	require.Eventually(t, func() bool { return len(srv.Requests()) == 1 }, time.Minute, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	require.Eventually(t, func() bool { return srv.Busy() == 0 }, time.Minute, time.Millisecond)
}

func TestHandlerAlone(t *testing.T) {
	t.Parallel()
	srv := llmstub.Handler(nil)
	require.Empty(t, srv.URL())
	for _, status := range []int{500, 503} {
		w := httptest.NewRecorder()
		srv.ServeHTTP(w, request(t, "http://x", llmstub.OpenAI, asked(llmstub.OpenAI, "hi", true)))
		require.Equal(t, status, w.Code)
		srv.Close()
	}
}

// TestManyClients looks that each client gets its own answer, whole, and that
// no more requests are kept than asked for.
func TestManyClients(t *testing.T) {
	t.Parallel()
	const clients = 500
	srv := llmstub.New(&llmstub.Script{Keep: 10, Replies: []llmstub.Reply{
		{When: llmstub.Match{Last: "first", Call: 7}, Text: "seventh"},
		{Times: clients - 1, Text: "one of many"},
	}})
	t.Cleanup(srv.Close)
	var wg sync.WaitGroup
	answers := make([]got, clients)
	for i := range clients {
		wire := wires[i%2]
		r := request(t, srv.URL(), wire, asked(wire, "first", i%3 == 0))
		wg.Go(func() { answers[i] = do(t, r) })
	}
	wg.Wait()
	seventh, ids := 0, map[string]bool{}
	for _, g := range answers {
		require.NoError(t, g.err)
		require.Equal(t, 200, g.status, g.body)
		seventh += strings.Count(g.body, "seventh")
		_, id, _ := strings.Cut(g.body, `"id":"`)
		id, _, _ = strings.Cut(id, `"`)
		ids[id] = true
	}
	require.Equal(t, 1, seventh)
	require.Len(t, ids, clients)
	require.Len(t, srv.Requests(), 10)
	require.Empty(t, srv.Unused())
	require.Equal(t, http.StatusInternalServerError, post(t, srv, llmstub.OpenAI, asked(llmstub.OpenAI, "x", false)).status)
}

func TestKeepNone(t *testing.T) {
	t.Parallel()
	srv := llmstub.New(&llmstub.Script{Keep: -1})
	t.Cleanup(srv.Close)
	require.Equal(t, 500, post(t, srv, llmstub.OpenAI, asked(llmstub.OpenAI, "x", false)).status)
	require.Empty(t, srv.Requests())
	require.Empty(t, srv.Unexpected())
}
