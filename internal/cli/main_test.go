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

// command runs the command in this process, with a clock that stands still and
// a thread called "demo" where none is given.
func command(t *testing.T, stdin string, args ...string) output {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env := quiet(args)
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
