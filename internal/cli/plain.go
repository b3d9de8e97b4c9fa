package cli

import (
	"bytes"
	"fmt"
	"io"
	"sync"

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

	mu     sync.Mutex // guards what is written
	voices voices
}

func (p *plain) event(e graph.Event) error {
	p.mu.Lock()
	defer p.mu.Unlock()
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

func (p *plain) say(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out bytes.Buffer
	p.voices.pause(&out)
	fmt.Fprintln(&out, text)
	_, _ = p.out.Write(out.Bytes()) // what is said beside the tasks may get lost
}

func (p *plain) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out bytes.Buffer
	p.voices.close(&out)
	_, err := p.out.Write(out.Bytes())
	return err
}
