package cli

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/graphrun/graphrun/nodes"
)

// voices shows what agents say while they say it: one message as it comes, others
// that come meanwhile when that one is whole.
type voices struct {
	ink   ink
	now   string   // id of the message at hand; "": none
	begun bool     // the line at hand is its
	waits []*voice // that came meanwhile, in their order
}

// voice is a message that waits.
type voice struct {
	id, agent string
	text      strings.Builder
	over      bool
}

// take shows a piece of a message, into out.
func (v *voices) take(out *bytes.Buffer, e *nodes.MessageEvent) {
	if v.now == "" && e.Kind == nodes.TellsText {
		v.now = e.ID
	}
	if e.ID != v.now {
		v.later(e)
		return
	}
	switch e.Kind {
	case nodes.TellsText:
		v.say(out, e.Agent, e.Text)
	case nodes.TellsAgain:
		v.pause(out)
		out.WriteString(v.ink.dim("what "+cmp.Or(oneLine(e.Agent), "the agent")+" said is void, it is asked again: "+oneLine(e.Text)) + "\n")
	case nodes.TellsEnd:
		v.next(out)
	}
}

// say writes a piece behind the name of who says it.
func (v *voices) say(out *bytes.Buffer, agent, text string) {
	if !v.begun {
		out.WriteString(v.ink.cyan(oneLine(agent)+":") + " ")
		v.begun = true
	}
	out.WriteString(spoken(text))
}

// later keeps a piece of another message.
func (v *voices) later(e *nodes.MessageEvent) {
	for _, w := range v.waits {
		if w.id == e.ID {
			w.add(e)
			return
		}
	}
	if e.Kind == nodes.TellsText {
		w := &voice{id: e.ID, agent: e.Agent}
		w.add(e)
		v.waits = append(v.waits, w)
	}
}

func (w *voice) add(e *nodes.MessageEvent) {
	switch e.Kind {
	case nodes.TellsText:
		w.text.WriteString(e.Text)
	case nodes.TellsAgain:
		w.text.Reset()
	case nodes.TellsEnd:
		w.over = true
	}
}

// next ends the message at hand, and goes on with those that wait.
func (v *voices) next(out *bytes.Buffer) {
	v.pause(out)
	v.now = ""
	for len(v.waits) > 0 {
		w := v.waits[0]
		v.waits = v.waits[1:]
		v.say(out, w.agent, w.text.String())
		if !w.over {
			v.now = w.id
			return
		}
		v.pause(out)
	}
}

// pause ends the line at hand, for a line of another kind.
func (v *voices) pause(out *bytes.Buffer) {
	if v.begun {
		out.WriteByte('\n')
	}
	v.begun = false
}

// close shows what is left of messages that did not come to their end.
func (v *voices) close(out *bytes.Buffer) {
	for v.now != "" || len(v.waits) > 0 {
		v.next(out)
	}
}

// spoken is a text without what moves a terminal's cursor, but for line breaks.
func spoken(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case hidden(r):
			return -1
		}
		return r
	}, text)
}
