package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pausedExit is the exit code of a run that waits.
const pausedExit = 4

// block is a fenced block of the README.
type block struct{ lang, text string }

func readme(t *testing.T) (string, []block) { return blocksOf(t, "README.md") }

// blocksOf reads a document and its fenced blocks.
func blocksOf(t *testing.T, name string) (string, []block) {
	t.Helper()
	data, err := os.ReadFile("../../" + name)
	require.NoError(t, err)
	var blocks []block
	for _, m := range regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$").FindAllStringSubmatch(string(data), -1) {
		blocks = append(blocks, block{m[1], m[2]})
	}
	require.NotEmpty(t, blocks)
	return string(data), blocks
}

// only returns the blocks of one language.
func only(blocks []block, lang string) (out []string) {
	for _, b := range blocks {
		if b.lang == lang {
			out = append(out, b.text)
		}
	}
	return out
}

// programOf is a program as documents show it, from its package on.
func programOf(t *testing.T, name string) string {
	t.Helper()
	program, err := os.ReadFile("../../" + name)
	require.NoError(t, err)
	_, body, found := strings.Cut(string(program), "package main\n")
	require.True(t, found)
	return "package main\n" + body
}

func TestReadmeShowsTheProgramThatIsBuilt(t *testing.T) {
	t.Parallel()
	_, blocks := readme(t)
	require.Equal(t, []string{programOf(t, "examples/quickstart/main.go")}, only(blocks, "go"))
}

func TestReadmeShowsTheGraphThatIsRun(t *testing.T) {
	t.Parallel()
	_, blocks := readme(t)
	file, err := os.ReadFile("../../testdata/readme/support.yaml")
	require.NoError(t, err)
	require.Equal(t, []string{string(file)}, only(blocks, "yaml"))
}

func TestReadmeStartsWithAProgram(t *testing.T) {
	t.Parallel()
	text, _ := readme(t)
	before, _, found := strings.Cut(text, "```go\n")
	require.True(t, found)
	require.Less(t, strings.Count(before, "\n"), 20)
}

// TestReadmeCommandsDoWhatItSays runs every line behind a "$" and compares
// what it prints on standard output. The lines share a state directory.
func TestReadmeCommandsDoWhatItSays(t *testing.T) {
	t.Parallel()
	_, blocks := readme(t)
	require.GreaterOrEqual(t, doLines(t, t.TempDir(), only(blocks, "console")), 3)
}

// doLines runs the lines behind a "$" of sessions, with the command in the
// path and a state directory, and compares what they print. It returns how many
// there were.
func doLines(t *testing.T, home string, sessions []string) (ran int) {
	t.Helper()
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "graphrun"), "./cmd/graphrun")
	build.Dir = "../.."
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	for _, session := range sessions {
		for _, part := range strings.Split("\n"+session, "\n$ ")[1:] {
			line, want, _ := strings.Cut(part, "\n")
			require.Equal(t, strings.TrimSpace(want), shell(t, bin, home, line), line)
			ran++
		}
	}
	return ran
}

// TestReadmeMainCommandRuns runs the first of the two commands for a fresh
// clone, whose output is shown below them. The second is all tests, this one
// among them; what .ci/run takes is that very line.
func TestReadmeMainCommandRuns(t *testing.T) {
	t.Parallel()
	_, blocks := readme(t)
	commands := strings.Split(strings.TrimSpace(only(blocks, "sh")[0]), "\n")
	require.Len(t, commands, 2)
	require.Regexp(t, `^go test .* \./\.\.\. # all tests$`, commands[1])
	require.Equal(t, strings.TrimSpace(only(blocks, "text")[0]), shell(t, "", t.TempDir(), commands[0]))
}

// shell runs a line at the top of the tree and returns its standard output. A
// run that is paused is as good as one that is done.
func shell(t *testing.T, bin, home, line string) string {
	t.Helper()
	cmd := exec.Command("bash", "-c", line)
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+home, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.Output()
	if cmd.ProcessState.ExitCode() != pausedExit {
		require.NoError(t, err, line)
	}
	return strings.TrimSpace(string(out))
}
