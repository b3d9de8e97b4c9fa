package graphfile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/graphfile/internal/team"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// speech gathers what a turn adds to the conversation and to the tool
// executions of the state.
type speech struct {
	turn  *handoffs.Turn
	agent string
	task  string // the id of the graph's task
	at    time.Time
	made  int // ids so far

	messages   []state.Message
	executions []handoffs.Execution
	ask        *state.Message  // of the agent, with tool calls, that is being made
	answers    []state.Message // to its calls
}

func newSpeech(turn *handoffs.Turn, info graph.TaskInfo, at time.Time) *speech {
	s := &speech{turn: turn, agent: turn.Agent, task: info.Thread + "\x00" + info.Task, at: at}
	if s.agent == "" {
		s.agent = info.Node
	}
	return s
}

// id makes the id of a tool call: the same whenever the task is done again.
func (s *speech) id() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", s.task, s.made))
	s.made++
	return "call_" + hex.EncodeToString(sum[:12])
}

// say adds a message of the agent.
func (s *speech) say(text string) {
	s.settle()
	m := state.Text(state.RoleAI, text)
	m.Name, m.Time = s.agent, s.at
	s.ask = &m
}

// call adds a tool call to the agent's message.
func (s *speech) call(id, name string, args json.RawMessage) {
	if s.ask == nil {
		s.ask = &state.Message{Role: state.RoleAI, Name: s.agent, Time: s.at}
	}
	s.ask.ToolCalls = append(s.ask.ToolCalls, state.ToolCall{ID: id, Name: name, Args: args})
}

// settle ends the agent's message.
func (s *speech) settle() {
	if s.ask != nil {
		s.messages = append(append(s.messages, *s.ask), s.answers...)
		s.ask, s.answers = nil, nil
	}
}

// execute adds a tool execution.
func (s *speech) execute(x handoffs.Execution) {
	x.Agent, x.Frame, x.Epoch = s.agent, s.turn.Frame, s.turn.Epoch
	s.executions = append(s.executions, x)
}

// tool adds the call of an ordinary tool with its result.
func (s *speech) tool(t *team.Called) error {
	input, err := state.AppendAny(nil, t.Input)
	if err != nil {
		return err
	}
	id := s.id()
	args := json.RawMessage(input)
	if _, object := t.Input.(map[string]any); !object {
		args = nil
	}
	s.call(id, t.Name, args)
	answer := state.Text(state.RoleTool, t.Output)
	answer.Name, answer.ToolCallID, answer.Status, answer.Time = t.Name, id, "success", s.at
	if t.Failed {
		answer.Status = "error"
	}
	s.answers = append(s.answers, answer)
	s.execute(handoffs.Execution{ID: id, Tool: t.Name, Input: input, Output: t.Output, Success: !t.Failed})
	return nil
}

// hand adds the execution of a command. A call or a spawn is a tool call as
// well, which its result answers.
func (s *speech) hand(c *handoffs.Command) error {
	input, err := c.Encode()
	if err != nil {
		return err
	}
	x := handoffs.Execution{ID: s.id(), Tool: handoffs.ToolName, Input: input, Success: true}
	x.Reply = c.Kind == handoffs.Call || c.Kind == handoffs.Spawn || c.Kind == "" && c.ReturnControl
	if x.Reply {
		s.call(x.ID, x.Tool, input)
	}
	s.execute(x)
	return nil
}
