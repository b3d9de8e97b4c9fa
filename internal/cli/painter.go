package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/internal/topo"
)

// painter writes the lines of progress.
type painter struct {
	ink   ink
	paths int // columns for the paths of nodes
	width int // columns for a line; 0: any number
}

func newPainter(k ink, paths int) *painter { return &painter{ink: k, paths: paths} }

// labelWidth and tookWidth are the columns for steps and durations.
const (
	labelWidth = 4
	tookWidth  = 6
)

// line tells of a job by itself: its step, its node with the subgraphs, how
// long it took and what came of it.
func (p *painter) line(j *job) string {
	head := "step " + pad(j.label, labelWidth) + " "
	return p.row(head, pad(j.path, p.paths), j)
}

// branch tells of a job in a tree: indented below the node of its subgraph.
func (p *painter) branch(j *job, mark string) string {
	name := strings.Repeat("  ", j.depth) + mark + " " + j.node
	return p.row("  "+pad(j.label, labelWidth)+" ", pad(name, p.paths+2), j)
}

func (p *painter) row(head, name string, j *job) string {
	room := p.width
	if room > 0 {
		room = max(room-topo.Columns(head)-topo.Columns(name)-tookWidth-4, 8)
	}
	line := p.ink.dim(head) + p.named(name, j) + " " + p.ink.dim(padLeft(p.duration(j), tookWidth))
	if note := p.note(j, room); note != "" {
		line += "  " + note
	}
	return strings.TrimRight(line, " ")
}

// named colours the name of a job by how far it is.
func (p *painter) named(name string, j *job) string {
	switch {
	case j.stage == failed:
		return p.ink.red(name)
	case j.stage == cancelled, j.stage == running && j.tries > 0:
		return p.ink.yellow(name)
	case j.stage == waiting:
		return p.ink.dim(name)
	}
	return p.ink.bold(name)
}

func (p *painter) duration(j *job) string {
	if j.began.IsZero() || j.stage == running && j.took == 0 {
		return ""
	}
	return took(j.took)
}

// note tells what came of a job, on so many columns.
func (p *painter) note(j *job, room int) string {
	switch j.stage {
	case running:
		if j.tries > 0 {
			return p.ink.yellow(clip(fmt.Sprintf("attempt %d failed, trying again: %s", j.tries, j.note), room))
		}
		return ""
	case failed:
		return p.ink.red(clip("failed: "+j.note, room))
	case finished:
		text := j.note
		if j.tries > 0 {
			text = strings.TrimSpace(fmt.Sprintf("(attempt %d) %s", j.tries+1, text))
		}
		return clip(text, room)
	}
	return p.ink.dim(clip(j.note, room))
}

// custom tells of a value that a node emitted.
func (p *painter) custom(e *graph.Custom) string {
	h := e.Head
	text := customText(e.Value)
	if text == "" {
		return ""
	}
	head := "step " + pad(stepLabel(&h), labelWidth) + " "
	name := pad(nodePath(e.NS, e.Node), p.paths)
	return p.ink.dim(head) + p.ink.cyan(name) + strings.Repeat(" ", tookWidth+1) + "  " + clip(text, p.width)
}

// customText is an emitted value on one line: a sentence if it is a notice of
// agents, else its JSON.
func customText(value any) string {
	if text, ok := noticeText(value); ok {
		return oneLine(text)
	}
	data, err := json.Marshal(value)
	if err != nil {
		return oneLine(err.Error())
	}
	return escapeHidden(string(data))
}

func padLeft(text string, to int) string {
	return strings.Repeat(" ", max(to-topo.Columns(text), 0)) + text
}
