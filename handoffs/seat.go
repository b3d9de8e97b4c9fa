package handoffs

import (
	"context"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// Seat is what a node works with that does a turn of an agent by itself, as
// one with a model does: what the agent may do now, and the parts of an Execution
// that tell whose it is.
type Seat struct {
	Sight
	Given  []state.Message // what the agent is given of the messages, as Context has it
	Frame  *Frame          // the agent's stay; nil in the first turn, before any handoff
	Now    time.Time
	Policy *Policy // of the team; not to be changed
	facts  Facts
}

// Seat looks at the state for the agent whose turn it is: the node's own, if
// the turn names none.
func (t *Team[S]) Seat(ctx context.Context, s S) (*Seat, error) {
	info, err := graph.Task(ctx)
	if err != nil {
		return nil, err
	}
	look, err := t.cfg.Fields.Look(&s)
	if err != nil {
		return nil, err
	}
	seat := &Seat{Sight: look, Policy: &t.m.p, Now: t.now(), facts: withPayload(t.facts(&s), look.Turn.Payload)}
	if seat.Given, err = t.contextOf(&s, &look); err != nil {
		return nil, err
	}
	if !t.m.p.Virtual.IsZero() {
		seat.Now = t.m.p.Virtual.Add(look.Desk.Clock)
	}
	if seat.Turn.Agent == "" {
		seat.Turn.Agent = info.Node
	}
	for i := range look.Desk.Frames {
		if f := &look.Desk.Frames[i]; f.ID == seat.Turn.Frame {
			seat.Frame = f
		}
	}
	return seat, nil
}

// Tool is the function Tool for the agent of the seat.
func (s *Seat) Tool(cfg *ToolConfig) (ToolSpec, bool) {
	return Tool(s.Policy, s.Desk, s.Log, s.Turn.Agent, s.facts, s.Now, cfg)
}

// Execution makes the execution of a command. With reply a tool call with this
// id asked for it, which gets its answer as a tool message; the id must be unique
// in the session.
func (s *Seat) Execution(id string, reply bool, c *Command) (Execution, error) {
	data, err := c.Encode()
	if err != nil {
		return Execution{}, err
	}
	x := s.Turn.execution(id, data)
	x.Reply = reply
	return x, nil
}

// execution makes the execution of a command of the turn.
func (t *Turn) execution(id string, command []byte) Execution {
	return Execution{ID: id, Tool: ToolName, Input: command, Success: true, Agent: t.Agent, Frame: t.Frame, Epoch: t.Epoch}
}

// Write makes the writes of a turn. The commands of its executions are without
// secrets already, if they were given to Manager.Redacted.
func (t *Team[S]) Write(messages []state.Message, executions []Execution) ([]state.Write[S], error) {
	return t.cfg.Fields.Write(&Update{Messages: messages, Executions: executions})
}
