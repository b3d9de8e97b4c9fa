package schemacheck_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/schemacheck"
)

func TestProblemsAreToldAllAtOnceWithTheirPlaces(t *testing.T) {
	t.Parallel()
	s, err := schemacheck.Compile([]byte(`{"type":"object","properties":{"n":{"type":"integer"},"s":{"type":"string"}},"required":["n"]}`))
	require.NoError(t, err)
	require.NoError(t, s.Check([]byte(`{"n":1,"s":"x"}`)))
	require.Equal(t, []string{"at '/n': got string, want integer", "at '/s': got number, want string"}, s.Problems([]byte(`{"n":"1","s":2}`)))
	require.EqualError(t, s.Check([]byte(`{}`)), "at '': missing property 'n'")
	require.ErrorContains(t, s.Check([]byte(`{"n":1`)), "it is no JSON")
	require.ErrorContains(t, s.Check([]byte(`{"n":1}{}`)), "it is no JSON")
}

func TestSchemasOfOthersAreNotFetched(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{`{"$ref":"https://example.com/s.json"}`, `{"$ref":"file:///etc/passwd"}`, `{"type":7}`, `{`, ``} {
		_, err := schemacheck.Compile([]byte(bad))
		require.Error(t, err, bad)
	}
}

func TestUnfenced(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"a":1}`:                      `{"a":1}`,
		"```json\n{\"a\":1}\n```":      `{"a":1}`,
		" ```\n[1]\n```\nas you asked": `[1]`,
		"```\n{}":                      `{}`,
		"text":                         "text",
	} {
		require.Equal(t, want, schemacheck.Unfenced(in), in)
	}
}
