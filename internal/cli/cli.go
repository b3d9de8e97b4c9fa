package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
)

// lastWords is how long a command may take to end in order behind the second
// signal.
const lastWords = 2 * time.Second

// Run runs the command and returns its exit code. Any number of commands may
// run at once with streams of their own. When signals made it return, the
// streams may still be in use.
func Run(ctx context.Context, env Env) int {
	hard, kill := context.WithCancelCause(ctx)
	defer kill(nil)
	soft, stop := context.WithCancelCause(hard)
	defer stop(nil)
	a := &app{Env: env.filled(), hard: hard}
	a.Stderr = &shared{out: a.Stderr}
	done := make(chan int, 1)
	go func() { done <- a.execute(soft) }()
	var late <-chan time.Time
	for signals := 0; ; {
		select {
		case code := <-done:
			return code
		case <-late:
			a.leave()
			return ExitStopped
		case s := <-a.Signals:
			if a.signals.took(s) {
				continue
			}
			switch signals++; signals {
			case 1:
				stop(Stopped{s})
			case 2:
				kill(Stopped{s})
				late = time.After(lastWords)
			default:
				a.leave()
				return ExitStopped
			}
		}
	}
}

// app is one run of the command.
type app struct {
	Env
	hard    context.Context // of runs: it ends with the second signal, that of the command with the first
	drawing atomic.Bool     // a live view has changed how the terminal behaves
	lines   lineReader      // of standard input
	signals intercept       // of signals that do not end the command

	stdinUsed bool // standard input was the graph file or the like
}

// execute parses the arguments, does what they say and tells what went wrong.
func (a *app) execute(ctx context.Context) int {
	root := a.root()
	root.SetArgs(a.Args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return ExitDone
	}
	end := &exit{}
	if !errors.As(err, &end) {
		end = &exit{ExitUsage, err}
	}
	if end.err != nil {
		a.tell(cmd, end)
	}
	return end.code
}

// tell says why the command ends.
func (a *app) tell(cmd *cobra.Command, end *exit) {
	k := a.inkFor(a.Terminal.Stderr)
	fmt.Fprintln(a.Stderr, k.red("graphrun:"), end.err)
	if end.code == ExitUsage {
		fmt.Fprintln(a.Stderr, k.dim("see "+cmd.CommandPath()+" --help"))
	}
}

// shared is a stream for messages that several goroutines write to. That they
// cannot be written is no reason to end a run, save that their reader left.
type shared struct {
	mu  sync.Mutex
	out io.Writer
}

// Write writes while nobody else does. The error is that of a broken pipe.
func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.out.Write(p)
	if err != nil && !isBrokenPipe(err) {
		return len(p), nil
	}
	return n, err
}

// leave gives the terminal back when the command is left while it is at work.
// The terminal may be stuck, which must not keep the command from ending.
func (a *app) leave() {
	if !a.drawing.Load() {
		return
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		fmt.Fprint(a.Stderr, showCursor+"\n")
	}()
	select {
	case <-written:
	case <-time.After(100 * time.Millisecond):
	}
}
