package openai

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/graphrun/graphrun/nodes/model/internal/wire"
	"github.com/graphrun/graphrun/nodes/transcript"
)

const home = "https://api.openai.com/v1"

// The fields that bound an answer, for Config.Bound.
const (
	MaxTokens           = "max_tokens"            // what servers know
	MaxCompletionTokens = "max_completion_tokens" // what OpenAI wants
)

// Config says which model at which server. Only Name is needed everywhere, and
// Key at OpenAI. What it refers to must not be changed once a Model has it.
type Config struct {
	Name    string // as the server calls the model
	Key     string // may be empty where BaseURL is set: none is sent then
	BaseURL string // "": https://api.openai.com/v1
	// Provider is the server's name in errors and traces; "": "openai", or the
	// host of BaseURL if that is another's.
	Provider string
	// Profile says what the server takes as a conversation; nil: transcript.OpenAI
	// at OpenAI, transcript.Compatible elsewhere.
	Profile *transcript.Profile
	// MaxTokens bounds answers whose request does not; 0: the server's default.
	MaxTokens int
	// Bound is the field that says so; "": MaxCompletionTokens at OpenAI,
	// MaxTokens elsewhere.
	Bound string
	// Strict asks the server to hold to a request's schema without fail. The
	// schema must be of the kind that the server can do that for.
	Strict bool
	// PlainJSON is for servers that know no schema of answers: they are asked for
	// a JSON object, and the schema is told to the model.
	PlainJSON bool
	// Extra are more fields of each request, as reasoning_effort, in place of what
	// the adapter sends. A value that is no JSON is an error of New.
	Extra map[string]json.RawMessage
	// Header are more headers of each request. Their values are in no error.
	Header map[string]string
	// HTTP sends the requests; nil: http.DefaultClient. Unless it says otherwise
	// redirections are not followed. Many threads at once want a Transport that
	// keeps more connections than the two of the default.
	HTTP *http.Client
}

// complete fills in what is not set.
func (c Config) complete() (Config, error) {
	if c.Name == "" {
		return c, fmt.Errorf("openai: Name is empty: say which model")
	}
	if c.BaseURL == "" && c.Key == "" {
		return c, fmt.Errorf("openai: there is no key for %s: set Key, or BaseURL for a server that needs none", c.Name)
	}
	if c.MaxTokens < 0 {
		return c, fmt.Errorf("openai: MaxTokens is %d: it must not be negative", c.MaxTokens)
	}
	c.BaseURL = cmp.Or(c.BaseURL, home)
	if err := wire.CheckConfig(c.BaseURL, c.Key, c.Extra); err != nil {
		return c, fmt.Errorf("openai: %w", err)
	}
	u, _ := url.Parse(c.BaseURL) // CheckConfig has parsed it
	return c.asOf(u.Hostname())
}

// asOf fills in what depends on whose server it is.
func (c Config) asOf(host string) (Config, error) {
	provider, profile, bound := host, transcript.Compatible(), MaxTokens
	if host == "api.openai.com" || strings.HasSuffix(host, ".api.openai.com") {
		provider, profile, bound = "openai", transcript.OpenAI(), MaxCompletionTokens
	}
	c.Provider, c.Bound = cmp.Or(c.Provider, provider), cmp.Or(c.Bound, bound)
	if c.Profile == nil {
		c.Profile = profile
	}
	if c.Bound != MaxTokens && c.Bound != MaxCompletionTokens {
		return c, fmt.Errorf("openai: Bound is %q, which is neither %s nor %s", c.Bound, MaxTokens, MaxCompletionTokens)
	}
	c.HTTP = wire.Client(c.HTTP)
	return c, nil
}
