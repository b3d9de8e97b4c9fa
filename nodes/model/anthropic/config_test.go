package anthropic_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/llmstub"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/anthropic"
	"github.com/graphrun/graphrun/nodes/transcript"
)

func TestNewSaysWhatIsMissing(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-of-the-environment")
	for name, c := range map[string]struct {
		cfg  anthropic.Config
		want string
	}{
		"no name":    {anthropic.Config{Key: key}, "anthropic: Name is empty: say which model"},
		"no key":     {anthropic.Config{Name: "m"}, "anthropic: there is no key for m: set Key, or BaseURL for a server that needs none"},
		"a space":    {anthropic.Config{Name: "m", Key: " " + key}, "anthropic: the key has a space, a line break or another character that no key has"},
		"no address": {anthropic.Config{Name: "m", BaseURL: "localhost"}, `anthropic: the base URL "localhost" should look like https://host/v1`},
		"a budget":   {anthropic.Config{Name: "m", Key: key, Thinking: 5}, "anthropic: Thinking is 5 tokens: the budget must be at least 1024"},
		"a bound":    {anthropic.Config{Name: "m", Key: key, MaxTokens: -5}, "anthropic: MaxTokens is -5: it must not be negative"},
		"extra":      {anthropic.Config{Name: "m", Key: key, Extra: map[string]json.RawMessage{"b": []byte("{"), "a": nil}}, `anthropic: the field "a" of Extra is no JSON`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := anthropic.New(c.cfg)
			require.EqualError(t, err, c.want)
		})
	}
}

func TestInfo(t *testing.T) {
	t.Parallel()
	m, err := anthropic.New(anthropic.Config{Name: "m", Key: key})
	require.NoError(t, err)
	require.Equal(t, model.Info{Provider: "anthropic", Name: "m", Profile: transcript.Anthropic()}, model.InfoOf(m))
}

// TestNothingOfTheEnvironmentIsUsed sets what the client would read by itself.
func TestNothingOfTheEnvironmentIsUsed(t *testing.T) {
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	require.NoError(t, os.WriteFile(token, []byte("environment"), 0o600))
	for name, value := range map[string]string{
		"ANTHROPIC_API_KEY": "environment", "ANTHROPIC_AUTH_TOKEN": "environment", "ANTHROPIC_BASE_URL": "http://environment.invalid",
		"ANTHROPIC_CUSTOM_HEADERS": "X-Of: environment", "ANTHROPIC_PROFILE": "environment", "HOME": dir, "XDG_CONFIG_HOME": dir,
		"ANTHROPIC_FEDERATION_RULE_ID": "environment", "ANTHROPIC_ORGANIZATION_ID": "environment", "ANTHROPIC_IDENTITY_TOKEN_FILE": token,
	} {
		t.Setenv(name, value)
	}
	srv := llmstub.New(&llmstub.Script{Replies: []llmstub.Reply{{Text: "Hi.", Times: -1}}})
	t.Cleanup(srv.Close)
	for _, base := range []string{"", "/v1", "/v1/"} {
		_, _, err := collect(t.Context(), at(t, srv, func(c *anthropic.Config) { c.BaseURL += base }), question("Hi"))
		require.NoError(t, err)
	}
	for _, r := range srv.Requests() {
		require.Equal(t, []string{key}, r.Header["X-Api-Key"])
		require.NotContains(t, r.Header, "Authorization")
		for name, values := range r.Header {
			require.NotContains(t, values[0], "environment", name)
		}
	}
	_, _, err := collect(t.Context(), at(t, srv, func(c *anthropic.Config) { c.Key = "" }), question("Hi"))
	require.ErrorIs(t, err, model.Auth)
}
