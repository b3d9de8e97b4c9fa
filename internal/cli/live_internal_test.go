package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/internal/topo"
)

// screen plays a terminal: it keeps the lines that are to be seen.
type screen struct {
	lines  []string
	cursor bool
	frames int
}

// Write does what a terminal does with the few things that it is told.
func (s *screen) Write(p []byte) (int, error) {
	s.frames++
	text := string(p)
	text, shown := strings.CutSuffix(text, showCursor)
	if before, after, hides := strings.Cut(text, hideCursor); hides {
		text, s.cursor = before+after, false
	}
	if shown {
		s.cursor = true
	}
	if strings.HasPrefix(text, "\x1b[") {
		up, rest, _ := strings.Cut(text[2:], "A\r"+clearBelow)
		n := 0
		for _, digit := range up {
			n = n*10 + int(digit-'0')
		}
		s.lines, text = s.lines[:len(s.lines)-n], rest
	}
	for line := range strings.Lines(text) {
		s.lines = append(s.lines, strings.TrimSuffix(line, "\n"))
	}
	return len(p), nil
}

// stageLive puts a live view on a screen of some size, in a bubble of time.
func stageLive(columns, rows int) (*live, *screen) {
	s := &screen{cursor: true}
	env := Env{Stderr: s, Terminal: Terminal{Stderr: true, Size: func() (int, int) { return columns, rows }}}
	a := &app{Env: env.filled()}
	return newLive(a, newPainter(false, 14)), s
}

func at(pos graph.Pos, ns ...string) graph.Head {
	return graph.Head{Pos: pos, NS: ns, Step: int(pos[len(pos)-3])}
}

func task(node, id string) graph.TaskRef { return graph.TaskRef{Node: node, Task: id} }

// show hands events to the view.
func show(t *testing.T, l *live, events ...graph.Event) {
	t.Helper()
	for _, e := range events {
		require.NoError(t, l.event(e))
	}
}

// next waits for the next picture.
func next() {
	time.Sleep(framePause)
	synctest.Wait()
}

func TestLiveViewIsATree(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, s := stageLive(80, 24)
		outer, other, inner := task("billing", "1.0"), task("mail", "1.1"), task("check", "1.0/1.0")
		show(t, l,
			&graph.StepStarted{Head: at(graph.Pos{1, 0, 0}), Tasks: []graph.TaskRef{outer, other}},
			&graph.TaskStarted{Head: at(graph.Pos{1, 1, 0}), TaskRef: outer},
			&graph.StepStarted{Head: at(graph.Pos{1, 1, 0, 1, 0, 0}, "billing"), Tasks: []graph.TaskRef{inner}},
			&graph.TaskStarted{Head: at(graph.Pos{1, 1, 0, 1, 1, 0}, "billing"), TaskRef: inner},
		)
		next()
		require.Equal(t, []string{
			"  1    ⠙ billing          80ms",
			"  1.1    ⠙ check          80ms",
			"  1    · mail",
		}, s.lines)
		require.False(t, s.cursor)

		show(t, l,
			&graph.TaskRetried{Head: at(graph.Pos{1, 1, 0, 1, 1, 1}, "billing"), TaskRef: inner, Attempt: 1, Err: errors.New("no line")},
			&graph.TaskStarted{Head: at(graph.Pos{1, 2, 0}), TaskRef: other},
			&graph.TaskFinished{Head: at(graph.Pos{1, 2, 1}), TaskRef: other},
		)
		next()
		require.Equal(t, []string{
			"  1    ⠹ billing         160ms",
			"  1.1    ⠹ check         160ms  attempt 1 failed, trying again: no line",
			"  1    ✓ mail             <1ms",
		}, s.lines)

		show(t, l,
			&graph.TaskFailed{Head: at(graph.Pos{1, 1, 0, 1, 1, 2}, "billing"), TaskRef: inner, Err: &graph.Error{Node: "check", Err: errors.New("after 2 attempts: no\nline")}},
			&graph.TaskFailed{Head: at(graph.Pos{1, 1, 1}), TaskRef: outer, Err: errors.New("no line"), Cancelled: true},
			&graph.RunFinished{Head: at(graph.Pos{1, 3, 1}), Outcome: graph.OutcomeFailed},
		)
		require.NoError(t, l.close())
		require.Equal(t, []string{
			"  1    – billing         160ms  cancelled",
			"  1.1    ✗ check         160ms  failed: after 2 attempts: no line",
			"  1    ✓ mail             <1ms",
		}, s.lines)
		require.True(t, s.cursor)
	})
}

func TestLiveViewOfAShortRunLeavesTheCursorAlone(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	a := &app{Env: Env{Stderr: &out}.filled()}
	l := newLive(a, newPainter(false, 4))
	one := task("pay", "1.0")
	show(t, l,
		&graph.TaskStarted{Head: at(graph.Pos{1, 1, 0}), TaskRef: one},
		&graph.TaskFinished{Head: at(graph.Pos{1, 1, 1}), TaskRef: one},
		&graph.StepCommitted{Head: at(graph.Pos{1, 2, 0})},
	)
	require.NoError(t, l.close())
	require.NotContains(t, out.String(), "\x1b")
	require.Contains(t, out.String(), "✓ pay")
}

func TestLiveViewFitsTheWindow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, s := stageLive(50, 8)
		var all []graph.TaskRef
		for i := range 40 {
			all = append(all, task("page", "1."+string(rune('A'+i))))
		}
		show(t, l, &graph.StepStarted{Head: at(graph.Pos{1, 0, 0}), Tasks: all})
		for i := range 20 {
			show(t, l, &graph.TaskStarted{Head: at(graph.Pos{1, int32(i), 0}), TaskRef: all[i]})
		}
		for i := range 10 {
			show(t, l, &graph.TaskFinished{Head: at(graph.Pos{1, int32(i), 1}), TaskRef: all[i]})
		}
		next()
		require.Len(t, s.lines, 6)
		require.Equal(t, "  40 tasks: 10 done, 10 at work, 20 waiting", s.lines[5])
		for _, line := range s.lines {
			require.Less(t, topo.Columns(line), 50)
		}
		require.NoError(t, l.close())
		require.Len(t, s.lines, 40)
	})
}

func TestLiveViewTellsThatNobodySees(t *testing.T) {
	t.Parallel()
	a := &app{Env: Env{Stderr: broken{}}.filled()}
	l := newLive(a, newPainter(false, 4))
	l.say("hello")
	require.ErrorIs(t, l.close(), errBroken)
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }
