package langchain

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/graphrun/graphrun/nodes/model"
)

func TestKindOf(t *testing.T) {
	for path, want := range map[string]Kind{
		"github.com/tmc/langchaingo/llms/openai":          OpenAI,
		"github.com/tmc/langchaingo/llms/anthropic":       Anthropic,
		"github.com/tmc/langchaingo/llms/ollama":          Ollama,
		"github.com/tmc/langchaingo/llms/googleai":        GoogleAI,
		"github.com/tmc/langchaingo/llms/googleai/vertex": GoogleAI,
		"github.com/tmc/langchaingo/llms/googleai/palm":   TextOnly,
		"github.com/tmc/langchaingo/llms/mistral":         Mistral,
		"github.com/tmc/langchaingo/llms/cohere":          TextOnly,
		"github.com/tmc/langchaingo/llms/cache":           Other,
		"example.org/openai":                              Other,
		"":                                                Other,
	} {
		require.Equal(t, want, kindOf(path), path)
	}
}

func TestUsageOf(t *testing.T) {
	type mistral struct {
		PromptTokens     int `json:"prompt_tokens"`
		TotalTokens      int `json:"total_tokens"`
		CompletionTokens int `json:"completion_tokens"`
	}
	for name, row := range map[string]struct {
		info map[string]any
		want model.Usage
		none bool
	}{
		"openai":       {info: map[string]any{"PromptTokens": 10, "CompletionTokens": 5, "PromptCachedTokens": 4, "ReasoningTokens": 2, "ThinkingTokens": 2}, want: model.Usage{Input: 10, Output: 5, CacheRead: 4, Reasoning: 2}},
		"anthropic":    {info: map[string]any{"InputTokens": 10, "OutputTokens": 5, "CacheReadInputTokens": 6, "CacheCreationInputTokens": 4}, want: model.Usage{Input: 20, Output: 5, CacheRead: 6, CacheWrite: 4}},
		"googleai":     {info: map[string]any{"input_tokens": int32(10), "output_tokens": int32(5), "total_tokens": int32(15), "PromptTokens": int32(10), "CompletionTokens": int32(5), "CachedTokens": int32(3), "CacheReadInputTokens": int32(3), "ThinkingTokens": 0}, want: model.Usage{Input: 10, Output: 5, CacheRead: 3}},
		"mistral":      {info: map[string]any{"model": "m", "usage": mistral{10, 15, 5}}, want: model.Usage{Input: 10, Output: 5}},
		"pointer":      {info: map[string]any{"usage": &mistral{10, 15, 5}}, want: model.Usage{Input: 10, Output: 5}},
		"floats":       {info: map[string]any{"input_tokens": 10.0, "output_tokens": int64(5)}, want: model.Usage{Input: 10, Output: 5}},
		"unsigned":     {info: map[string]any{"PromptTokens": uint8(10)}, want: model.Usage{Input: 10}},
		"negative":     {info: map[string]any{"PromptTokens": -1, "CompletionTokens": 5}, want: model.Usage{Output: 5}},
		"no numbers":   {info: map[string]any{"PromptTokens": "10", "usage": nil}, none: true},
		"usage a func": {info: map[string]any{"usage": func() {}}, none: true},
		"nil":          {none: true},
	} {
		got, ok := usageOf(row.info)
		require.Equal(t, row.want, got, name)
		require.Equal(t, !row.none, ok, name)
	}
}

