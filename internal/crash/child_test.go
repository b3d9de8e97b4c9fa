package crash_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/graphrun/graphrun/checkpoint"
	"github.com/graphrun/graphrun/checkpoint/sqlite"
	"github.com/graphrun/graphrun/graph"
)

// orderVar makes a process of this test binary a child that does what the
// order in it says.
const orderVar = "GRAPHRUN_CRASH_ORDER"

// order is what a child does.
type order struct {
	Dir   string // of the file and of the effects
	Graph string
	Mode  graph.Durability
	Turn  int
	Move  move

	Nobody  bool   // it gives up the rights of root first
	Crowd   *crowd // it takes part in one, in place of a turn
	Session string // it plays one to its end, in place of a turn; "": none
	Errand  *stage // it plays one of agents to its end, in place of a turn; nil: none
	Death   *death // when it kills itself; nil: it does not
}

func TestMain(m *testing.M) {
	text := os.Getenv(orderVar)
	if text == "" {
		flag.Parse()
		if *seed == 0 {
			*seed = uint64(time.Now().UnixNano())
		}
		os.Exit(supervise(m))
	}
	var o order
	err := json.Unmarshal([]byte(text), &o)
	if err == nil {
		err = o.obey(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// unwatchedProgram names a program of these tests that the race detector does
// not watch. It is made once.
var unwatchedProgram func() (string, error)

// supervise runs the tests.
func supervise(m *testing.M) int {
	dir, err := os.MkdirTemp("", "crash")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	unwatchedProgram = sync.OnceValues(func() (string, error) { return buildUnwatched(dir) })
	return m.Run()
}

// What a child says before it opens the file, once it has, and at its end.
const (
	saysUp   = "up"
	saysOpen = "open"
	saysDone = "done"
	saysTook = "took" // and how long: until the file was open, then until the run had ended
)

// obey carries an order out.
func (o *order) obey(ctx context.Context) error {
	if o.Nobody {
		if err := dropRights(); err != nil {
			return err
		}
	}
	up := time.Now()
	fmt.Println(saysUp)
	s, err := sqlite.Open(ctx, fileIn(o.Dir), nil)
	if err != nil {
		return err
	}
	open := time.Now()
	fmt.Println(saysOpen)
	switch {
	case o.Crowd != nil:
		err = o.Crowd.join(ctx, s, o)
	case o.Session != "":
		err = o.session(ctx, s)
	case o.Errand != nil:
		err = o.Errand.play(ctx, s)
	default:
		err = o.turn(ctx, s)
	}
	fmt.Println(saysDone)
	fmt.Println(saysTook, int64(open.Sub(up)), int64(time.Since(open)))
	return errors.Join(err, s.Close())
}

// session plays a session to its end.
func (o *order) session(ctx context.Context, s checkpoint.Store) error {
	p, err := newPlay(o.Session, o.Dir, o.Mode, o.Death)
	if err != nil {
		return err
	}
	return p.finish(ctx, s)
}

func (o *order) turn(ctx context.Context, s *sqlite.Store) error {
	d, err := newDrive(o.Graph, &world{ledger: &ledger{path: o.Dir, turn: o.Turn}, slow: true}, o.Mode)
	if err != nil {
		return err
	}
	d.stream = o.Turn%4 == 0
	var store checkpoint.Store = s
	if o.Death != nil {
		o.Death.Store, d.world.slow = s, false
		store = o.Death
	}
	if err := expected(d.run(ctx, store, o.Move)); err != nil {
		return err
	}
	return d.tell(ctx, s)
}

// child is a process that carries an order out.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  *bufio.Scanner
	stderr bytes.Buffer
}

// start starts a child.
func start(o *order) (*child, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.Command(exe)}
	c.cmd.Env = append(os.Environ(), orderVar+"="+string(text))
	c.cmd.Stderr = &c.stderr
	c.in, err = c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.lines = bufio.NewScanner(out)
	return c, c.cmd.Start()
}

// await reads until the child has said something; false if it has ended.
func (c *child) await(text string) bool {
	for c.lines.Scan() {
		if c.lines.Text() == text {
			return true
		}
	}
	return false
}

// end waits for the child's end, and reports whether it was killed. The error
// is what else went wrong.
func (c *child) end() (killed bool, err error) {
	for c.lines.Scan() { // until the pipe is closed
	}
	err = c.cmd.Wait()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return false, nil
	case errors.As(err, &exit) && exit.ExitCode() == -1:
		return true, nil
	}
	return false, fmt.Errorf("%w: %s", err, strings.TrimSpace(c.stderr.String()))
}

// killAfter kills the child some time from now, unless it ends before.
func (c *child) killAfter(d time.Duration) (killed bool, err error) {
	kill := time.AfterFunc(d, func() {
		if err := c.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			panic(err)
		}
	})
	defer kill.Stop()
	return c.end()
}
