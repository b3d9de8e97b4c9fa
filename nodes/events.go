package nodes

import (
	"context"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/nodes/model"
)

// MessageEvent is a piece of a message as it comes, in lines of the type
// "messages". Texts and reasoning of one id joined in their order, behind the
// last one of the kind "again", are the message with that id. Messages that a
// resumed task had already are not told again.
type MessageEvent struct {
	ID    string    `json:"id"` // of the message
	Agent string    `json:"agent"`
	Kind  ChunkKind `json:"kind"`
	Text  string    `json:"text,omitempty"` // of a text or reasoning; of again, why

	Call *CallEvent   `json:"tool_call,omitempty"`
	Stop model.Stop   `json:"stop,omitempty"`  // of an end
	Cost *model.Usage `json:"usage,omitempty"` // of an end
}

// ChunkKind says what a MessageEvent tells.
type ChunkKind string

// The kinds.
const (
	TellsText      ChunkKind = "text"
	TellsReasoning ChunkKind = "reasoning"
	TellsCall      ChunkKind = "tool_call"
	TellsAgain     ChunkKind = "again" // what came of this id is void
	TellsEnd       ChunkKind = "end"
)

// LineType is "messages".
func (MessageEvent) LineType() string { return "messages" }

// CallEvent is a call of a tool in an event.
type CallEvent struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name"`
	Args string `json:"args,omitempty"` // JSON
}

// ToolEvent tells of a tool at work, in lines of the type "tool".
type ToolEvent struct {
	ID    string    `json:"id"` // of the call
	Agent string    `json:"agent"`
	Tool  string    `json:"tool"`
	Phase ToolPhase `json:"phase"`
	Args  string    `json:"args,omitempty"` // JSON; at its beginning, as a person may have edited them
	Text  string    `json:"text,omitempty"` // what it gave the model, at its end
	Value any       `json:"value,omitempty"`
}

// ToolPhase says how far a tool is.
type ToolPhase string

// The phases.
const (
	ToolBegins   ToolPhase = "begin"
	ToolProgress ToolPhase = "progress" // Value is what it told by Progress
	ToolEnds     ToolPhase = "end"
	ToolFails    ToolPhase = "error"
)

// LineType is "tool".
func (ToolEvent) LineType() string { return "tool" }

// teller tells the chunks of an answer to the run's stream.
type teller struct {
	ctx       context.Context
	id, agent string
	ids       *callIDs
}

func (t *teller) tell(c model.Chunk) error {
	e := MessageEvent{ID: t.id, Agent: t.agent}
	switch c := c.(type) {
	case model.Text:
		e.Kind, e.Text = TellsText, c.Text
	case model.Reasoning:
		e.Kind, e.Text = TellsReasoning, c.Text
	case model.Call:
		e.Kind, e.Call = TellsCall, &CallEvent{ID: t.ids.next(c.ID), Name: c.Name, Args: string(c.Args)}
	case model.Again:
		e.Kind, t.ids = TellsAgain, t.ids.turn.callIDs(t.ids.round)
		if c.Err != nil {
			e.Text = c.Err.Error()
		}
	case model.End:
		e.Kind, e.Stop, e.Cost = TellsEnd, c.Stop, &c.Usage
	}
	if e.Text == "" && (e.Kind == TellsText || e.Kind == TellsReasoning) {
		return nil
	}
	return graph.Emit(t.ctx, e)
}
