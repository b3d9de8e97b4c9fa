package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/internal/topo"
)

// progress shows on standard error how a run goes on.
type progress interface {
	watcher
	// say tells something beside the tasks. It may be called while an event
	// is taken.
	say(text string)
	// close ends the picture.
	close() error
}

// progressOf chooses how progress is shown.
func (r *runner) progressOf(f *graphfile.File) progress {
	way := r.progress.value
	if way == "auto" {
		way = r.suited()
	}
	switch {
	case r.quiet:
		return silence{io.Discard}
	case way == "none":
		return silence{r.Stderr}
	}
	p := newPainter(r.inkFor(r.Terminal.Stderr), pathWidth(f))
	if way == "tty" {
		l := newLive(r.app, p)
		l.ledger.kept = r.unshown()
		return l
	}
	if !r.debug {
		p.width = plainWidth
	}
	l := newLedger(r.Now)
	l.kept = r.unshown()
	return &plain{out: r.Stderr, ledger: l, painter: p, voices: voices{ink: p.ink}}
}

// suited is the progress that suits the streams: a live view on a terminal,
// lines elsewhere, nothing beside results for programs.
func (r *runner) suited() string {
	live := r.Terminal.Stderr && r.Getenv("TERM") != "dumb"
	switch {
	case r.output.value == "text" && !live:
		return "plain"
	case !live || r.output.value == "jsonl" && r.Terminal.Stdout:
		return "none"
	}
	return "tty"
}

// silence shows no tasks.
type silence struct{ out io.Writer }

func (silence) event(graph.Event) error { return nil }
func (silence) close() error            { return nil }
func (s silence) say(text string)       { fmt.Fprintln(s.out, text) }

// maxPathWidth is how many columns the names of nodes may take.
const maxPathWidth = 28

// pathWidth is the width of a column for the paths of all nodes of a graph.
func pathWidth(f *graphfile.File) int {
	s, err := shapeOf(f)
	if err != nil {
		return maxPathWidth
	}
	return min(s.pathWidth(""), maxPathWidth)
}

// shape is what a drawing as JSON tells of a graph.
type shape struct {
	Nodes []struct {
		Name  string `json:"name"`
		Graph *shape `json:"graph"`
	} `json:"nodes"`
	Edges []struct{} `json:"edges"`
}

func shapeOf(f *graphfile.File) (*shape, error) {
	text, err := f.Graph().Draw(graph.JSON, &graph.DrawConfig{Open: -1})
	if err != nil {
		return nil, err
	}
	s := &shape{}
	return s, json.Unmarshal([]byte(text), s)
}

func (s *shape) pathWidth(prefix string) int {
	widest := 0
	for _, n := range s.Nodes {
		path := prefix + n.Name
		widest = max(widest, topo.Columns(path))
		if n.Graph != nil {
			widest = max(widest, n.Graph.pathWidth(path+"/"))
		}
	}
	return widest
}

// took writes a duration in as few characters as tell enough.
func took(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "<1ms"
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	d = d.Round(time.Second)
	return strings.TrimSuffix(d.String(), "0s")
}
