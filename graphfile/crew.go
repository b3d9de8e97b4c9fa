package graphfile

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile/internal/team"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// crew is what the scripts of a graph's agents have in common. It does not
// change once the team is made.
type crew struct {
	team    *handoffs.Team[record]
	schema  *state.RecordSchema
	virtual bool // time does not pass by itself
}

// node makes a script the work of an agent.
func (c *crew) node(s *team.Script) graph.Node[record] {
	return func(ctx context.Context, r record) (graph.Command[record], error) {
		turn, err := turnOf(&r)
		if err != nil {
			return graph.Command[record]{}, err
		}
		done, err := s.Run(ctx, r, &turn, c.virtual)
		if err != nil {
			return graph.Command[record]{}, err
		}
		return c.command(ctx, r, &turn, done)
	}
}

// turnOf reads what a task is told about its turn.
func turnOf(r *record) (handoffs.Turn, error) {
	var turn handoffs.Turn
	value, ok := r.Get("turn")
	if !ok || value == nil {
		return turn, nil
	}
	data, err := state.AppendAny(nil, value)
	if err == nil {
		err = json.Unmarshal(data, &turn)
	}
	return turn, err
}

// command makes the command of a turn.
func (c *crew) command(ctx context.Context, r record, turn *handoffs.Turn, done *team.Done) (graph.Command[record], error) {
	info, err := graph.Task(ctx)
	if err != nil {
		return graph.Command[record]{}, err
	}
	agent := turn.Agent
	if agent == "" {
		agent = info.Node
	}
	said := c.tools(done, agent, info.Task)
	for _, text := range done.Say {
		said.message(state.Message{Role: state.RoleAI, Name: agent, Content: textPart(text)})
	}
	commands := withUsage(done)
	writes := done.Writes
	for _, part := range []struct {
		field  string
		values []any
	}{{"messages", said.messages}, {"tool_executions", said.executions}} {
		if len(part.values) == 0 {
			continue
		}
		w, err := c.schema.Write(part.field, part.values)
		if err != nil {
			return graph.Command[record]{}, err
		}
		writes = append(writes, w)
	}
	if len(commands) > 0 {
		emitted, err := c.team.Emit(ctx, r, commands...)
		if err != nil {
			return graph.Command[record]{}, err
		}
		writes = append(writes, emitted...)
	}
	return graph.Commands[record]{}.Update(writes...), said.err
}

// withUsage are the commands of a turn, of which the first tells what it cost.
func withUsage(done *team.Done) []handoffs.Command {
	if done.Usage == (handoffs.Usage{}) {
		return done.Commands
	}
	commands := done.Commands
	if len(commands) == 0 {
		commands = []handoffs.Command{{Type: handoffs.CommandType, Kind: handoffs.Report}}
	}
	commands[0].Usage = done.Usage
	return commands
}

// speech gathers what a turn adds to the conversation and to the executions.
type speech struct {
	messages, executions []any
	err                  error
}

// tools makes the messages and executions of the tools that were called.
func (c *crew) tools(done *team.Done, agent, task string) *speech {
	s := &speech{}
	if len(done.Tools) == 0 {
		return s
	}
	ask := state.Message{Role: state.RoleAI, Name: agent}
	var answers []state.Message
	for i := range done.Tools {
		t := &done.Tools[i]
		id := fmt.Sprintf("%s/%d", task, i)
		input, err := state.AppendAny(nil, t.Input)
		if err != nil {
			s.err = err
			return s
		}
		ask.ToolCalls = append(ask.ToolCalls, state.ToolCall{ID: id, Name: t.Name, Args: argsOf(input)})
		status := "success"
		if t.Failed {
			status = "error"
		}
		answers = append(answers, state.Message{Role: state.RoleTool, Name: t.Name, Content: textPart(t.Output), ToolCallID: id, Status: status})
		s.execution(handoffs.Execution{ID: id, Tool: t.Name, Input: input, Output: t.Output, Success: !t.Failed, Agent: agent})
	}
	s.message(ask)
	for _, m := range answers {
		s.message(m)
	}
	return s
}

// argsOf are the arguments of a tool call, which are an object.
func argsOf(input []byte) json.RawMessage {
	if len(input) > 0 && input[0] == '{' {
		return input
	}
	return json.RawMessage("{}")
}

func textPart(text string) []state.Part { return state.Text(state.RoleAI, text).Content }

func (s *speech) message(m state.Message) { s.messages = append(s.messages, s.plain(m)) }

func (s *speech) execution(x handoffs.Execution) { s.executions = append(s.executions, s.plain(x)) }

// plain is a value as fields hold it.
func (s *speech) plain(v any) any {
	data, err := json.Marshal(v)
	if err != nil {
		s.err = err
		return nil
	}
	value, err := state.ParseAny(data)
	if err != nil {
		s.err = err
	}
	return value
}
