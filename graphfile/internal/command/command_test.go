//go:build unix

package command_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graphfile/internal/command"
)

// shell is a command that does what a text of the shell says.
func shell(t *testing.T, text string, most int) *command.Command {
	t.Helper()
	path, err := command.Find("sh", "", os.Getenv("PATH"))
	require.NoError(t, err)
	return &command.Command{Path: path, Args: []string{"-c", text}, Dir: t.TempDir(), Env: []string{"PATH=" + os.Getenv("PATH"), "A=b"}, Most: most}
}

func TestRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, out, err string }{
		{"echo", "cat", `{"a":1}`, ""},
		{"environment", `echo "$A$HOME"`, "b", ""},
		{"nothing read", "echo done", "done", ""},
		{"just enough", "printf 1234567890", "1234567890", ""},
		{"one too many", "printf 12345678901", "", "it wrote more than 10 bytes and was killed"},
		{"for ever", "while :; do echo x; done", "", "it wrote more than 10 bytes and was killed"},
		{"no text", `printf 'a\377b'`, "a\uFFFDb", ""},
		{"fails", "echo no >&2; exit 3", "", "it ended with exit status 3: no"},
		{"fails silently", "exit 1", "", "it ended with exit status 1: nothing was written to standard error"},
		{"noise", "i=0; while [ $i -lt 2000 ]; do echo 0123456789 >&2; i=$((i+1)); done; exit 1", "", "it ended with exit status 1: 0123456789"},
		{"noise that does no harm", "echo warning >&2; echo ok", "ok", ""},
		{"killed", "kill -9 $$", "", "it ended with signal: killed"},
		{"a child that stays", "sleep 60 & echo ok", "ok", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, err := shell(t, c.text, 10).Run(t.Context(), []byte(`{"a":1}`))
			require.Equal(t, c.out, out)
			if c.err == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.err)
			require.Less(t, len(err.Error()), 5000)
		})
	}
}

// The end of the context kills the program and what it started.
func TestTheEndOfTheContextKillsTheGroup(t *testing.T) {
	t.Parallel()
	c := shell(t, "sleep 600 & echo $! > child; echo $$ > own.new; mv own.new own; wait", 10)
	ctx, stop := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	go func() {
		for {
			if _, err := os.Stat(filepath.Join(c.Dir, "own")); err == nil {
				stop(why)
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	_, err := c.Run(ctx, nil)
	require.ErrorIs(t, err, why)
	for _, name := range []string{"own", "child"} {
		text, err := os.ReadFile(filepath.Join(c.Dir, name))
		require.NoError(t, err)
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		require.NoError(t, err)
		require.Eventually(t, func() bool { return gone(pid) }, 10*time.Second, time.Millisecond, name)
	}
}

// gone reports whether a process has ended; one that nobody has waited for yet
// has too.
func gone(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(stat), ") Z ")
}

func TestFind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "bin"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bin", "tool"), nil, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bin", "text"), nil, 0o644))
	tool := filepath.Join(dir, "bin", "tool")
	for _, c := range []struct{ name, path, want, err string }{
		{"./bin/tool", "", tool, ""},
		{"bin/tool", "", tool, ""},
		{tool, "", tool, ""},
		{"tool", "/none:" + filepath.Join(dir, "bin"), tool, ""},
		{"tool", "", "", `there is no program "tool" in PATH`},
		{"tool", "bin:.", "", `there is no program "tool" in PATH`}, // what PATH means must not depend on where one is
		{"./bin/text", "", "", "permission denied"},
		{"./bin/none", "", "", "no such file or directory"},
		{"./bin", "", "", "is a directory"},
	} {
		got, err := command.Find(c.name, dir, c.path)
		require.Equal(t, c.want, got, c.name)
		if c.err != "" {
			require.ErrorContains(t, err, c.err)
		} else {
			require.NoError(t, err, c.name)
		}
	}
}
