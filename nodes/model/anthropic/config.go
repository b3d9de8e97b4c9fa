package anthropic

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/graphrun/graphrun/nodes/model/internal/wire"
	"github.com/graphrun/graphrun/nodes/transcript"
)

const (
	home      = "https://api.anthropic.com"
	maxTokens = 4096
	leastMind = 1024 // tokens, the smallest budget for thoughts that Anthropic takes
)

// Config says which model at which server. Name and Key are needed. What it refers
// to must not be changed once a Model has it.
type Config struct {
	Name    string // as Anthropic calls the model
	Key     string // may be empty where BaseURL is set: none is sent then
	BaseURL string // "": https://api.anthropic.com; a /v1 at its end is left out
	// Provider is the server's name in errors and traces; "": "anthropic".
	Provider string
	// Profile says what the server takes as a conversation; nil:
	// transcript.Anthropic.
	Profile *transcript.Profile
	// MaxTokens bounds answers whose request does not; 0: 4096. Thoughts are not
	// counted in: their budget is added to what is sent.
	MaxTokens int
	// Thinking is the budget for thoughts in tokens, at least 1024; 0: the model
	// does not think, unless it always does; negative: as much as the model likes,
	// which then counts among MaxTokens.
	Thinking int
	// Strict asks the server to hold to a request's schema without fail. The
	// schema must be of the kind that it can do that for. Otherwise the schema is
	// told to the model.
	Strict bool
	// Extra are more fields of each request, in place of what the adapter sends.
	// A value that is no JSON is an error of New.
	Extra map[string]json.RawMessage
	// Header are more headers of each request, as anthropic-beta. Their values
	// are in no error.
	Header map[string]string
	// HTTP sends the requests; nil: http.DefaultClient. Unless it says otherwise
	// redirections are not followed. Many threads at once want a Transport that
	// keeps more connections than the two of the default.
	HTTP *http.Client
}

// complete fills in what is not set.
func (c Config) complete() (Config, error) {
	switch {
	case c.Name == "":
		return c, fmt.Errorf("anthropic: Name is empty: say which model")
	case c.BaseURL == "" && c.Key == "":
		return c, fmt.Errorf("anthropic: there is no key for %s: set Key, or BaseURL for a server that needs none", c.Name)
	case c.Thinking > 0 && c.Thinking < leastMind:
		return c, fmt.Errorf("anthropic: Thinking is %d tokens: the budget must be at least %d", c.Thinking, leastMind)
	case c.MaxTokens < 0:
		return c, fmt.Errorf("anthropic: MaxTokens is %d: it must not be negative", c.MaxTokens)
	}
	c.BaseURL = strings.TrimSuffix(strings.TrimSuffix(cmp.Or(c.BaseURL, home), "/"), "/v1")
	c.Provider, c.MaxTokens = cmp.Or(c.Provider, "anthropic"), cmp.Or(c.MaxTokens, maxTokens)
	if c.Profile == nil {
		c.Profile = transcript.Anthropic()
	}
	if err := wire.CheckConfig(c.BaseURL, c.Key, c.Extra); err != nil {
		return c, fmt.Errorf("anthropic: %w", err)
	}
	c.HTTP = wire.Client(c.HTTP)
	return c, nil
}