func TestClassed(t *testing.T) {
	for _, row := range []struct {
		err    error
		class  model.Class
		status int
	}{
		{errors.New("API returned unexpected status code: 429: Rate limit reached for gpt-4.1. Please try again in 1m2.5s."), model.RateLimited, 429},
		{errors.New("API returned unexpected status code: 429: You exceeded your current quota, please check your plan and billing details."), model.Quota, 429},
		{errors.New("API returned unexpected status code: 400: This model's maximum context length is 128000 tokens."), model.TooLong, 400},
		{errors.New("anthropic: failed to create message: API returned unexpected status code: 400: prompt is too long: 210000 tokens > 200000 maximum"), model.TooLong, 400},
		{errors.New("anthropic: failed to create message: API returned unexpected status code: 400: Your credit balance is too low"), model.Quota, 400},
		{errors.New("anthropic: failed to create message: API returned unexpected status code: 400: messages.1: no"), model.Invalid, 400},
		{errors.New("API returned unexpected status code: 401: Incorrect API key provided"), model.Auth, 401},
		{errors.New("API returned unexpected status code: 402"), model.Quota, 402},
		{errors.New("API returned unexpected status code: 413: Request too large"), model.TooLong, 413},
		{errors.New("API returned unexpected status code: 504"), model.TimedOut, 504},
		{errors.New("anthropic: failed to create message: received error event: map[error:map[message:Overloaded type:overloaded_error] type:error]"), model.Overloaded, 0},
		{errors.New("googleapi: Error 429: Resource has been exhausted (e.g. check quota)."), model.RateLimited, 429},
		{errors.New("googleapi: Error 429: You exceeded your current quota, please check your plan and billing details"), model.Quota, 429},
		{errors.New("googleapi: Error 400: API key not valid. Please pass a valid API key."), model.Auth, 400},
		{errors.New("rpc error: code = ResourceExhausted desc = Resource exhausted"), model.RateLimited, 0},
		{errors.New("blocked: candidate: FinishReasonSafety"), model.Invalid, 0},
		{errors.New("(HTTP Error 503) upstream"), model.Overloaded, 503},
		{errors.New("404 Not Found: model 'm' not found"), model.NotFound, 404},
		{errors.New("429"), model.RateLimited, 429},
		{errors.New("rate limit"), model.RateLimited, 0},
		{errors.New("request timeout: API call exceeded deadline"), model.TimedOut, 0},
		{errors.New("network error: failed to reach API server"), model.Unreachable, 0},
		{errors.New(`send request: Post "http://x": dial tcp: lookup x: no such host`), model.Unreachable, 0},
		{errors.New("error reading streaming response: unexpected EOF"), model.Cut, 0},
		{errors.New("error reading streaming response: bufio.Scanner: token too long"), model.Malformed, 0},
		{errors.New("anthropic: failed to create message: parse response: invalid character '~'"), model.Malformed, 0},
		{errors.New("something else"), model.Broken, 0},
		{fmt.Errorf("x: %w", llms.ErrRateLimit), model.RateLimited, 0},
		{llms.ErrAuthentication, model.Auth, 0},
		{llms.ErrQuotaExceeded, model.Quota, 0},
		{llms.ErrTokenLimit, model.TooLong, 0},
		{llms.ErrProviderUnavailable, model.Overloaded, 0},
		{llms.ErrNotImplemented, model.Unsupported, 0},
		{llms.NewError(llms.ErrCodeUnknown, "x", "status code: 503"), model.Overloaded, 503},
	} {
		kind := OpenAI
		m := &Model{cfg: Config{Kind: kind, Provider: "openai"}}
		var got *model.Error
		require.ErrorAs(t, m.classed(row.err, false), &got)
		require.Equal(t, row.class, got.Class, "%v", row.err)
		require.Equal(t, row.status, got.Status, "%v", row.err)
	}
}

func TestClassedPerKind(t *testing.T) {
	google := &Model{cfg: Config{Kind: GoogleAI}}
	// Google says so of rates too.
	require.ErrorIs(t, google.classed(errors.New("googleapi: Error 429: You exceeded your current quota, please check your plan and billing details"), false), model.RateLimited)
	claude := &Model{cfg: Config{Kind: Anthropic}}
	require.ErrorIs(t, claude.classed(errors.New("no response"), false), model.Malformed)
	require.ErrorIs(t, claude.classed(errors.New("no response"), true), model.Cut)
	var e *model.Error
	require.ErrorAs(t, claude.classed(errors.New("status code: 429: Please try again in 1m2.5s."), false), &e)
	require.Equal(t, 62500*time.Millisecond, e.RetryAfter)
	require.ErrorContains(t, claude.classed(errors.New("bufio.Scanner: token too long"), true), "Config.Whole")
}

func TestStopOf(t *testing.T) {
	for reason, want := range map[string]model.Stop{
		"": "", "null": "", "FinishReasonUnspecified": "", "stop": model.StopEnd, "end_turn": model.StopEnd, "FinishReasonStop": model.StopEnd,
		"tool_use": model.StopCalls, "max_tokens": model.StopLength, "FinishReasonMaxTokens": model.StopLength,
		"refusal": model.StopRefused, "content_filter": model.StopRefused, "pause_turn": "pause_turn",
	} {
		require.Equal(t, want, stopOf(reason), reason)
	}
}

func TestPlain(t *testing.T) {
	for schema, want := range map[string]bool{
		`{"type":"object","properties":{"a":{"type":"string","description":"d"}},"required":["a"]}`:             true,
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}}}`:                       true,
		`{"type":"object","properties":{"a":{"type":"string","enum":["x"]}}}`:                                   false,
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","minLength":1}}}}`:         false,
		`{"type":"object","properties":{"a":true}}`:                                                             false,
		`{"type":"object","additionalProperties":false}`:                                                        false,
		`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"$ref":"#/$defs/c"}}}},"x":{}}`: false,
	} {
		got, err := object([]byte(schema))
		require.NoError(t, err)
		require.Equal(t, want, plain(got), schema)
	}
}
