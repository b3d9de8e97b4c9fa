package handoffs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ToolSpec describes the tool by which a model hands off.
type ToolSpec struct {
	Name        string
	Description string          // when to use it, and who is there
	Schema      json.RawMessage // JSON Schema of its arguments, whose keys are those of a Command
	Targets     []string        // the ids that the schema allows as the target, in the order of registration
	Tags        []string        // coordination, handoff, delegation
}

// ToolConfig holds what a Tool can be given. Nil means its zero value.
type ToolConfig struct {
	Name string // "": handoff_to_specialist
	When string // when to use the tool, as the model reads it; "": a text with the four usual cases
}

// toolWhen says when to use the tool.
const toolWhen = `Hands work to a specialist agent. Use it when
- the task needs knowledge of a field that is not yours,
- the task needs tools or rights that you do not have,
- a part of the task is done better by an agent that does nothing else,
- you have tried and cannot get on, or the user asks for a specialist.
Do not use it for what you can do well yourself.`

// toolContext says what the specialist must be given.
const toolContext = `The specialist may know nothing but what you tell it. Say in the task all that is to be done, and put into the payload what it needs for that: what the user asked for, what is done already, what you found out.`

// Tool returns the tool by which an agent's model hands off right now. Its
// targets are AllowedTargets without hidden agents, so it is made anew for each
// turn; false: there is nobody to hand to, and no tool is to be offered. What a
// model calls it with, Command makes a command of.
func Tool(p *Policy, d *Desk, log Log, from string, facts Facts, now time.Time, cfg *ToolConfig) (ToolSpec, bool) {
	if cfg == nil {
		cfg = &ToolConfig{}
	}
	ways := slices.DeleteFunc(waysFrom(p, d, log, from, facts, now), func(w openWay) bool { return w.agent.Hidden })
	if len(ways) == 0 {
		return ToolSpec{}, false
	}
	t := ToolSpec{Name: cmp.Or(cfg.Name, "handoff_to_specialist"), Tags: []string{"coordination", "handoff", "delegation"}}
	mixed := slices.ContainsFunc(ways, func(w openWay) bool { return w.call != ways[0].call || w.transfer != ways[0].transfer })
	var b strings.Builder
	b.WriteString(cmp.Or(cfg.When, toolWhen) + "\n\n" + toolContext + "\n\nSpecialists:\n")
	for i := range ways {
		t.Targets = append(t.Targets, ways[i].agent.ID)
		b.WriteString("- " + ways[i].line(mixed) + "\n")
	}
	t.Description = b.String()
	t.Schema = toolSchemaOf(p, from, ways)
	return t, true
}

// line tells of the agent, and how it can be handed to if that is not the same
// for all.
func (w *openWay) line(mixed bool) string {
	line := agentLine(w.agent)
	if w.agent.Title() != w.agent.ID {
		line = w.agent.ID + ": " + line
	}
	if w.agent.Capabilities != nil {
		line += "; capabilities: " + strings.Join(w.agent.Capabilities, ", ")
	}
	if w.edge != nil && w.edge.Payload != nil {
		line += "; payload: " + fieldsText(w.edge.Payload)
	}
	switch {
	case mixed && !w.transfer:
		line += "; only with returnControl true"
	case mixed && !w.call:
		line += "; only with returnControl false"
	}
	return line
}

// fieldsText names the keys of a payload.
func fieldsText(fields []PayloadField) string {
	var out []string
	for i := range fields {
		f := &fields[i]
		text := f.Key + " (" + cmp.Or(f.Type, "any")
		if f.Enum != nil {
			text += fmt.Sprintf(", one of %v", f.Enum)
		}
		if f.Optional {
			text += ", may be left out"
		}
		out = append(out, text+")")
	}
	return strings.Join(out, ", ")
}

// Command makes the command of arguments that a model called the tool with.
// Keys that the tool does not offer, missing texts and wrong types are one
// *CommandError that tells all of them. Whether the handoff is allowed is not
// looked at: a target that is not allowed is the manager's to reject.
func (t *ToolSpec) Command(arguments []byte) (Command, error) {
	var schema struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(t.Schema, &schema); err != nil {
		return Command{}, fmt.Errorf("handoffs: the tool's schema: %w", err)
	}
	if err := json.Unmarshal(arguments, &given); err != nil || given == nil {
		return Command{}, &CommandError{Problems: []string{"the arguments are no JSON object"}}
	}
	var problems []string
	for _, key := range sortedKeys(given) {
		if schema.Properties[key] == nil {
			problems = append(problems, fmt.Sprintf("%s: the key is unknown", shortJSON(key)))
			delete(given, key)
		}
	}
	for _, key := range schema.Required {
		var text string
		if v := given[key]; v == nil || json.Unmarshal(v, &text) == nil && strings.TrimSpace(text) == "" {
			problems = append(problems, key+": it is missing")
			delete(given, key)
		}
	}
	return commandGiven(given, problems)
}

// commandGiven reads a command from its keys, behind problems that there are
// already.
func commandGiven(given map[string]json.RawMessage, problems []string) (Command, error) {
	given["type"] = json.RawMessage(`"` + CommandType + `"`)
	data, err := json.Marshal(given)
	if err != nil {
		return Command{}, fmt.Errorf("handoffs: %w", err)
	}
	c, err := ParseCommand(data, 0)
	if more, ok := err.(*CommandError); ok {
		problems = append(problems, more.Problems...)
	}
	if problems != nil {
		return Command{}, &CommandError{Problems: problems}
	}
	return c, err
}
