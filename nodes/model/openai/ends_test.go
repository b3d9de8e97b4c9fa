package openai_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/llmstub"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/openai"
)

var errEnough = errors.New("enough")

// TestNothingIsLeft ends streams in each way and counts what is still at work.
// It is not parallel: it counts all goroutines.
func TestNothingIsLeft(t *testing.T) {
	slow := llmstub.Fault{Gap: 20 * time.Millisecond}
	for name, c := range map[string]struct {
		fault llmstub.Fault
		end   func(t *testing.T, m model.Model, ctx context.Context, cancel context.CancelCauseFunc)
	}{
		"cancelled in midstream": {slow, func(t *testing.T, m model.Model, ctx context.Context, cancel context.CancelCauseFunc) {
			pieces := 0
			_, err := model.Collect(m.Stream(ctx, question("Hi")), func(model.Chunk) error { pieces++; cancel(errEnough); return nil })
			require.Equal(t, errEnough, err)
			require.Equal(t, 1, pieces)
		}},
		"cancelled while it hangs": {llmstub.Fault{Hang: true}, func(t *testing.T, m model.Model, ctx context.Context, cancel context.CancelCauseFunc) {
			time.AfterFunc(5*time.Millisecond, func() { cancel(errEnough) })
			_, _, err := collect(ctx, m, question("Hi"))
			require.Equal(t, errEnough, err)
		}},
		"broken out of": {slow, func(t *testing.T, m model.Model, ctx context.Context, _ context.CancelCauseFunc) {
			for c, err := range m.Stream(ctx, question("Hi")) {
				require.NoError(t, err)
				require.Equal(t, model.Text{Text: "One "}, c)
				break
			}
		}},
		"read to its end":   {llmstub.Fault{}, readAll},
		"an error":          {llmstub.Fault{Status: 500}, readAll},
		"cut":               {llmstub.Fault{Cut: 3}, readAll},
		"not to be read":    {llmstub.Fault{WrongJSON: true}, readAll},
		"an error in there": {llmstub.Fault{ErrorAfter: 2}, readAll},
	} {
		t.Run(name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			srv := llmstub.New(&llmstub.Script{Replies: []llmstub.Reply{{Text: strings.Repeat("One ", 2000), Fault: c.fault}}})
			transport := &http.Transport{}
			m, err := openai.New(openai.Config{Name: "stub-1", Key: key, BaseURL: srv.URL() + "/v1", HTTP: &http.Client{Transport: transport}})
			require.NoError(t, err)
			ctx, cancel := context.WithCancelCause(t.Context())
			c.end(t, m, ctx, cancel)
			require.Eventually(t, func() bool { return srv.Busy() == 0 }, 10*time.Second, time.Millisecond, "the server still talks to a client that is gone")
			cancel(nil)
			srv.Close()
			transport.CloseIdleConnections()
			require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+1 }, 10*time.Second, time.Millisecond) // Eventually has one
		})
	}
}

func readAll(_ *testing.T, m model.Model, ctx context.Context, _ context.CancelCauseFunc) {
	for range m.Stream(ctx, question("Hi")) {
		continue
	}
}

// TestAConnectionIsUsedAgain has a server whose last byte comes late.
func TestAConnectionIsUsedAgain(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, events(`{"choices":[{"delta":{"content":"Hi."},"finish_reason":"stop"}]}`, "[DONE]"))
		_ = http.NewResponseController(w).Flush()
		time.Sleep(5 * time.Millisecond)
	}))
	t.Cleanup(srv.Close)
	m, err := openai.New(openai.Config{Name: "stub-1", BaseURL: srv.URL, HTTP: srv.Client()})
	require.NoError(t, err)
	fresh := 0
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) {
		if !c.Reused {
			fresh++
		}
	}})
	for range 5 {
		_, _, err := collect(ctx, m, question("Hi"))
		require.NoError(t, err)
	}
	require.Equal(t, 1, fresh)
}

// TestAnAnswerDoesNotWaitForTheConnectionToEnd has a server that goes on behind
// [DONE], and needs no key.
func TestAnAnswerDoesNotWaitForTheConnectionToEnd(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-of-the-environment")
	hold := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			http.Error(w, "a key that nobody gave", http.StatusBadRequest)
			return
		}
		_, _ = io.WriteString(w, events(`{"choices":[{"delta":{"content":"Hi."},"finish_reason":"stop"}]}`, "[DONE]"))
		_ = http.NewResponseController(w).Flush()
		select {
		case <-hold:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(srv.Close)
	t.Cleanup(func() { close(hold) })
	m, err := openai.New(openai.Config{Name: "stub-1", BaseURL: srv.URL})
	require.NoError(t, err)
	answer, _, err := collect(t.Context(), m, question("Hi"))
	require.NoError(t, err)
	require.Equal(t, "Hi.", answer.Message.Text())
}

func TestTimesThatRunOutInTheClient(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]llmstub.Fault{"before the answer": {Hang: true}, "in midstream": {Gap: time.Hour}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, llmstub.Reply{Text: "One two.", Fault: fault})
			m := at(t, srv, func(c *openai.Config) { c.HTTP.Timeout = 50 * time.Millisecond })
			_, _, err := collect(t.Context(), m, question("Hi"))
			require.ErrorIs(t, err, model.TimedOut)
			require.True(t, model.Retryable(err))
		})
	}
}

func TestAnAnswerThatIsCutBehindItsEndIsWhole(t *testing.T) {
	t.Parallel()
	for _, fault := range []llmstub.Fault{{Cut: 3}, {End: 3}} {
		answer, _, err := collect(t.Context(), at(t, serve(t, llmstub.Reply{Text: "Hi.", Fault: fault}), nil), question("Hi"))
		require.NoError(t, err)
		require.Equal(t, "Hi.", answer.Message.Text())
		require.Equal(t, model.StopEnd, answer.Stop)
	}
}
