package openai_test

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
	"github.com/graphrun/graphrun/state"
)

var twoCalls = []llmstub.Call{{Name: "add", Args: `{"a":1,"text":"é – a long one"}`}, {Name: "mul", Args: `{"b":[2,3]}`}, {Name: "now"}}

// whole are faults that harm nothing.
var whole = map[string]llmstub.Fault{
	"none":                                {},
	"delay":                               {Delay: 5 * time.Millisecond, Gap: time.Millisecond},
	"crlf":                                {CRLF: true},
	"comments":                            {Comments: true, CRLF: true},
	"empty chunks":                        {EmptyChunks: true},
	"interleaved":                         {Interleaved: true},
	"repeated ids":                        {RepeatIDs: true},
	"no type":                             {NoType: true},
	"no index":                            {NoIndex: true},
	"no index, repeated ids":              {NoIndex: true, RepeatIDs: true},
	"no index, repeated ids, interleaved": {NoIndex: true, RepeatIDs: true, Interleaved: true, NoType: true},
	"repeated ids, interleaved":           {RepeatIDs: true, Interleaved: true},
	"no finish":                           {NoFinish: true},
	"all at once":                         {CRLF: true, Comments: true, EmptyChunks: true, Interleaved: true, RepeatIDs: true, NoType: true},
}

