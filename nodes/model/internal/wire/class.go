package wire

import (
	"strings"

	"github.com/graphrun/graphrun/nodes/model"
)

// words are what providers call their errors: code or type of it.
var words = map[string]model.Class{
	"context_length_exceeded":    model.TooLong,
	"exceed_context_size_error":  model.TooLong,
	"string_above_max_length":    model.TooLong,
	"request_too_large":          model.TooLong,
	"insufficient_quota":         model.Quota,
	"billing_error":              model.Quota,
	"billing_not_active":         model.Quota,
	"billing_hard_limit_reached": model.Quota,
	"invalid_api_key":            model.Auth,
	"authentication_error":       model.Auth,
	"permission_error":           model.Auth,
	"model_not_found":            model.NotFound,
	"not_found_error":            model.NotFound,
	"rate_limit_exceeded":        model.RateLimited,
	"rate_limit_error":           model.RateLimited,
	"overloaded_error":           model.Overloaded,
	"server_error":               model.Overloaded,
	"internal_error":             model.Overloaded,
	"api_error":                  model.Overloaded,
	"timeout_error":              model.TimedOut,
	"invalid_request_error":      model.Invalid,
}

// phrases are what providers say where their words do not tell, in small letters.
var phrases = []struct {
	text  string
	class model.Class
}{
	{"maximum context length", model.TooLong},
	{"prompt is too long", model.TooLong},
	{"input is too long", model.TooLong},
	{"context window", model.TooLong},
	{"context size", model.TooLong},
	{"request too large", model.TooLong},
	{"credit balance is too low", model.Quota},
	{"insufficient balance", model.Quota},
	{"api key not valid", model.Auth},
}

// class finds the class: what is said precisely counts before the status, the
// status before what is said in general.
func (f *failure) class() model.Class {
	for _, word := range []string{f.code, f.kind} {
		switch c := words[word]; c {
		case model.TooLong, model.Quota:
			return c
		}
	}
	if f.status < 500 {
		message := strings.ToLower(f.message)
		for _, p := range phrases {
			if strings.Contains(message, p.text) {
				return p.class
			}
		}
	}
	for _, word := range []string{f.code, f.kind} {
		if c := words[word]; c == model.Auth || c == model.NotFound {
			return c
		}
	}
	if f.status != 0 {
		return ofStatus(f.status)
	}
	for _, word := range []string{f.code, f.kind} {
		if c, ok := words[word]; ok {
			return c
		}
	}
	return model.Overloaded
}

func ofStatus(status int) model.Class {
	switch status {
	case 401, 403:
		return model.Auth
	case 402:
		return model.Quota
	case 404, 405, 410:
		return model.NotFound
	case 408, 409, 425:
		return model.Overloaded
	case 413:
		return model.TooLong
	case 429:
		return model.RateLimited
	case 501:
		return model.Unsupported
	}
	switch {
	case status >= 500:
		return model.Overloaded
	case status >= 300 && status < 400:
		return model.NotFound
	}
	return model.Invalid
}

// advised heeds a server that says whether another attempt helps.
func advised(class model.Class, retry string) model.Class {
	switch {
	case retry == "true" && !class.Retryable():
		return model.Overloaded
	case retry != "false" || !class.Retryable():
		return class
	case class == model.RateLimited:
		return model.Quota
	}
	return model.Invalid
}
