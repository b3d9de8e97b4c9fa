package llmstub

import (
	"fmt"
	"net/http"
	"strings"
)

// problem is an error as a provider tells it. Param and code are OpenAI's; "" is
// sent as null.
type problem struct{ text, kind, param, code string }

// badKey is the key that is refused.
const badKey = "bad"

type openaiWire struct{}

func (openaiWire) admit(r *http.Request) (string, int, *problem) {
	key, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	key = strings.TrimSpace(key)
	switch {
	case !found || key == "":
		return "", http.StatusUnauthorized, &problem{text: "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."}
	case key == badKey:
		why := wrongKey(key)
		return "", http.StatusUnauthorized, &why
	}
	return key, 0, nil
}

// wrongKey quotes a part of the key, as OpenAI does.
func wrongKey(key string) problem {
	shown := key[:min(3, len(key))] + "***"
	if len(key) > 8 {
		shown += key[len(key)-4:]
	}
	return problem{text: "Incorrect API key provided: " + shown + ". You can find your API key at https://platform.openai.com/account/api-keys.", code: "invalid_api_key"}
}

func (openaiWire) usual(status int, r *Request) problem {
	switch status {
	case http.StatusUnauthorized:
		return wrongKey(r.key)
	case http.StatusForbidden:
		return problem{text: "You are not allowed to sample from this model"}
	case http.StatusNotFound:
		return problem{text: fmt.Sprintf("The model `%s` does not exist or you do not have access to it.", r.Model), code: "model_not_found"}
	case http.StatusTooManyRequests:
		return problem{text: "Rate limit reached for " + r.Model + " on requests per min (RPM): Limit 3, Used 3, Requested 1.", kind: "requests", code: "rate_limit_exceeded"}
	case http.StatusInternalServerError:
		return problem{text: "The server had an error while processing your request. Sorry about that!"}
	}
	if status >= http.StatusInternalServerError {
		return problem{text: "The server is currently overloaded with other requests. Sorry about that! You can retry your request.", kind: "service_unavailable_error"}
	}
	return problem{text: "The request is not valid."}
}

func (openaiWire) fail(w http.ResponseWriter, status int, p problem) {
	if p.kind == "" {
		p.kind = "invalid_request_error"
		if status >= http.StatusInternalServerError {
			p.kind = "server_error"
		}
	}
	jsonHeader(w)
	w.WriteHeader(status)
	fmt.Fprintln(w, openaiError(p))
}

// jsonHeader says that JSON follows, unless something else was said.
func jsonHeader(w http.ResponseWriter) {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
}

func openaiError(p problem) string {
	orNull := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	var e struct {
		Error struct {
			Message string  `json:"message"`
			Type    string  `json:"type"`
			Param   *string `json:"param"`
			Code    *string `json:"code"`
		} `json:"error"`
	}
	e.Error.Message, e.Error.Type, e.Error.Param, e.Error.Code = p.text, p.kind, orNull(p.param), orNull(p.code)
	return asJSON(e)
}

func (openaiWire) body(a *answer) string { return a.openai() }

func (openaiWire) events(a *answer, r *Request) []event { return a.openaiEvents(r.includeUsage) }

func (openaiWire) failure() event {
	return event{data: openaiError(problem{text: "The server had an error while processing your request. Sorry about that!", kind: "server_error"})}
}
