package cli

import (
	"bytes"
	"fmt"
	"io"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/nodes"
)

// plainWidth is where lines of progress are cut that nobody sees live.
const plainWidth = 160

// plain tells of a run in lines, one for each task that ended or is tried
// again.
type plain struct {
	out     io.Writer
	ledger  *ledger
	painter *painter
	voices  voices
}

func (p *plain) event(e graph.Event) error {
	j := p.ledger.take(e)
	var out bytes.Buffer
	line := ""
	switch e := e.(type) {
	case *graph.TaskRetried, *graph.TaskFinished, *graph.TaskFailed:
		line = p.painter.line(j)
	case *graph.Custom:
		if m, ok := e.Value.(nodes.MessageEvent); ok && m.Kind != nodes.TellsCall {
			p.voices.take(&out, &m)
			break
		}
		ok := false
		if line, ok = p.painter.planLine(e); !ok {
			line = p.painter.custom(e)
		}
	case *graph.StepCommitted:
		if len(e.NS) == 0 {
			p.ledger.clear()
		}
	}
	if line != "" {
		p.voices.pause(&out)
		out.WriteString(line + "\n")
	}
	if out.Len() == 0 {
		return nil
	}
	_, err := p.out.Write(out.Bytes())
	return err
}

func (p *plain) say(text string) { fmt.Fprintln(p.out, text) }

func (p *plain) close() error {
	var out bytes.Buffer
	p.voices.close(&out)
	_, err := p.out.Write(out.Bytes())
	return err
}
