package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
)

// CheckConfig says what is wrong with what all adapters are told.
func CheckConfig(base, key string, extra map[string]json.RawMessage) error {
	if err := errors.Join(address(base), keyed(key)); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if !json.Valid(extra[name]) {
			return fmt.Errorf("the field %q of Extra is no JSON", name)
		}
	}
	return nil
}

// address says what is wrong with a base URL.
func address(base string) error {
	u, err := url.Parse(base)
	switch {
	case err != nil:
		return errors.New("the base URL is no URL: it should look like https://host/v1")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return fmt.Errorf("the base URL %q should look like https://host/v1", u.Redacted())
	case u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("the base URL of %s must end with its path, without a query", u.Host)
	}
	return nil
}

// keyed says what is wrong with a key, without telling it.
func keyed(key string) error {
	for _, r := range key {
		if r <= ' ' || r > '~' {
			return errors.New("the key has a space, a line break or another character that no key has")
		}
	}
	return nil
}

// Any are values of any type.
func Any(fields map[string]json.RawMessage) map[string]any {
	out := make(map[string]any, len(fields))
	for name, value := range fields {
		out[name] = value
	}
	return out
}

// Client returns a client for h, or for http.DefaultClient if h is nil, that
// follows no redirection unless h says how: a key is for one server.
func Client(h *http.Client) *http.Client {
	if h == nil {
		h = http.DefaultClient
	}
	c := *h
	if c.CheckRedirect == nil {
		c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	return &c
}
