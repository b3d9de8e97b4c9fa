package cli

import (
	"fmt"
	"io"

	"github.com/graphrun/graphrun/graph"
)

// plainWidth is where lines of progress are cut that nobody sees live.
const plainWidth = 160

// plain tells of a run in lines, one for each task that ended or is tried
// again.
type plain struct {
	out     io.Writer
	ledger  *ledger
	painter *painter
}

func (p *plain) event(e graph.Event) error {
	j := p.ledger.take(e)
	line := ""
	switch e := e.(type) {
	case *graph.TaskRetried, *graph.TaskFinished, *graph.TaskFailed:
		line = p.painter.line(j)
	case *graph.Custom:
		ok := false
		if line, ok = p.painter.planLine(e); !ok {
			line = p.painter.custom(e)
		}
	case *graph.StepCommitted:
		if len(e.NS) == 0 {
			p.ledger.clear()
		}
	}
	if line == "" {
		return nil
	}
	_, err := fmt.Fprintln(p.out, line)
	return err
}

func (p *plain) say(text string) { fmt.Fprintln(p.out, text) }

func (p *plain) close() error { return nil }
