package crash_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
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

	Nobody bool   // it gives up the rights of root first
	Crowd  *crowd // it takes part in one, in place of a turn
	Death  *death // when it kills itself; nil: it does not
}

func TestMain(m *testing.M) {
	text := os.Getenv(orderVar)
	if text == "" {
		os.Exit(m.Run())
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

// What a child says before it opens the file, once it has, and at its end.
const (
	saysUp   = "up"
	saysOpen = "open"
	saysDone = "done"
)

// obey carries an order out.
func (o *order) obey(ctx context.Context) error {
	if o.Nobody {
		if err := dropRights(); err != nil {
			return err
		}
	}
	fmt.Println(saysUp)
	s, err := sqlite.Open(ctx, fileIn(o.Dir), nil)
	if err != nil {
		return err
	}
	fmt.Println(saysOpen)
	if o.Crowd != nil {
		err = o.Crowd.join(ctx, s, o)
	} else {
		err = o.turn(ctx, s)
	}
	fmt.Println(saysDone)
	return errors.Join(err, s.Close())
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
