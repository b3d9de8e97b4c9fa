package langchain

import (
	"errors"
	"net"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/graphrun/graphrun/nodes/model"
)

// failure is an error of this model, without secrets.
func (m *Model) failure(class model.Class, text string) *model.Error {
	return &model.Error{
		Class: class, Provider: m.cfg.Provider, Model: m.cfg.Name,
		Text: model.Excerpt(model.Hide(text, m.cfg.Secrets...)),
	}
}

// classed makes an *Error of a client's error. The clients of langchaingo tell most
// of what they know by their texts alone.
func (m *Model) classed(err error, streamed bool) error {
	var ready *model.Error
	if errors.As(err, &ready) {
		return ready
	}
	text := strings.ToLower(err.Error())
	status := statusOf(text)
	class := classOf(err, text, status, m.cfg.Kind)
	told := err.Error()
	switch {
	case streamed && class == model.Malformed && strings.HasSuffix(text, "no response"):
		class = model.Cut // Anthropic's client says so of a stream that broke off
	case strings.Contains(text, "token too long"):
		told += " (the client does not read lines of a stream over 64 KB: set Config.Whole)"
	}
	e := m.failure(class, told)
	e.Status, e.RetryAfter = status, waitOf(text)
	if model.Hide(err.Error(), m.cfg.Secrets...) == err.Error() {
		e.Err = err
	}
	return e
}

// statusPattern finds a status of HTTP in the texts of the clients, googleapi's and
// mistral-go's libraries.
var statusPattern = regexp.MustCompile(`(?:status code|status|http error|error)\W{0,3}([1-5]\d\d)\b|^([45]\d\d) |^(429|401|503|529)$`)

func statusOf(text string) int {
	for _, found := range statusPattern.FindStringSubmatch(text) {
		if n, err := strconv.Atoi(found); err == nil {
			return n
		}
	}
	return 0
}

// waitPattern finds how long OpenAI asks to wait.
var waitPattern = regexp.MustCompile(`try again in ((?:\d+(?:\.\d+)?(?:ms|s|m|h))+)`)

func waitOf(text string) time.Duration {
	found := waitPattern.FindStringSubmatch(text)
	if found == nil {
		return 0
	}
	wait, err := time.ParseDuration(found[1])
	if err != nil {
		return 0
	}
	return wait
}

// classOf classes an error by its code, its status, and the words of its text.
func classOf(err error, text string, status int, k Kind) model.Class {
	var coded *llms.Error
	if errors.As(err, &coded) {
		if class, ok := classOfCode(coded.Code); ok {
			return class
		}
	}
	var dial net.Error
	if status == 0 && errors.As(err, &dial) && dial.Timeout() {
		return model.TimedOut
	}
	word := classOfWords(text)
	switch {
	case status == 0 && word != "":
		return word
	case status == 0:
		return model.Broken
	case status == 429 && word == model.Quota && k != GoogleAI: // who says so of rates too
		return model.Quota
	case status == 400 && (word == model.TooLong || word == model.Quota || word == model.Auth):
		return word
	}
	return classOfStatus(status)
}

func classOfStatus(status int) model.Class {
	switch status {
	case 401, 403:
		return model.Auth
	case 402:
		return model.Quota
	case 404:
		return model.NotFound
	case 408, 504:
		return model.TimedOut
	case 413:
		return model.TooLong
	case 429:
		return model.RateLimited
	}
	if status >= 500 {
		return model.Overloaded
	}
	return model.Invalid
}

func classOfCode(code llms.ErrorCode) (model.Class, bool) {
	switch code {
	case llms.ErrCodeAuthentication:
		return model.Auth, true
	case llms.ErrCodeRateLimit:
		return model.RateLimited, true
	case llms.ErrCodeInvalidRequest, llms.ErrCodeContentFilter:
		return model.Invalid, true
	case llms.ErrCodeResourceNotFound:
		return model.NotFound, true
	case llms.ErrCodeTimeout, llms.ErrCodeCanceled:
		return model.TimedOut, true
	case llms.ErrCodeQuotaExceeded:
		return model.Quota, true
	case llms.ErrCodeTokenLimit:
		return model.TooLong, true
	case llms.ErrCodeProviderUnavailable:
		return model.Overloaded, true
	case llms.ErrCodeNotImplemented:
		return model.Unsupported, true
	}
	return "", false
}

// classOfWords finds the first class one of whose words is in the text; empty:
// none.
func classOfWords(text string) model.Class {
	for _, row := range []struct {
		class model.Class
		words []string
	}{
		{model.Malformed, []string{"token too long"}},
		{model.TooLong, []string{"context length", "context_length", "maximum context", "context window", "prompt is too long", "input is too long", "token limit", "exceeds the maximum number of tokens"}},
		{model.Quota, []string{"insufficient_quota", "billing", "credit balance", "quota exceeded"}},
		{model.RateLimited, []string{"rate limit", "rate_limit", "too many requests", "resource exhausted", "resource_exhausted"}},
		{model.Auth, []string{"api key", "api-key", "unauthorized", "unauthenticated", "authentication", "permission denied", "permission_error"}},
		{model.Overloaded, []string{"overloaded", "unavailable", "internal server error", "api_error", "bad gateway"}},
		{model.NotFound, []string{"not_found", "not found", "does not exist"}},
		{model.TimedOut, []string{"timeout", "deadline exceeded", "timed out"}},
		{model.Cut, []string{"unexpected eof", "connection reset", "broken pipe", "reading streaming response", "scanning response", "stream error", "goaway"}},
		{model.Unreachable, []string{"network error", "connection refused", "no such host", "dial tcp", "eof"}},
		{model.Invalid, []string{"invalid_request", "invalid request", "blocked"}},
		{model.Malformed, []string{"invalid character", "unmarshal", "parse response", "stream event", "unexpected end of json", "unknown content type", "no response", "empty response", "no content"}},
	} {
		for _, w := range row.words {
			if strings.Contains(text, w) {
				return row.class
			}
		}
	}
	return ""
}
