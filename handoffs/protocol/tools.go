package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/graphrun/graphrun/handoffs"
)

// The names of the tools.
const (
	HandoffTool = "handoff_to_agent"
	AcceptTool  = "accept_handoff"
)

// HandoffToAgent is the tool handoff_to_agent: it makes the command that hands
// on what was accepted, with a context for the next agent. Artifacts stay; where
// the context says that the phase is completed the workflow's state moves on.
// What the turn cost and further artifacts may be put into the command's update.
func (u *Update) HandoffToAgent(agentName string, context Context) Command {
	return Command{Goto: Goto{Agent: agentName}, Update: u.next(context)}
}

// HandoffToAgents hands to several agents that work side by side. The source
// goes on when all are done, and has their results in Turn.Results.
func (u *Update) HandoffToAgents(context Context, sends ...Send) Command {
	return Command{Goto: Goto{Sends: sends}, Update: u.next(context)}
}

// AcceptHandoff is the tool accept_handoff: it returns what the previous agent
// has handed over. Behind no handoff that is the zero Update.
func AcceptHandoff(turn *handoffs.Turn) (Update, error) {
	u, err := updateOf(turn.Payload)
	u.Context.PreviousAgent = turn.From
	return u, err
}

// Tools describes the two tools for an agent's model: handoff_to_agent with the
// agents that it may hand to right now, and accept_handoff. Without any such
// agent there is the second one alone.
func Tools(p *handoffs.Policy, d *handoffs.Desk, log handoffs.Log, from string, now time.Time) []handoffs.ToolSpec {
	accept := handoffs.ToolSpec{
		Name: AcceptTool, Description: "Returns what the previous agent has handed over to you: context, artifacts, workflow state, metrics.",
		Schema: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`), Tags: []string{"coordination", "handoff"},
	}
	hand, ok := handoffs.Tool(p, d, log, from, nil, now, &handoffs.ToolConfig{Name: HandoffTool})
	if !ok {
		return []handoffs.ToolSpec{accept}
	}
	names, err := json.Marshal(hand.Targets)
	if err != nil { // of texts it cannot fail
		return []handoffs.ToolSpec{accept}
	}
	hand.Schema = json.RawMessage(`{"type":"object","properties":{"agent_name":{"type":"string","enum":` + string(names) + `},` + contextSchema + `},"required":["agent_name","context"],"additionalProperties":false}`)
	return []handoffs.ToolSpec{hand, accept}
}

const contextSchema = `"context":{"type":"object","properties":{` +
	`"task_description":{"type":"string","minLength":1,"description":"What the agent is to do, in full."},` +
	`"completed":{"type":"boolean","description":"Whether your phase is done."},` +
	`"artifacts_created":{"type":"array","items":{"type":"string"}},` +
	`"reason":{"type":"string","description":"Why the work goes there, or back."},` +
	`"quality_score":{"type":"number"}},"required":["task_description"],"additionalProperties":false}`

// ParseHandoff reads what a model called handoff_to_agent with. Unknown keys,
// wrong types and what is missing are a *handoffs.CommandError.
func (u *Update) ParseHandoff(arguments []byte) (Command, error) {
	var in struct {
		Agent   string  `json:"agent_name"`
		Context Context `json:"context"`
	}
	d := json.NewDecoder(bytes.NewReader(arguments))
	d.DisallowUnknownFields()
	var problems []string
	if err := d.Decode(&in); err != nil {
		problems = append(problems, strings.TrimPrefix(err.Error(), "json: "))
	} else if d.More() {
		problems = append(problems, "there is something behind the arguments")
	}
	for _, f := range [...]struct{ name, value string }{{"agent_name", in.Agent}, {"context.task_description", in.Context.TaskDescription}} {
		if strings.TrimSpace(f.value) == "" && len(problems) == 0 {
			problems = append(problems, fmt.Sprintf("%s: it is missing", f.name))
		}
	}
	if problems != nil {
		return Command{}, &handoffs.CommandError{Problems: problems}
	}
	return u.HandoffToAgent(in.Agent, in.Context), nil
}
