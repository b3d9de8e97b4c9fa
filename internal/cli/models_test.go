package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/internal/cli"
	"github.com/graphrun/graphrun/internal/llmstub"
)

const talking = "../../testdata/models"

// world is an environment in which commands are run with models.
type world struct {
	dir string            // of threads
	env map[string]string // beside it
}

// stubbed is the environment in which both providers are a server of the test.
func stubbed(t *testing.T, script string) (*world, *llmstub.Server) {
	t.Helper()
	text, err := os.ReadFile(script)
	require.NoError(t, err)
	s, err := llmstub.ParseScript(text)
	require.NoError(t, err)
	for i := range s.Replies { // whatever the requests have besides
		if s.Replies[i].Usage == (llmstub.Usage{}) {
			s.Replies[i].Usage = llmstub.Usage{Input: 100, Output: 10}
		}
	}
	srv := llmstub.New(s)
	t.Cleanup(srv.Close)
	return &world{dir: t.TempDir(), env: map[string]string{
		"OPENAI_BASE_URL": srv.URL() + "/v1", "OPENAI_API_KEY": "sk-test-openai",
		"ANTHROPIC_BASE_URL": srv.URL(), "ANTHROPIC_API_KEY": "sk-test-anthropic", "PATH": os.Getenv("PATH"),
		"OLLAMA_HOST": srv.URL(),
	}}, srv
}

// run runs a command.
func (w *world) run(t *testing.T, args ...string) output {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env := quiet(args)
	env.Getenv = func(name string) string {
		if v, ok := w.env[name]; ok {
			return v
		}
		return stateIn(w.dir)(name)
	}
	env.Stdin, env.Stdout, env.Stderr = strings.NewReader(""), &stdout, &stderr
	code := cli.Run(t.Context(), env)
	return output{stdout.String(), stderr.String(), code}
}

// TestModels runs what the graph files of testdata/models say to try, with the
// models that the script beside each of them tells, and compares what came of it
// with the file beside them.
func TestModels(t *testing.T) {
	t.Chdir(talking)
	files, err := filepath.Glob("*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimSuffix(file, ".yaml")
		t.Run(name, func(t *testing.T) {
			w, srv := stubbed(t, name+".llm")
			golden(t, name+".golden", w.session(t, file))
			require.Empty(t, srv.Unexpected())
			require.Empty(t, srv.Unused())
			for _, r := range srv.Requests() {
				require.Empty(t, r.Refused)
			}
		})
	}
}

// session runs the commands that a file says to try on one thread, and tells what
// came of them.
func (w *world) session(t *testing.T, file string) string {
	t.Helper()
	var b strings.Builder
	commands := tries(t, file)
	require.NotEmpty(t, commands, "%s says nothing to try", file)
	for _, line := range commands {
		fmt.Fprintf(&b, "$ %s\n", line)
		out := w.run(t, append(arguments(t, line), "--thread", "x", "--output", "jsonl")...)
		told(t, &b, out.stdout)
		if out.code == 2 { // nothing has run
			b.WriteString(out.stderr)
		}
		fmt.Fprintf(&b, "[exit code %d]\n\n", out.code)
	}
	left(t, &b, w.run(t, "state", file, "--thread", "x", "--output", "json").stdout)
	return b.String()
}

// TestModelsGoTheWayOfScripts shows that handoffs by models over HTTP leave the
// same routes, events and log as those of the scripts with the same name.
func TestModelsGoTheWayOfScripts(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"X-01", "X-02", "X-39", "X-40", "X-43", "bc_rag"} {
		scripted, err := os.ReadFile(filepath.Join(scenarios, name+".golden"))
		require.NoError(t, err)
		modelled, err := os.ReadFile(filepath.Join(talking, name+".golden"))
		require.NoError(t, err)
		require.Equal(t, way(string(scripted)), way(string(modelled)), name)
		require.NotEmpty(t, way(string(modelled)))
	}
}

var (
	errorText   = regexp.MustCompile(` message: .*?( (?:status|reason|result)=|$)`)
	repeated    = regexp.MustCompile(`(digger process_handoff )+`)
	notCompared = regexp.MustCompile(`^(\$|\[exit|  asks|  timer|.*: ok \()|^$`)
)

// way is what a golden file tells of who handed to whom: without the texts of
// errors, which a model's are not, and with turns that repeat told once.
func way(golden string) (lines []string) {
	golden, _, _ = strings.Cut(golden, "\nstate\n")
	for line := range strings.Lines(golden) {
		line = strings.TrimSuffix(line, "\n")
		if notCompared.MatchString(line) {
			continue
		}
		line = errorText.ReplaceAllString(line, "$1")
		lines = append(lines, repeated.ReplaceAllString(strings.Replace(line, " !failed", "", 1), "$1"))
	}
	return lines
}

// TestModelsAreReplayed shows that a session that was recorded is the same, to
// the byte, when it is played: without keys, without a server. Ids of calls are
// left out: two commands that ask the same share a recording, that of the later.
func TestModelsAreReplayed(t *testing.T) {
	t.Chdir(talking)
	files, err := filepath.Glob("*.yaml")
	require.NoError(t, err)
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			tapes := t.TempDir()
			w, srv := stubbed(t, strings.TrimSuffix(file, ".yaml")+".llm")
			recorded := w.log(t, file, "--record", tapes)
			asked := len(srv.Requests())
			srv.Close()
			made, err := filepath.Glob(tapes + "/*.json")
			require.NoError(t, err)
			require.NotEmpty(t, made)
			require.LessOrEqual(t, len(made), asked)
			for _, path := range made {
				data, err := os.ReadFile(path)
				require.NoError(t, err)
				require.NotContains(t, string(data), "sk-test")
			}
			alone := &world{dir: t.TempDir(), env: map[string]string{"PATH": os.Getenv("PATH")}}
			require.Equal(t, recorded, alone.log(t, file, "--replay", tapes))
			require.Len(t, srv.Requests(), asked)
		})
	}
}

var (
	clockTimes = regexp.MustCompile(`"(time|at|timestamp)":"[^"]*"`)
	stubIDs    = regexp.MustCompile(`\b(call|toolu)_[0-9]+_[0-9]+\b`)
)

// log is the event log of what a file says to try, without the times of the clock.
func (w *world) log(t *testing.T, file string, flags ...string) string {
	t.Helper()
	var b strings.Builder
	for _, line := range tries(t, file) {
		out := w.run(t, append(append(arguments(t, line), "--thread", "x", "--output", "jsonl"), flags...)...)
		require.NotEqual(t, 2, out.code, out.stderr)
		b.WriteString(stubIDs.ReplaceAllString(clockTimes.ReplaceAllString(inOrder(t, out.stdout), `"$1":""`), "$1"))
	}
	return b.String()
}