func TestWholeAnswersWhateverTheServerDoes(t *testing.T) {
	t.Parallel()
	for name, fault := range whole {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, llmstub.Reply{Text: "Hello, you\n there.", Reasoning: "Two calls. No, three.", Calls: twoCalls, Fault: fault,
				Usage: llmstub.Usage{Input: 100, Output: 20, CacheRead: 60, Reasoning: 5}})
			r := question("Count.")
			r.Tools = []model.Tool{{Name: "add"}, {Name: "mul"}, {Name: "now"}}
			answer, chunks, err := collect(t.Context(), at(t, srv, nil), r)
			require.NoError(t, err)
			require.Equal(t, &model.Response{
				Message: state.Message{Role: state.RoleAI,
					Content: []state.Part{{Type: "reasoning", Text: "Two calls. No, three."}, {Type: "text", Text: "Hello, you\n there."}},
					ToolCalls: []state.ToolCall{
						{ID: "call_1_0", Name: "add", Args: []byte(twoCalls[0].Args)},
						{ID: "call_1_1", Name: "mul", Args: []byte(twoCalls[1].Args)},
						{ID: "call_1_2", Name: "now", Args: []byte("{}")},
					}},
				Stop: model.StopCalls, Model: "stub-1", ID: "chatcmpl-1",
				Usage: model.Usage{Input: 100, Output: 20, CacheRead: 60, Reasoning: 5},
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

func TestAnAnswerWithoutUsageCostsNothingThatIsKnown(t *testing.T) {
	t.Parallel()
	srv := serve(t, llmstub.Reply{Text: "Hi.", Fault: llmstub.Fault{NoUsage: true}})
	answer, _, err := collect(t.Context(), at(t, srv, nil), question("Hi"))
	require.NoError(t, err)
	require.Zero(t, answer.Usage)
}

func TestFaultsAreErrorsOfTheirClass(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault llmstub.Fault
		want  model.Error
	}{
		"cut at once":        {llmstub.Fault{Cut: -1}, model.Error{Class: model.Cut}},
		"cut":                {llmstub.Fault{Cut: 3}, model.Error{Class: model.Cut}},
		"end at once":        {llmstub.Fault{End: -1}, model.Error{Class: model.Cut}},
		"end":                {llmstub.Fault{End: 3}, model.Error{Class: model.Cut}},
		"error in midstream": {llmstub.Fault{ErrorAfter: 2}, model.Error{Class: model.Overloaded, Code: "server_error"}},
		"error at once":      {llmstub.Fault{ErrorAfter: -1}, model.Error{Class: model.Overloaded, Code: "server_error"}},
		"wrong JSON":         {llmstub.Fault{WrongJSON: true}, model.Error{Class: model.Malformed}},
		"two objects in one": {llmstub.Fault{ArgsTail: `{"b":2}`}, model.Error{Class: model.Malformed}},
		"half an object":     {llmstub.Fault{ArgsTail: `{`}, model.Error{Class: model.Malformed}},
		"HTML":               {llmstub.Fault{Body: "<html><title>Sign in</title>"}, model.Error{Class: model.Malformed}},
		"a text":             {llmstub.Fault{Body: "error: no upstream"}, model.Error{Class: model.Malformed}},
		"no answer":          {llmstub.Fault{Body: `{"ok":true}`}, model.Error{Class: model.Malformed}},
		"nothing":            {llmstub.Fault{Body: " "}, model.Error{Class: model.Cut}},
		"an error with 200":  {llmstub.Fault{Body: `{"error":{"message":"no such model","code":404}}`}, model.Error{Class: model.NotFound}},
		"401":                {llmstub.Fault{Status: 401}, model.Error{Class: model.Auth, Code: "invalid_api_key"}},
		"403":                {llmstub.Fault{Status: 403}, model.Error{Class: model.Auth, Code: "invalid_request_error"}},
		"404":                {llmstub.Fault{Status: 404}, model.Error{Class: model.NotFound, Code: "model_not_found"}},
		"400":                {llmstub.Fault{Status: 400}, model.Error{Class: model.Invalid, Code: "invalid_request_error"}},
		"413":                {llmstub.Fault{Status: 413}, model.Error{Class: model.TooLong, Code: "invalid_request_error"}},
		"too long": {llmstub.Fault{Status: 400, Body: `{"error":{"message":"This model's maximum context length is 128000 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}`},
			model.Error{Class: model.TooLong, Code: "context_length_exceeded"}},
		"429, seconds":    {llmstub.Fault{Status: 429, RetryAfter: "7"}, model.Error{Class: model.RateLimited, Code: "rate_limit_exceeded", RetryAfter: 7 * time.Second}},
		"429, a fraction": {llmstub.Fault{Status: 429, RetryAfter: "0.5"}, model.Error{Class: model.RateLimited, Code: "rate_limit_exceeded", RetryAfter: 500 * time.Millisecond}},
		"429, a date": {llmstub.Fault{Status: 429, RetryAfter: "Sat, 01 Jan 2000 00:01:30 GMT", Header: map[string]string{"Date": "Sat, 01 Jan 2000 00:00:00 GMT"}},
			model.Error{Class: model.RateLimited, Code: "rate_limit_exceeded", RetryAfter: 90 * time.Second}},
		"429, milliseconds": {llmstub.Fault{Status: 429, RetryAfter: "7", Header: map[string]string{"Retry-After-Ms": "250"}},
			model.Error{Class: model.RateLimited, Code: "rate_limit_exceeded", RetryAfter: 250 * time.Millisecond}},
		"429, nothing left": {llmstub.Fault{Status: 429, Body: `{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","code":"insufficient_quota"}}`},
			model.Error{Class: model.Quota, Code: "insufficient_quota"}},
		"402":                {llmstub.Fault{Status: 402, Body: `{"error":{"message":"Insufficient Balance"}}`}, model.Error{Class: model.Quota}},
		"408":                {llmstub.Fault{Status: 408}, model.Error{Class: model.Overloaded, Code: "invalid_request_error"}},
		"500":                {llmstub.Fault{Status: 500}, model.Error{Class: model.Overloaded, Code: "server_error"}},
		"503, in HTML":       {llmstub.Fault{Status: 503, Body: "<html><body>\n<h1>503</h1>\n"}, model.Error{Class: model.Overloaded}},
		"529":                {llmstub.Fault{Status: 529}, model.Error{Class: model.Overloaded, Code: "service_unavailable_error"}},
		"500, do not retry":  {llmstub.Fault{Status: 500, Header: map[string]string{"X-Should-Retry": "false"}}, model.Error{Class: model.Invalid, Code: "server_error"}},
		"a redirection":      {llmstub.Fault{Status: 308, Header: map[string]string{"Location": "https://elsewhere.example/"}, Body: " "}, model.Error{Class: model.NotFound}},
		"a text as an error": {llmstub.Fault{Status: 404, Body: `{"error":"model \"x\" not found, try pulling it first"}`}, model.Error{Class: model.NotFound}},
		"a list":             {llmstub.Fault{Status: 400, Body: `[{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}]`}, model.Error{Class: model.Auth}},
		"a detail":           {llmstub.Fault{Status: 422, Body: `{"detail":[{"loc":["body","messages"],"msg":"wrong"}]}`}, model.Error{Class: model.Invalid}},
		"an empty error":     {llmstub.Fault{Status: 502, Body: " "}, model.Error{Class: model.Overloaded}},
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
			{Body: "data: {\"error\":\"" + q + "\"}\n\n"},
			{Body: `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"` + q + `"}}]},"finish_reason":"tool_calls"}]}` + "\n\n"},
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
