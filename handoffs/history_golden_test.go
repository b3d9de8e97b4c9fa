package handoffs_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// updating says whether golden files are to be written. The flag may be that of
// other tests of this package too.
func updating() func() bool {
	if flag.Lookup("update") == nil {
		flag.Bool("update", false, "write the golden files anew")
	}
	return func() bool { return flag.Lookup("update").Value.String() == "true" }
}

var updateViews = updating()

// viewsGolden compares a text with the file that holds it.
func viewsGolden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", "views", name)
	if updateViews() {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), text, "%s; write it anew by go test -update", path)
}

// indented returns a value's JSON for people.
func indented(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, json.Indent(&b, data, "", "  "))
	return b.String() + "\n"
}
