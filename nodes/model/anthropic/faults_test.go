package anthropic_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/llmstub"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

var twoCalls = []llmstub.Call{{Name: "add", Args: `{"a":1,"text":"é – a long one"}`}, {Name: "mul", Args: `{"b":[2,3]}`}, {Name: "now"}}

// whole are faults that harm nothing.
var whole = map[string]llmstub.Fault{
	"none":         {},
	"delay":        {Delay: 5 * time.Millisecond, Gap: time.Millisecond},
	"crlf":         {CRLF: true},
	"comments":     {Comments: true, CRLF: true},
	"empty chunks": {EmptyChunks: true},
	"no finish":    {NoFinish: true},
	"all at once":  {CRLF: true, Comments: true, EmptyChunks: true},
}

func TestWholeAnswersWhateverTheServerDoes(t *testing.T) {
	t.Parallel()
	for name, fault := range whole {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, llmstub.Reply{Text: "Hello, you\n there.", Reasoning: "Two calls. No, three.", Calls: twoCalls, Fault: fault,
				Usage: llmstub.Usage{Input: 100, Output: 20, CacheRead: 60, CacheWrite: 10}})
			r := question("Count.")
			r.Tools = []model.Tool{{Name: "add"}, {Name: "mul"}, {Name: "now"}}
			answer, chunks, err := collect(t.Context(), at(t, srv, nil), r)
			require.NoError(t, err)
			usage := model.Usage{Input: 100, Output: 20, CacheRead: 60, CacheWrite: 10}
			if fault.NoFinish { // what was written is told with the reason to stop
				usage.Output = 1
			}
			thought := answer.Message.Content[0]
			require.NotEmpty(t, thought.Data)
			require.Equal(t, &model.Response{
				Message: state.Message{Role: state.RoleAI,
					Content: []state.Part{{Type: "reasoning", Text: "Two calls. No, three.", MIME: transcript.SignedAnthropic, Data: thought.Data}, {Type: "text", Text: "Hello, you\n there."}},
					ToolCalls: []state.ToolCall{
						{ID: "toolu_1_0", Name: "add", Args: []byte(twoCalls[0].Args)},
						{ID: "toolu_1_1", Name: "mul", Args: []byte(twoCalls[1].Args)},
						{ID: "toolu_1_2", Name: "now", Args: []byte("{}")},
					}},
				Stop: model.StopCalls, Model: "stub-1", ID: "msg_1",
				Usage: usage,
			}, answer)
			require.Equal(t, "Hello, you\n there.", joined(chunks))
		})
	}
}

// joined is the text of the chunks.
func joined(chunks []model.Chunk) string {
	var b strings.Builder
	for _, c := range chunks {
		if text, ok := c.(model.Text); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String()
}

func TestALineOfAnyLengthIsRead(t *testing.T) {
	t.Parallel()
	srv := serve(t, llmstub.Reply{Text: "Long: ", Fault: llmstub.Fault{LongLine: 5 << 20}})
	answer, _, err := collect(t.Context(), at(t, srv, nil), question("Go."))
	require.NoError(t, err)
	require.Len(t, answer.Message.Text(), 5<<20+6)
}

func TestFaultsAreErrorsOfTheirClass(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault llmstub.Fault
		want  model.Error
	}{
		"cut at once":        {llmstub.Fault{Cut: -1}, model.Error{Class: model.Cut}},
		"cut":                {llmstub.Fault{Cut: 5}, model.Error{Class: model.Cut}},
		"end at once":        {llmstub.Fault{End: -1}, model.Error{Class: model.Cut}},
		"end":                {llmstub.Fault{End: 5}, model.Error{Class: model.Cut}},
		"error in midstream": {llmstub.Fault{ErrorAfter: 2}, model.Error{Class: model.Overloaded, Code: "overloaded_error"}},
		"error at once":      {llmstub.Fault{ErrorAfter: -1}, model.Error{Class: model.Overloaded, Code: "overloaded_error"}},
		"wrong JSON":         {llmstub.Fault{WrongJSON: true}, model.Error{Class: model.Malformed}},
		"two objects in one": {llmstub.Fault{ArgsTail: `{"b":2}`}, model.Error{Class: model.Malformed}},
		"half an object":     {llmstub.Fault{ArgsTail: `{`}, model.Error{Class: model.Malformed}},
		"HTML":               {llmstub.Fault{Body: "<html><title>Sign in</title>"}, model.Error{Class: model.Malformed}},
		"no answer":          {llmstub.Fault{Body: `{"ok":true}`}, model.Error{Class: model.Malformed}},
		"nothing":            {llmstub.Fault{Body: " "}, model.Error{Class: model.Cut}},
		"401":                {llmstub.Fault{Status: 401}, model.Error{Class: model.Auth, Code: "authentication_error"}},
		"403":                {llmstub.Fault{Status: 403}, model.Error{Class: model.Auth, Code: "permission_error"}},
		"404":                {llmstub.Fault{Status: 404}, model.Error{Class: model.NotFound, Code: "not_found_error"}},
		"400":                {llmstub.Fault{Status: 400}, model.Error{Class: model.Invalid, Code: "invalid_request_error"}},
		"413":                {llmstub.Fault{Status: 413}, model.Error{Class: model.TooLong, Code: "request_too_large"}},
		"too long": {llmstub.Fault{Status: 400, Body: anError("invalid_request_error", "prompt is too long: 205000 tokens > 200000 maximum")},
			model.Error{Class: model.TooLong, Code: "invalid_request_error"}},
		"no money": {llmstub.Fault{Status: 400, Body: anError("invalid_request_error", "Your credit balance is too low to access the Anthropic API.")},
			model.Error{Class: model.Quota, Code: "invalid_request_error"}},
		"billing":      {llmstub.Fault{Status: 402, Body: anError("billing_error", "Pay.")}, model.Error{Class: model.Quota, Code: "billing_error"}},
		"429, seconds": {llmstub.Fault{Status: 429, RetryAfter: "7"}, model.Error{Class: model.RateLimited, Code: "rate_limit_error", RetryAfter: 7 * time.Second}},
		"429, a date": {llmstub.Fault{Status: 429, RetryAfter: "Sat, 01 Jan 2000 00:01:30 GMT", Header: map[string]string{"Date": "Sat, 01 Jan 2000 00:00:00 GMT"}},
			model.Error{Class: model.RateLimited, Code: "rate_limit_error", RetryAfter: 90 * time.Second}},
		"429, do not retry":       {llmstub.Fault{Status: 429, Header: map[string]string{"X-Should-Retry": "false"}}, model.Error{Class: model.Quota, Code: "rate_limit_error"}},
		"400, retry":              {llmstub.Fault{Status: 400, Header: map[string]string{"X-Should-Retry": "true"}}, model.Error{Class: model.Overloaded, Code: "invalid_request_error"}},
		"500":                     {llmstub.Fault{Status: 500}, model.Error{Class: model.Overloaded, Code: "api_error"}},
		"529":                     {llmstub.Fault{Status: 529}, model.Error{Class: model.Overloaded, Code: "overloaded_error"}},
		"502, in HTML":            {llmstub.Fault{Status: 502, Body: "<html><body>\n<h1>502</h1>\n"}, model.Error{Class: model.Overloaded}},
		"a redirection":           {llmstub.Fault{Status: 308, Header: map[string]string{"Location": "https://elsewhere.example/"}, Body: " "}, model.Error{Class: model.NotFound}},
		"rate limit in midstream": {llmstub.Fault{Body: "event: error\ndata: " + anError("rate_limit_error", "Slow down.") + "\n\n"}, model.Error{Class: model.RateLimited, Code: "rate_limit_error"}},
		"too slow":                {llmstub.Fault{Body: "event: error\ndata: " + anError("timeout_error", "Too slow.") + "\n\n"}, model.Error{Class: model.TimedOut, Code: "timeout_error"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, llmstub.Reply{Text: "Hello there, you.", Calls: twoCalls, Fault: c.fault})
			r := question("Count.")
			r.Tools = []model.Tool{{Name: "add"}, {Name: "mul"}, {Name: "now"}}
			_, _, err := collect(t.Context(), at(t, srv, nil), r)
			var got *model.Error
			require.ErrorAs(t, err, &got)
			c.want.Provider, c.want.Model = "stub", "stub-1"
			if c.fault.Status != 0 {
				c.want.Status = c.fault.Status
			}
			require.NotContains(t, unfold(err), key[3:])
			told := *got
			told.Text, told.Err = "", nil
			require.Equal(t, c.want, told)
			require.Len(t, srv.Requests(), 1, "nothing is sent twice")
		})
	}
}

