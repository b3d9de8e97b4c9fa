package cli

import (
	"io"

	"github.com/graphrun/graphrun/graph"
)

// eventLog writes the JSON lines of a run as they come: what one event has to
// say is one write.
type eventLog struct {
	out   io.Writer
	debug bool // write the lines of all events
	line  []byte
}

func (l *eventLog) event(e graph.Event) error {
	lines := graph.AppendLines
	if l.debug {
		lines = graph.AppendDebugLines
	}
	var err error
	if l.line, err = lines(l.line[:0], e); err != nil || len(l.line) == 0 {
		return err
	}
	_, err = l.out.Write(l.line)
	return err
}
