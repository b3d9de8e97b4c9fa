package cli

import (
	"maps"
	"slices"
	"time"

	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/state"
)

// argsWidth and faultWidth are the columns for a tool's arguments, and for what
// it failed with.
const (
	argsWidth  = 60
	faultWidth = 80
)

// toolShown is a call of a tool.
type toolShown struct {
	name  string
	args  string // JSON
	began time.Time
	told  bool // its line is shown, or will be
	begun bool // the line at hand is its
}

// called notes a call.
func (s *chatShow) called(e *nodes.CallEvent) {
	t := s.toolOf(e.ID)
	t.name, t.args = e.Name, e.Args
}

// askTool is the tool by which models ask the user, who sees the question.
const askTool = "ask_person"

func (s *chatShow) toolOf(id string) *toolShown {
	t := s.tools[id]
	if t == nil {
		t = &toolShown{}
		s.tools[id] = t
	}
	return t
}

// tool shows a tool at work: its line is begun on terminals when the tool is,
// elsewhere when it has ended.
func (s *chatShow) tool(e *nodes.ToolEvent) {
	if e.Tool == askTool {
		return
	}
	t := s.toolOf(e.ID)
	t.told = true
	switch e.Phase {
	case nodes.ToolBegins:
		t.began = s.now()
		if s.live {
			s.newLine()
			s.write(s.ink.dim("  " + toolText(e.Tool, t.args)))
			s.begun, s.speaker = true, ""
			s.own(t)
		}
	case nodes.ToolEnds, nodes.ToolFails:
		s.toolEnd(e, t)
	}
}

// own makes the line at hand that of one call.
func (s *chatShow) own(t *toolShown) {
	for _, other := range s.tools {
		other.begun = false
	}
	t.begun = true
}

func (s *chatShow) toolEnd(e *nodes.ToolEvent, t *toolShown) {
	end := " ok"
	if e.Phase == nodes.ToolFails {
		end = " error: " + clip(oneLine(e.Text), faultWidth)
	}
	if s.live && !t.began.IsZero() {
		end += " (" + took(s.now().Sub(t.began)) + ")"
	}
	if !t.begun || !s.begun || s.speaker != "" {
		s.newLine()
		end = "  " + toolText(e.Tool, t.args) + end
	}
	t.begun = false
	s.write(s.ink.dim(end) + "\n")
	s.begun, s.speaker, s.spoke = false, "", true
}

// toolText is a call on one line.
func toolText(name, args string) string {
	text := oneLine(name)
	if args = oneLine(args); args != "" && args != "{}" {
		text += " " + clip(args, argsWidth)
	}
	return text + " →"
}

// edited notes what a person has made of a call's arguments.
func (s *chatShow) edited(name string, before, after any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was, err := state.AppendAny(nil, before)
	if err != nil {
		return
	}
	now, err := state.AppendAny(nil, after)
	if err != nil {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(s.tools)) {
		if t := s.tools[id]; !t.told && t.name == name && sameJSON(t.args, string(was)) {
			t.args = string(now)
			return
		}
	}
}

func sameJSON(a, b string) bool {
	one, err := state.ParseAny([]byte(a))
	if err != nil {
		return false
	}
	text, err := state.AppendAny(nil, one)
	return err == nil && string(text) == b
}