func anError(kind, message string) string {
	return `{"type":"error","error":{"type":"` + kind + `","message":"` + message + `"},"request_id":"req_1"}`
}

// unfold is all that may be printed of an error and what is behind it.
func unfold(err error) string {
	var b strings.Builder
	for ; err != nil; err = errors.Unwrap(err) {
		fmt.Fprintf(&b, "%v\n%+v\n%#v\n", err, err, err)
	}
	return b.String()
}

// TestTheKeyIsInNoError has servers that quote the key in each place of an answer.
func TestTheKeyIsInNoError(t *testing.T) {
	t.Parallel()
	quotes := []string{key, key[:8] + "*****" + key[len(key)-4:], key[:3] + "..." + key[len(key)-4:], "Bearer " + key, strings.Repeat("x", 290) + key}
	for i, q := range quotes {
		for n, fault := range []llmstub.Fault{
			{Status: 401, Body: `{"error":{"message":"Wrong key ` + q + `.","code":"key_` + q + `"}}`},
			{Status: 401, Body: "Wrong key: " + q},
			{Status: 503, Body: "<p>" + q + "</p>"},
			{Body: "<p>" + q + "</p>"},
			{Body: `{"message":"` + q + `"}`},
			{Body: "data: {\"" + q + "\n\n"},
			{Body: "event: error\ndata: {\"error\":\"" + q + "\"}\n\n"},
			{Body: `{"type":"message","content":[{"type":"tool_use","id":"a","name":"f","input":"` + q + `"}],"stop_reason":"tool_use"}`},
		} {
			t.Run(fmt.Sprint(i, " ", n), func(t *testing.T) {
				t.Parallel()
				_, _, err := collect(t.Context(), at(t, serve(t, llmstub.Reply{Fault: fault}), nil), question("Hi"))
				require.Error(t, err)
				text := unfold(err)
				require.NotContains(t, text, key)
				require.NotContains(t, text, key[3:9])
				require.NotContains(t, text, key[len(key)-4:])
			})
		}
	}
}

func TestNoConnectionIsUnreachable(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	m := at(t, srv, nil)
	srv.Close()
	_, _, err := collect(t.Context(), m, question("Hi"))
	require.ErrorIs(t, err, model.Unreachable)
	require.NotContains(t, unfold(err), key)
}

func TestTheCauseOfACancelledContext(t *testing.T) {
	t.Parallel()
	cause := errors.New("enough")
	before, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	srv := serve(t, llmstub.Reply{Text: "never"})
	_, _, err := collect(before, at(t, srv, nil), question("Hi"))
	require.Equal(t, cause, err)
	require.Empty(t, srv.Requests())
}
