package cli_test

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs the command as a process of its own, as scripts tell. In
// them "ends CODE COMMAND" runs a command and checks its exit code; "stub FILE"
// and "web" start servers of models and for tools, "fill FILE" puts their
// addresses into files.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_STATE_HOME", env.WorkDir+"/.state")
			env.Setenv("GORACE", "atexit_sleep_ms=0") // with -race every process waits a second otherwise
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"ends": ends, "stub": stub, "web": web, "fill": fill},
	})
}
