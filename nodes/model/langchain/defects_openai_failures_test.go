package langchain_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/graphrun/graphrun/internal/llmstub"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/langchain"
)

var errWhy = errors.New("we have changed our mind")

// openaiFailures is what OpenAI's client makes of answers that fail.
func openaiFailures() []defect {
	truncated := func(name string, fault llmstub.Fault) defect {
		reply := llmstub.Reply{Text: "one two three four five", Fault: fault}
		return defect{name, func(t *testing.T) {
			got := onOpenAI(t, reply).bare(true, hello())
			still(t, got.err == nil && got.text() != reply.Text && got.text() != "", "OpenAI's client takes a truncated stream for an answer: %v", got.err)
		}, func(t *testing.T) {
			out := onOpenAI(t, reply).adapt(plain, ask())
			require.ErrorIs(t, out.err, model.Cut)
			require.True(t, model.Retryable(out.err))
		}}
	}
	holed := llmstub.Reply{Fault: llmstub.Fault{Body: `data: {"choices":[{"delta":{"content":"one "}}]}` + "\n\n" +
		`data: {"choices":[{"delta":{"content":"two "` + "\n\n" +
		`data: {"choices":[{"delta":{"content":"three"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"}}
	return []defect{
		truncated("error event in a stream", llmstub.Fault{ErrorAfter: 4}),
		truncated("stream ends too early", llmstub.Fault{End: 4}),
		{"connection breaks", func(t *testing.T) {
			got := onOpenAI(t, llmstub.Reply{Text: "one two three", Fault: llmstub.Fault{Cut: 3}}).bare(true, hello())
			require.ErrorContains(t, got.err, "unexpected EOF")
		}, func(t *testing.T) {
			out := onOpenAI(t, llmstub.Reply{Text: "one two three", Fault: llmstub.Fault{Cut: 3}}).adapt(plain, ask())
			require.ErrorIs(t, out.err, model.Cut)
			out = onOpenAI(t, llmstub.Reply{Text: "one two three", Fault: llmstub.Fault{Cut: 3}}).adapt(langchain.Config{Whole: true}, ask())
			require.ErrorIs(t, out.err, model.Cut)
		}},
		{"event that is no JSON passed over", func(t *testing.T) {
			got := onOpenAI(t, holed).bare(true, hello())
			still(t, got.err == nil && got.text() == "one three", "OpenAI's client passes over events that are no JSON: %v", got.err)
		}, func(t *testing.T) {
			out := onOpenAI(t, holed).adapt(plain, ask())
			require.NoError(t, out.err, "it cannot be seen in a stream: see the package's doc")
			out = onOpenAI(t, llmstub.Reply{Text: "one two three", Fault: llmstub.Fault{WrongJSON: true}}).adapt(langchain.Config{Whole: true}, ask())
			require.Error(t, out.err)
			require.True(t, model.Retryable(out.err), "%v", out.err)
		}},
		{"context cancelled in a stream", func(t *testing.T) {
			silent := false
			for i := 0; i < 40 && !silent; i++ { // it depends on which goroutine is faster
				r := onOpenAI(t, llmstub.Reply{Text: "one two", Fault: llmstub.Fault{Gap: time.Hour}})
				ctx, cancel := context.WithCancel(t.Context())
				_, err := r.llm.GenerateContent(ctx, hello(), llms.WithStreamingFunc(func(context.Context, []byte) error { cancel(); return nil }))
				silent = err == nil
			}
			still(t, silent, "OpenAI's client ends without an error when the context does")
		}, func(t *testing.T) { cancelledMidway(t, onOpenAI) }},
		{"errors by their text alone", func(t *testing.T) {
			for _, status := range []int{429, 500} {
				got := onOpenAI(t, llmstub.Reply{Fault: llmstub.Fault{Status: status, RetryAfter: "7"}}).bare(false, hello())
				var coded *llms.Error
				still(t, got.err != nil && !errors.As(got.err, &coded) && !strings.Contains(got.err.Error(), "7 "), "OpenAI's client makes no *llms.Error and drops Retry-After: %v", got.err)
			}
		}, func(t *testing.T) { classedByStatus(t, onOpenAI, plain) }},
		{"empty response", func(t *testing.T) {
			got := onOpenAI(t, llmstub.Reply{Fault: llmstub.Fault{Body: `{"error":{"message":"out of order"}}`}}).bare(false, hello())
			still(t, got.err != nil && !strings.Contains(got.err.Error(), "out of order"), "OpenAI's client drops an error that comes with status 200: %v", got.err)
		}, func(t *testing.T) {
			out := onOpenAI(t, llmstub.Reply{Fault: llmstub.Fault{Body: `{"error":{"message":"out of order"}}`}}).adapt(langchain.Config{Whole: true}, ask())
			require.ErrorIs(t, out.err, model.Malformed)
		}},
	}
}

// classedByStatus checks the classes of errors that a status tells.
func classedByStatus(t *testing.T, rigOf func(*testing.T, ...llmstub.Reply) *rig, cfg langchain.Config) {
	for status, class := range map[int]model.Class{
		400: model.Invalid, 401: model.Auth, 403: model.Auth, 404: model.NotFound,
		429: model.RateLimited, 500: model.Overloaded, 503: model.Overloaded, 529: model.Overloaded,
	} {
		out := rigOf(t, llmstub.Reply{Fault: llmstub.Fault{Status: status, Body: `{"error":{"message":"no, ` + secret + `"}}`}}).adapt(cfg, ask())
		require.ErrorIs(t, out.err, class, "status %d", status)
		var e *model.Error
		require.ErrorAs(t, out.err, &e)
		require.Equal(t, status, e.Status)
		require.Contains(t, e.Text, "[redacted]")
		require.NoError(t, e.Err, "what is behind it has the secret")
	}
}

// cancelledMidway checks that a context that ends in a stream gives its cause.
func cancelledMidway(t *testing.T, rigOf func(*testing.T, ...llmstub.Reply) *rig) {
	m, err := langchain.New(langchain.Config{Model: rigOf(t, llmstub.Reply{Text: "one two three four"}).llm})
	require.NoError(t, err)
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err = model.Collect(m.Stream(ctx, ask()), func(model.Chunk) error { cancel(errWhy); return nil })
	require.Equal(t, errWhy, err)
}
