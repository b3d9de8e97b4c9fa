package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/state"
)

// chatShow shows a conversation as it goes on. What is streamed is shown as it
// comes, what is not when its step is applied, and nothing twice.
type chatShow struct {
	out   io.Writer
	ink   ink
	field string // of the conversation
	live  bool   // out is a terminal: lines may be begun before they are whole
	cast  cast
	now   func() time.Time

	mu      sync.Mutex // guards what follows
	err     error      // of writing
	begun   bool       // the line at hand is not ended
	speaker string     // who was named last; "": nobody, or something came between
	spoke   bool       // something was shown of the run
	streams streams
	tools   map[string]*toolShown
	known   map[string]int  // messages that are no news, with how often they are there
	refused map[string]bool // what was told of handoffs that were not accepted
	asked   map[string]bool // questions that were shown since the last message of the user
}

func newChatShow(r *runner, f *graphfile.File) *chatShow {
	s := &chatShow{
		out: r.Stdout, ink: r.inkFor(r.Terminal.Stdout), live: r.Terminal.Stdout, now: r.Now,
		cast: newCast(f, r.Getenv("COLORTERM")), tools: map[string]*toolShown{}, asked: map[string]bool{},
	}
	s.streams.byID = map[string]*stream{}
	return s
}

// begin begins to show a run; a fresh one has a message of the user.
func (s *chatShow) begin(fresh bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.speaker, s.spoke, s.refused = "", false, map[string]bool{}
	if fresh {
		s.asked = map[string]bool{}
	}
}

// end shows what is left of a run.
func (s *chatShow) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cutTask("")
	s.newLine()
}

// endLine ends a line that was begun.
func (s *chatShow) endLine() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newLine()
}

// event shows what an event tells.
func (s *chatShow) event(e graph.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := e.(type) {
	case *graph.Custom:
		s.custom(e)
	case *graph.TaskRetried:
		s.cutTask(e.Task)
		s.aside(fmt.Sprintf("%s: attempt %d failed, trying again: %s", nodePath(e.NS, e.Node), e.Attempt, cause(e.Err)))
	case *graph.TaskFinished:
		s.cutTask(e.Task)
	case *graph.TaskFailed:
		s.cutTask(e.Task)
	case *graph.Dropped:
		s.aside("dropped: " + tally(e.Nodes))
	case *graph.StepCommitted:
		if len(e.NS) == 0 {
			s.committed(e.State)
		}
	}
	return s.err
}

// custom shows what a node has told.
func (s *chatShow) custom(e *graph.Custom) {
	switch v := e.Value.(type) {
	case nodes.MessageEvent:
		s.message(e.Task, &v)
	case nodes.ToolEvent:
		s.tool(&v)
	case *handoffs.HandoffNotice:
		why := v.Explanation
		if why == "" {
			why = string(v.Reason)
		}
		s.aside(fmt.Sprintf("%s → %s%s", v.From, orNobody(v.To), behindColon(why)))
	case *handoffs.RejectedNotice:
		s.refused[v.Message] = true
		s.aside(fmt.Sprintf("%s ⇏ %s: %s", v.From, orNobody(v.To), v.Message))
	case *handoffs.AgentChanged:
		if v.Suspended != "" {
			s.aside(fmt.Sprintf("%s was set aside; /back goes on with it", v.From))
		}
	default:
		if text, ok := planText(e.Value); ok {
			s.aside("plan  " + text)
		}
	}
}

// aside shows a line beside what is said.
func (s *chatShow) aside(text string) {
	s.newLine()
	s.write(s.ink.dim("  "+clip(oneLine(text), plainWidth)) + "\n")
	s.speaker, s.spoke = "", true
}

// voice names who speaks, where it is another one.
func (s *chatShow) voice(agent string) {
	s.spoke = true
	if who := "is " + agent; who != s.speaker {
		s.newLine()
		s.write(s.cast.label(s.ink, agent) + " ")
		s.speaker, s.begun = who, true
	}
}

// newLine ends the line at hand.
func (s *chatShow) newLine() {
	if s.begun {
		s.write("\n")
		s.begun = false
	}
}

func (s *chatShow) write(text string) {
	if s.err == nil {
		_, s.err = io.WriteString(s.out, text)
	}
}

// know notes messages that are no news.
func (s *chatShow) know(talk []state.Message) {
	s.known = map[string]int{}
	for i := range talk {
		s.known[messageKey(&talk[i])]++
	}
}
