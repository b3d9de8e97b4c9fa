package handoffs

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/state"
)

// Emit makes the write by which an agent's node asks for handoffs: one
// __handoff__ tool execution for each command, in their order. It takes the
// node's own context and view.
func (t *Team[S]) Emit(ctx context.Context, s S, commands ...Command) ([]state.Write[S], error) {
	own := t.borrow()
	defer t.giveBack(own)
	*own = s
	look, err := t.cfg.Fields.Look(own)
	if err != nil {
		return nil, err
	}
	xs, err := executions(ctx, &look.Turn, t.m.redacted(commands))
	if err != nil {
		return nil, err
	}
	return t.cfg.Fields.Write(&Update{Executions: xs})
}

// HandOff is Emit as the node's whole command, with further writes.
func (t *Team[S]) HandOff(ctx context.Context, s S, c Command, writes ...state.Write[S]) (graph.Command[S], error) {
	ws, err := t.Emit(ctx, s, c)
	if err != nil {
		return graph.Command[S]{}, err
	}
	return t.cmd.Update(append(ws, writes...)...), nil
}

// Select makes the input by which a user chooses the agent that goes on.
func (t *Team[S]) Select(agent string) ([]state.Write[S], error) {
	c := NewCommand(agent, UserRequest, "the user chose this agent")
	c.Actor = ByUser
	return t.Input(c)
}

// Input makes an input of commands that come from outside: their Actor must
// be ByUser or ByEvent.
func (t *Team[S]) Input(commands ...Command) ([]state.Write[S], error) {
	var xs []Execution
	for i := range commands {
		if a := commands[i].Actor; a != ByUser && a != ByEvent {
			return nil, errors.New("handoffs: a command of an input must say that it is by the user or by an event")
		}
		data, err := t.m.Redacted(commands[i]).Encode()
		if err != nil {
			return nil, err
		}
		xs = append(xs, Execution{Tool: ToolName, Input: data, Success: true})
	}
	return t.cfg.Fields.Write(&Update{Executions: xs})
}

// Signal makes an input that is a signal from outside.
func (t *Team[S]) Signal(s Signal) ([]state.Write[S], error) {
	data, err := s.encode()
	if err != nil {
		return nil, err
	}
	return t.cfg.Fields.Write(&Update{Executions: []Execution{{ID: s.ID, Tool: SignalName, Input: data, Success: true}}})
}

// redacted are commands without secrets.
func (m *Manager) redacted(commands []Command) []Command {
	if m.p.Secrets == nil {
		return commands
	}
	out := make([]Command, len(commands))
	for i := range commands {
		out[i] = *m.Redacted(commands[i])
	}
	return out
}

// Redacted returns a command as it is stored: without what the policy's
// Secrets takes out. The target gets it so as well.
func (m *Manager) Redacted(c Command) *Command {
	red := m.p.Secrets
	if red == nil {
		return &c
	}
	for _, text := range []*string{&c.Explanation, &c.Intent, &c.Task} {
		redactText(text, red)
	}
	c.Payload, _ = redactMap(c.Payload, red)
	c.Branches = slices.Clone(c.Branches)
	for i := range c.Branches {
		redactText(&c.Branches[i].Task, red)
		c.Branches[i].Payload, _ = redactMap(c.Branches[i].Payload, red)
	}
	if c.Result != nil {
		out := *c.Result
		redactOutcome(&out, red)
		c.Result = &out
	}
	return &c
}

// executions makes the executions of a turn's commands.
func executions(ctx context.Context, turn *Turn, commands []Command) ([]Execution, error) {
	info, err := graph.Task(ctx)
	if err != nil {
		return nil, err
	}
	xs := make([]Execution, len(commands))
	for i := range commands {
		data, err := commands[i].Encode()
		if err != nil {
			return nil, err
		}
		xs[i] = turn.execution(newDataID(data, info.Thread, info.Task, strconv.Itoa(i)), data)
		xs[i].Agent = cmp.Or(turn.Agent, info.Node)
	}
	return xs, nil
}

// HandleFailure is the error handler of every agent: what it could not do
// becomes a failed turn, which the policy deals with. Errors of the engine
// fail the run. An error that has a method Spent() Usage tells what the turn cost,
// one that is found by errors.As to be a Code why it failed.
func (t *Team[S]) HandleFailure(ctx context.Context, s S, failed *graph.Error) (graph.Command[S], error) {
	for _, fatal := range []error{graph.ErrInvalidUpdate, graph.ErrUndeclared, graph.ErrStore, graph.ErrNoStore, graph.ErrMutated, graph.ErrGoexit} {
		if errors.Is(failed, fatal) {
			return graph.Command[S]{}, failed.Err
		}
	}
	if t.cfg.Fatal != nil && t.cfg.Fatal(failed.Err) {
		return graph.Command[S]{}, failed.Err
	}
	c := NewCommand("", ErrorRecovery, failed.Err.Error())
	c.Kind, c.Actor = Return, BySystem
	c.Result = &Outcome{Status: Failed, Error: failed.Err.Error(), Code: codeOf(failed.Err)}
	var spent interface{ Spent() Usage }
	if errors.As(failed.Err, &spent) {
		c.Usage = spent.Spent()
	}
	return t.HandOff(ctx, s, c)
}

// codeOf is the code of a failed turn.
func codeOf(err error) Code {
	var code Code
	switch {
	case errors.As(err, &code):
		return code
	case errors.Is(err, graph.ErrTimeout):
		return CodeDeadline
	case errors.Is(err, graph.ErrLimit):
		return CodeLimit
	}
	return CodeFailed
}

// Context returns the messages that an agent's node should work on: what its
// edge's context policy makes of the conversation, and what the agent has
// said and done since.
func (t *Team[S]) Context(s S) ([]state.Message, error) {
	look, err := t.cfg.Fields.Look(&s)
	if err != nil {
		return nil, err
	}
	return t.contextOf(&s, &look)
}
