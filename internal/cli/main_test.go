package cli_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/graphrun/graphrun/internal/cli"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"graphrun": program})
}

// program is the command as a process of its own; it does what main does.
func program() {
	signal.Ignore(syscall.SIGPIPE)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	os.Exit(cli.Run(context.Background(), cli.System(os.Args[1:], signals)))
}

// output is what a command wrote in this process.
type output struct {
	stdout, stderr string
	code           int
}

// command runs the command in this process, with a clock that stands still, a
// thread called "demo" where none is given, and no threads from before.
func command(t *testing.T, stdin string, args ...string) output {
	t.Helper()
	return commandIn(t, t.TempDir(), stdin, args...)
}

// commandIn is command with the threads of a state directory.
func commandIn(t *testing.T, dir, stdin string, args ...string) output {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env := quiet(args)
	env.Getenv = stateIn(dir)
	env.Stdin, env.Stdout, env.Stderr = strings.NewReader(stdin), &stdout, &stderr
	code := cli.Run(t.Context(), env)
	return output{stdout.String(), stderr.String(), code}
}

// quiet is an Env in which nothing changes by itself.
func quiet(args []string) cli.Env {
	return cli.Env{
		Args:      args,
		Now:       func() time.Time { return time.Unix(0, 0) },
		NewThread: func() (string, error) { return "demo", nil },
	}
}

// stateIn is an environment with a state directory and no colours.
func stateIn(dir string) func(string) string {
	return func(name string) string {
		switch name {
		case "XDG_STATE_HOME":
			return dir
		case "NO_COLOR":
			return "1"
		}
		return ""
	}
}
