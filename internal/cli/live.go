package cli

import (
	"bytes"
	"fmt"
	"sync"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/internal/topo"
	"github.com/graphrun/graphrun/nodes"
)

// What a terminal is told.
const (
	hideCursor = "\x1b[?25l"
	showCursor = "\x1b[?25h"
	clearBelow = "\x1b[J"
	upLines    = "\x1b[%dA\r"
)

// framePause is the time between two pictures.
const framePause = 80 * time.Millisecond

// live shows the tasks of the step at hand as a tree that is drawn in place.
// What is over scrolls away above it. A run that is over before the first
// picture leaves nothing but lines.
type live struct {
	app     *app
	painter *painter
	stop    chan struct{}
	stopped chan struct{}

	mu     sync.Mutex // guards what follows
	ledger *ledger
	plans  planLists
	voices voices
	heard  bytes.Buffer // what agents say, up to the end of a line
	past   bytes.Buffer // lines that are to scroll away
	drawn  int          // lines of the tree on the screen
	frame  int
	err    error // of writing
}

func newLive(a *app, p *painter) *live {
	l := &live{app: a, painter: p, voices: voices{ink: p.ink}, ledger: newLedger(a.Now), stop: make(chan struct{}), stopped: make(chan struct{})}
	go l.tick()
	return l
}

// tick draws a picture every now and then.
func (l *live) tick() {
	defer close(l.stopped)
	t := time.NewTicker(framePause)
	defer t.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-t.C:
			l.mu.Lock()
			l.draw()
			l.mu.Unlock()
		}
	}
}

// manyPast is how many bytes may wait for the next picture.
const manyPast = 1 << 16

func (l *live) event(e graph.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ledger.take(e)
	root := len(graph.HeadOf(e).NS) == 0
	switch e := e.(type) {
	case *graph.Custom:
		l.measure()
		l.custom(e)
	case *graph.StepCommitted, *graph.RunFinished:
		if root {
			l.settle()
		}
	}
	if l.past.Len() > manyPast {
		l.draw()
	}
	return l.err
}

// custom lets a value that a node emitted scroll away, but for changes of a plan,
// which are drawn in its list.
func (l *live) custom(e *graph.Custom) {
	if m, ok := e.Value.(nodes.MessageEvent); ok && m.Kind != nodes.TellsCall {
		l.said(&m)
		return
	}
	over, ok := l.plans.take(e)
	if line := l.painter.custom(e); !ok && line != "" {
		fmt.Fprintln(&l.past, line)
	}
	if over != nil {
		l.pastPlan(over)
	}
}

// said lets what an agent says scroll away, in whole lines; the line at hand is
// drawn.
func (l *live) said(m *nodes.MessageEvent) {
	l.measure()
	l.voices.take(&l.heard, m)
	end := bytes.LastIndexByte(l.heard.Bytes(), '\n') + 1
	l.past.Write(l.heard.Next(end))
	for topo.Columns(l.heard.String()) > l.painter.width {
		n := breakAt(l.heard.String(), l.painter.width)
		l.past.Write(l.heard.Next(n))
		l.past.WriteByte('\n')
	}
}

// breakAt is where a line is broken that has more than so many columns: behind a
// space, if there is one.
func breakAt(line string, width int) int {
	end, columns := 0, 0
	for i, r := range line {
		if columns += topo.Columns(string(r)); columns > width && i > 0 {
			if end == 0 {
				end = i
			}
			return end
		}
		if r == ' ' {
			end = i + 1
		}
	}
	return len(line)
}

func (l *live) say(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(&l.past, text)
}

// settle lets the tree of the step scroll away.
func (l *live) settle() {
	l.measure()
	for _, line := range l.tree(l.ledger.top, nil) {
		fmt.Fprintln(&l.past, line)
	}
	l.ledger.clear()
}

// close draws what is left and gives the terminal back.
func (l *live) close() error {
	close(l.stop)
	<-l.stopped
	l.mu.Lock()
	defer l.mu.Unlock()
	l.voices.close(&l.heard)
	l.past.Write(l.heard.Next(l.heard.Len()))
	l.settle()
	for _, p := range l.plans.all {
		l.pastPlan(p)
	}
	l.plans.all = nil
	l.draw()
	if l.app.drawing.Swap(false) {
		l.write([]byte(showCursor))
	}
	return l.err
}

// measure asks for the width of the terminal.
func (l *live) measure() (rows int) {
	columns, rows := l.app.Terminal.Size()
	if columns <= 0 || rows <= 0 {
		columns, rows = 80, 24
	}
	l.painter.width = columns - 1
	return rows
}

// draw replaces the tree and the plans on the screen.
func (l *live) draw() {
	rows := l.measure()
	l.frame++
	for _, j := range l.ledger.jobs {
		if j.stage == running {
			j.took = l.app.Now().Sub(j.began)
		}
	}
	var out bytes.Buffer
	if l.drawn > 0 {
		fmt.Fprintf(&out, upLines+clearBelow, l.drawn)
	}
	out.Write(l.past.Bytes())
	l.past.Reset()
	room := rows - 2
	if l.heard.Len() > 0 {
		room--
	}
	plans := l.planRegion(room - min(len(l.ledger.jobs), room/2))
	lines := append(l.region(max(room-len(plans), 0)), plans...)
	if l.heard.Len() > 0 {
		lines = append([]string{l.heard.String()}, lines...)
	}
	if l.drawn = len(lines); l.drawn > 0 && !l.app.drawing.Swap(true) {
		out.WriteString(hideCursor)
	}
	for _, line := range lines {
		fmt.Fprintln(&out, line)
	}
	if out.Len() > 0 {
		l.write(out.Bytes())
	}
}

func (l *live) write(data []byte) {
	if l.err == nil {
		_, l.err = l.app.Stderr.Write(data)
	}
}
