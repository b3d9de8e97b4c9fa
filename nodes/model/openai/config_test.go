package openai_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/llmstub"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/openai"
	"github.com/graphrun/graphrun/nodes/transcript"
)

func TestNewSaysWhatIsMissing(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-of-the-environment")
	for name, c := range map[string]struct {
		cfg  openai.Config
		want string
	}{
		"no name":    {openai.Config{Key: key}, "openai: Name is empty: say which model"},
		"no key":     {openai.Config{Name: "m"}, "openai: there is no key for m: set Key, or BaseURL for a server that needs none"},
		"a line":     {openai.Config{Name: "m", Key: key + "\n"}, "openai: the key has a space, a line break or another character that no key has"},
		"no address": {openai.Config{Name: "m", BaseURL: "localhost:11434/v1"}, `openai: the base URL "localhost:11434/v1" should look like https://host/v1`},
		"a password": {openai.Config{Name: "m", BaseURL: "ftp://ann:secret@host/v1"}, `openai: the base URL "ftp://ann:xxxxx@host/v1" should look like https://host/v1`},
		"no URL":     {openai.Config{Name: "m", BaseURL: "http://ann:secret@host:x/v1"}, "openai: the base URL is no URL: it should look like https://host/v1"},
		"a query":    {openai.Config{Name: "m", BaseURL: "http://host/v1?key=secret"}, "openai: the base URL of host must end with its path, without a query"},
		"extra":      {openai.Config{Name: "m", Key: key, Extra: map[string]json.RawMessage{"b": []byte("{"), "a": []byte("{")}}, `openai: the field "a" of Extra is no JSON`},
		"less":       {openai.Config{Name: "m", Key: key, MaxTokens: -1}, "openai: MaxTokens is -1: it must not be negative"},
		"a bound":    {openai.Config{Name: "m", Key: key, Bound: "tokens"}, `openai: Bound is "tokens", which is neither max_tokens nor max_completion_tokens`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := openai.New(c.cfg)
			require.EqualError(t, err, c.want)
		})
	}
}

func TestInfo(t *testing.T) {
	t.Parallel()
	own := &transcript.Profile{Names: true}
	for name, c := range map[string]struct {
		cfg  openai.Config
		want model.Info
	}{
		"OpenAI":    {openai.Config{Key: key}, model.Info{Provider: "openai", Profile: transcript.OpenAI()}},
		"in Europe": {openai.Config{BaseURL: "https://eu.api.openai.com/v1"}, model.Info{Provider: "openai", Profile: transcript.OpenAI()}},
		"another":   {openai.Config{BaseURL: "http://localhost:11434/v1"}, model.Info{Provider: "localhost", Profile: transcript.Compatible()}},
		"named":     {openai.Config{BaseURL: "http://localhost:11434/v1", Provider: "ollama", Profile: own}, model.Info{Provider: "ollama", Profile: own}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.cfg.Name, c.want.Name = "m", "m"
			m, err := openai.New(c.cfg)
			require.NoError(t, err)
			require.Equal(t, c.want, model.InfoOf(m))
		})
	}
}

// TestNothingOfTheEnvironmentIsUsed sets what the client would read by itself.
func TestNothingOfTheEnvironmentIsUsed(t *testing.T) {
	for name, value := range map[string]string{
		"OPENAI_API_KEY": "sk-of-the-environment", "OPENAI_ADMIN_KEY": "sk-of-the-environment", "OPENAI_BASE_URL": "http://environment.invalid",
		"OPENAI_ORG_ID": "environment", "OPENAI_PROJECT_ID": "environment", "OPENAI_CUSTOM_HEADERS": "X-Of: environment", "OPENAI_WEBHOOK_SECRET": "environment",
	} {
		t.Setenv(name, value)
	}
	srv := llmstub.New(&llmstub.Script{Replies: []llmstub.Reply{{Text: "Hi.", Times: -1}}})
	t.Cleanup(srv.Close)
	for _, k := range []string{key, "dummy"} {
		_, _, err := collect(t.Context(), at(t, srv, func(c *openai.Config) { c.Key = k }), question("Hi"))
		require.NoError(t, err)
	}
	for _, r := range srv.Requests() {
		for name, values := range r.Header {
			require.NotContains(t, values[0], "environment", name)
		}
	}
	require.Equal(t, "Bearer dummy", srv.Requests()[1].Header.Get("Authorization"))
}
