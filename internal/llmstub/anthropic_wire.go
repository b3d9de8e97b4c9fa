package llmstub

import (
	"fmt"
	"net/http"
	"strings"
)

type anthropicWire struct{}

func (anthropicWire) admit(r *http.Request) (string, int, *problem) {
	key := r.Header.Get("x-api-key")
	if bearer, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); found && key == "" {
		key = bearer
	}
	switch {
	case key == "":
		return "", http.StatusUnauthorized, &problem{text: "x-api-key header is required"}
	case key == badKey:
		return "", http.StatusUnauthorized, &problem{text: "invalid x-api-key"}
	case r.Header.Get("anthropic-version") == "":
		return "", http.StatusBadRequest, &problem{text: "anthropic-version: header is required"}
	}
	return key, 0, nil
}

func (anthropicWire) usual(status int, r *Request) problem {
	switch status {
	case http.StatusUnauthorized:
		return problem{text: "invalid x-api-key"}
	case http.StatusForbidden:
		return problem{text: "Your API key does not have permission to use the specified resource."}
	case http.StatusNotFound:
		return problem{text: "model: " + r.Model}
	case http.StatusTooManyRequests:
		return problem{text: "This request would exceed your organization's rate limit."}
	case statusOverloaded:
		return problem{text: "Overloaded"}
	}
	if status >= http.StatusInternalServerError {
		return problem{text: "Internal server error"}
	}
	return problem{text: "The request is not valid."}
}

// statusOverloaded is Anthropic's own.
const statusOverloaded = 529

// anthropicKind is the type of an error. Other statuses from 500 have api_error, others
// below it invalid_request_error.
func anthropicKind(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusRequestEntityTooLarge:
		return "request_too_large"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case statusOverloaded:
		return "overloaded_error"
	}
	if status >= http.StatusInternalServerError {
		return "api_error"
	}
	return "invalid_request_error"
}

func (anthropicWire) fail(w http.ResponseWriter, status int, p problem) {
	if p.kind == "" {
		p.kind = anthropicKind(status)
	}
	jsonHeader(w)
	w.WriteHeader(status)
	fmt.Fprintln(w, anthropicError(p))
}

func anthropicError(p problem) string {
	var e struct {
		Type  string `json:"type"`
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
	}
	e.Type, e.Error.Type, e.Error.Message = "error", p.kind, p.text
	return asJSON(e)
}

func (anthropicWire) body(a *answer) string { return a.anthropic() }

func (anthropicWire) events(a *answer, _ *Request) []event { return a.anthropicEvents() }

func (anthropicWire) failure() event {
	return event{"error", anthropicError(problem{text: "Overloaded", kind: "overloaded_error"})}
}
