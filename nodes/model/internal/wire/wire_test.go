package wire_test

import (
	"bytes"
	"context"
	"io"
	"iter"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/internal/wire"
)

func refusal(status int, body string, header ...string) *http.Response {
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}
}

func TestHowLongToWait(t *testing.T) {
	t.Parallel()
	const noon = "Sat, 01 Jan 2000 12:00:00 GMT"
	for name, c := range map[string]struct {
		header []string
		want   time.Duration
	}{
		"nothing":            {nil, 0},
		"seconds":            {[]string{"Retry-After", "20"}, 20 * time.Second},
		"milliseconds first": {[]string{"Retry-After", "20", "Retry-After-Ms", "15.5"}, 15500 * time.Microsecond},
		"a date":             {[]string{"Retry-After", "Sat, 01 Jan 2000 12:01:00 GMT", "Date", noon}, time.Minute},
		"a date of old":      {[]string{"Retry-After", "Saturday, 01-Jan-00 12:01:00 GMT", "Date", noon}, time.Minute},
		"a date gone by":     {[]string{"Retry-After", noon, "Date", "Sat, 01 Jan 2000 12:01:00 GMT"}, 0},
		"long ago":           {[]string{"Retry-After", noon}, 0},
		"less than nothing":  {[]string{"Retry-After", "-5"}, 0},
		"no number":          {[]string{"Retry-After", "NaN"}, 0},
		"words":              {[]string{"Retry-After", "soon"}, 0},
		"for ever":           {[]string{"Retry-After", "1e300"}, 1<<63 - 1},
		"infinitely":         {[]string{"Retry-After", "Inf"}, 1<<63 - 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := wire.NewPeer("p", "m", "", nil).Refused(refusal(429, "{}", c.header...))
			require.Equal(t, c.want, e.RetryAfter)
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]model.Error{
		`{"object":"error","message":"No such tier.","type":"invalid_request_error","code":"1800"}`:                            {Class: model.Invalid, Code: "1800", Text: "No such tier."},
		`{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":\"bad tool\"}"}}}`:             {Class: model.Invalid, Text: `Provider returned error: {"error":"bad tool"}`},
		`{"error":{"message":"the request exceeds the available context size","type":"exceed_context_size_error","code":400}}`: {Class: model.TooLong, Code: "exceed_context_size_error", Text: "the request exceeds the available context size"},
		`{"error":{"message":"Request too large for model x","type":"tokens","code":"rate_limit_exceeded"}}`:                   {Class: model.TooLong, Code: "rate_limit_exceeded", Text: "Request too large for model x"},
		`{"detail":"Not there"}`:       {Class: model.Invalid, Text: "Not there"},
		`{"detail":[{"msg":"wrong"}]}`: {Class: model.Invalid, Text: `[{"msg":"wrong"}]`},
		`{"error":null}`:               {Class: model.Invalid, Text: `{"error":null}`},
		"<p>\n wrong":                  {Class: model.Invalid, Text: "<p> wrong"},
		"":                             {Class: model.Invalid},
		"\xff":                         {Class: model.Invalid, Text: "\uFFFD"},
	} {
		want.Provider, want.Model, want.Status = "p", "m", 400
		require.Equal(t, &want, wire.NewPeer("p", "m", "", nil).Refused(refusal(400, body)), body)
	}
}

func TestSecretsAreHidden(t *testing.T) {
	t.Parallel()
	header := map[string]string{"X-Auth": "Basic dXNlcjpwYXNz", "Api-Key": "k-0123456789", "X-Title": "a title of ours", "X-On": "true", "Referer": "https://ours.example"}
	p := wire.NewPeer("p", "m", "sk-0123456789abcd", header)
	for text, want := range map[string]string{
		"key sk-0123456789abcd.":          "key [redacted].",
		`"sk-0123456789abcd"`:             `"[redacted]"`,
		"sk-01234***abcd, so":             "[redacted], so",
		"sk-***abcd":                      "[redacted]",
		"sk-…abcd":                        "[redacted]",
		"Basic dXNlcjpwYXNz":              "[redacted]",
		"dXNlcjpwYXNz or k-0123456789":    "[redacted] or [redacted]",
		"for a title of ours":             "for [redacted]",
		"it is true at https://x.example": "it is true at https://x.example",
		"a sk-learn model":                "a sk-learn model",
	} {
		require.Equal(t, want, p.Error(model.Invalid, "%s", text).Text, text)
	}
	require.Equal(t, "the key abc", wire.NewPeer("p", "m", "abc", nil).Error(model.Invalid, "the key abc").Text, "too short to be told from words")
}

// told are the events of a body, and its error.
func told(events iter.Seq2[wire.Event, error]) (out []string, err error) {
	for e, err := range events {
		if err != nil {
			return out, err
		}
		out = append(out, e.Name+"|"+string(e.Data))
	}
	return out, nil
}

func TestEventsAreReadInAnyPieces(t *testing.T) {
	t.Parallel()
	p := wire.NewPeer("p", "m", "", nil)
	long := strings.Repeat("x", 100_000)
	for body, want := range map[string][]string{
		"":                                  nil,
		"\n\n: hello\n\ndata: 1\n\n":        {"|1"},
		"event: a\ndata:1\ndata: 2\n\n":     {"a|1\n2"},
		"event: a\r\ndata: 1\r\n\r\n":       {"a|1"},
		"event: a\n\ndata: 1\n\n":           {"|1"},
		"data\n\ndata: 2\n\n":               {"|", "|2"},
		"data: " + long + "\n\ndata: 2\n\n": {"|" + long, "|2"},
		"data: 1\n\ndata: {\"a\"":           {"|1"},
		"data: 1\n\ndata: [DONE]":           {"|1", "|[DONE]"},
		" {\"a\":1} ":                       {"|{\"a\":1} "},
	} {
		for _, r := range []io.Reader{strings.NewReader(body), iotest.OneByteReader(strings.NewReader(body)), iotest.DataErrReader(strings.NewReader(body))} {
			got, err := told(p.Events(t.Context(), r))
			require.NoError(t, err)
			require.Equal(t, want, got, "%.50q", body)
		}
	}
}

func TestABodyThatBreaksOff(t *testing.T) {
	t.Parallel()
	p := wire.NewPeer("p", "m", "", nil)
	broken := func() io.Reader {
		return io.MultiReader(strings.NewReader("data: 1\n\ndata: [DONE]"), iotest.ErrReader(io.ErrUnexpectedEOF))
	}
	got, err := told(p.Events(t.Context(), broken()))
	require.ErrorIs(t, err, model.Cut)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Equal(t, []string{"|1"}, got)

	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(io.ErrNoProgress)
	_, err = told(p.Events(ctx, broken()))
	require.Equal(t, io.ErrNoProgress, err)
}

func FuzzEvents(f *testing.F) {
	for _, body := range []string{"", "data: 1\n\n", "event: a\r\ndata: {\n\n: x\n", "{}", "\uFEFFdata", "<p>", "retry:\n\ndata", "data: a\ndata: b"} {
		f.Add([]byte(body))
	}
	p := wire.NewPeer("p", "m", "", nil)
	f.Fuzz(func(t *testing.T, body []byte) {
		once, err := told(p.Events(t.Context(), bytes.NewReader(body)))
		again, err2 := told(p.Events(t.Context(), iotest.HalfReader(bytes.NewReader(body))))
		require.Equal(t, once, again)
		require.Equal(t, err, err2)
	})
}
