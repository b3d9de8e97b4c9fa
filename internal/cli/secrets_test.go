package cli_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKeysAreNowhere shows that what the environment holds for models and tools is
// in no output, recording, checkpoint or file of the store, also where the provider
// and the tool say it.
func TestKeysAreNowhere(t *testing.T) {
	const key, token = "sk-proj-0123456789abcdef", "tok-fedcba9876543210"
	dir := t.TempDir()
	script := filepath.Join(dir, "keys.llm")
	require.NoError(t, os.WriteFile(script, []byte(`replies:
- when: {call: 1}
  calls: [{name: leak, args: {}}]
- when: {tool: leak}
  times: -1
  fault: {status: 401, body: '{"error": {"message": "Incorrect API key provided: `+key+`", "code": "invalid_api_key"}}'}
`), 0o600))
	file := filepath.Join(dir, "keys.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`name: keys
tools:
  leak: {description: Says what it knows., exec: [sh, -c, 'echo "$TOKEN"; echo "$TOKEN" >&2; echo "$OPENAI_API_KEY"'], env: [TOKEN]}
agents:
  front: {model: "openai:gpt-4o-mini", tools: [leak]}
`), 0o600))
	w, _ := stubbed(t, script)
	w.env["OPENAI_API_KEY"], w.env["TOKEN"] = key, token
	w.dir = filepath.Join(dir, "state")
	out := w.run(t, "run", file, "--thread", "x", "--output", "jsonl", "--allow-exec", "--record", filepath.Join(dir, "tapes"),
		"--input", `{"messages": [{"type": "human", "content": "Tell."}]}`)
	require.Equal(t, 1, out.code, out.stderr)
	require.Contains(t, out.stdout+out.stderr, "auth")
	require.Contains(t, out.stdout, `"tool":"leak"`)
	told := out.stdout + out.stderr + w.run(t, "state", file, "--thread", "x", "--output", "json").stdout + w.run(t, "history", file, "--thread", "x", "--output", "jsonl").stdout
	files := 0
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == script {
			return err
		}
		data, err := os.ReadFile(path)
		told += string(data)
		files++
		return err
	}))
	require.Greater(t, files, 3, "a store, a recording and the file")
	require.False(t, strings.Contains(told, key), "the key is told")
	require.False(t, strings.Contains(told, token), "the tool's secret is told")
}
