package cli

import (
	"strings"

	"github.com/graphrun/graphrun/nodes"
)

// streams are the messages of which pieces have come. One of them is shown as
// it comes; what comes of others meanwhile waits until it is whole.
type streams struct {
	byID  map[string]*stream
	live  *stream
	queue []*stream // that wait, in the order in which they began
}

// stream is a message that comes in pieces.
type stream struct {
	id, agent, task string
	waits           strings.Builder // text that is not shown yet
	shown           bool            // some of its text is
	over            bool            // it is whole, or nothing more will come
	void            bool            // what is shown of it does not count if more comes
}

// message shows a piece of a message.
func (s *chatShow) message(task string, e *nodes.MessageEvent) {
	m := s.streams.byID[e.ID]
	if m == nil {
		m = &stream{id: e.ID, agent: e.Agent}
		s.streams.byID[e.ID] = m
	}
	m.task = task
	switch e.Kind {
	case nodes.TellsText:
		s.piece(m, e.Text)
	case nodes.TellsCall:
		if e.Call != nil {
			s.called(e.Call)
		}
	case nodes.TellsAgain:
		m.waits.Reset()
		m.void = m.shown
		if m.void {
			s.anew(m, e.Text)
		}
	case nodes.TellsEnd:
		s.finish(m)
	}
}

// piece takes a piece of text.
func (s *chatShow) piece(m *stream, text string) {
	if m.void {
		s.anew(m, "")
	}
	m.over = false
	switch live := s.streams.live; {
	case live == nil:
		s.streams.live = m
	case live != m:
		if m.waits.Len() == 0 {
			s.streams.queue = append(s.streams.queue, m)
		}
		m.waits.WriteString(text)
		return
	}
	s.say(m, text)
}

// say shows a piece of text of the message at hand.
func (s *chatShow) say(m *stream, text string) {
	if text = spoken(text); text == "" {
		return
	}
	if !m.shown || !s.begun {
		s.voice(m.agent)
	}
	m.shown = true
	s.write(text)
	s.begun = !strings.HasSuffix(text, "\n")
}

// anew says that a message is begun anew.
func (s *chatShow) anew(m *stream, why string) {
	m.void, m.shown = false, false
	s.aside("(the answer is begun anew" + behindColon(why) + ")")
}

// finish ends a message, and shows those that have waited for it.
func (s *chatShow) finish(m *stream) {
	m.over = true
	if s.streams.live != m {
		return
	}
	s.streams.live = nil
	s.newLine()
	for len(s.streams.queue) > 0 && s.streams.live == nil {
		next := s.streams.queue[0]
		s.streams.queue = s.streams.queue[1:]
		text := next.waits.String()
		next.waits.Reset()
		if text == "" {
			continue
		}
		s.say(next, text)
		if next.over {
			s.newLine()
		} else {
			s.streams.live = next
		}
	}
}

// cutTask ends the messages of a task that has ended, "" those of all: more of
// them begins them anew.
func (s *chatShow) cutTask(task string) {
	for _, m := range s.streams.inOrder() {
		if !m.over && (task == "" || m.task == task) {
			s.finish(m)
			m.void = m.shown
		}
	}
}

// inOrder returns the messages that come now, the one that is shown first.
func (t *streams) inOrder() []*stream {
	if t.live == nil {
		return nil
	}
	return append([]*stream{t.live}, t.queue...)
}
