package handoffs

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// ParseCommand reads a command from JSON, of at most so many bytes; 0: 1 MiB;
// less: no bound. It is strict: unknown keys, keys that come twice, values of
// another type, text that is not UTF-8 and nesting deeper than 100 levels are
// errors, all told at once with the path of their key in a *CommandError. Null
// stands for a key that is not there, but not for the type and the target. A
// target that is missing is no error here: there may be a capability instead.
// Values in payloads are as package state keeps any: int64, float64, string,
// bool, nil, []any and map[string]any.
//
// What the command says of itself is taken as it is: whoever reads a command of
// an agent or user must not believe its Actor.
func ParseCommand(data []byte, most int) (Command, error) {
	var c Command
	if most == 0 {
		most = mostCommandBytes
	}
	if most > 0 && len(data) > most {
		return c, &CommandError{Problems: []string{fmt.Sprintf("it has %d bytes, at most %d are allowed; store large data elsewhere and hand over its place", len(data), most)}}
	}
	r := newJSONReader(data)
	r.command(&c)
	r.end()
	if r.problems != nil {
		return Command{}, &CommandError{Problems: r.problems}
	}
	return c, nil
}

// UnmarshalJSON reads what ParseCommand reads, without a bound of its size.
func (c *Command) UnmarshalJSON(data []byte) error {
	parsed, err := ParseCommand(data, -1)
	if err == nil {
		*c = parsed
	}
	return err
}

// command reads a whole command.
func (r *jsonReader) command(c *Command) {
	if r.next() != '{' {
		r.wrongType("a handoff command, which is a map")
		return
	}
	r.fields(func(key string) bool { return r.commandKey(c, key) })
	if c.Type != CommandType && !r.full {
		r.problem(&r.path, fmt.Sprintf("type: want %q, got %q", CommandType, shortJSON(c.Type)))
	}
}

// commandKey reads the value of one key of a command; false if there is no
// such key.
func (r *jsonReader) commandKey(c *Command, key string) bool {
	switch key {
	case "type":
		r.textOnly(&c.Type)
	case "targetAgentId":
		r.textOnly(&c.Target)
	case "kind":
		readWord(r, &c.Kind, kindsOfCommands)
	case "capability":
		readText(r, &c.Capability)
	case "requiredCapabilities":
		readTexts(r, &c.Needs)
	case "reason":
		readText(r, &c.Reason)
	case "explanation":
		readText(r, &c.Explanation)
	case "userIntent":
		readText(r, &c.Intent)
	case "payload":
		r.values(&c.Payload)
	case "task":
		readText(r, &c.Task)
	case "returnControl":
		r.flag(&c.ReturnControl)
	default:
		return r.commandMore(c, key)
	}
	return true
}

// commandMore reads the keys that fewer commands have.
func (r *jsonReader) commandMore(c *Command, key string) bool {
	switch key {
	case "priority":
		readWord(r, &c.Priority, prioritiesOfCommands)
	case "actor":
		readWord(r, &c.Actor, actorsOfCommands)
	case "planStepId":
		readText(r, &c.PlanStep)
	case "class":
		readText(r, &c.Class)
	case "workflowState":
		readText(r, &c.State)
	case "trigger":
		readText(r, &c.Trigger)
	case "traceId":
		readText(r, &c.Trace)
	case "branches":
		r.list(func(int) { c.Branches = append(c.Branches, r.branch()) })
	case "join":
		r.record(func(key string) bool { return r.joinKey(&c.Join, key) })
	case "token":
		readText(r, &c.Token)
	case "result":
		var o Outcome
		if r.record(func(key string) bool { return r.outcomeKey(&o, key) }) {
			c.Result = &o
		}
	case "until":
		var u Until
		if r.record(func(key string) bool { return r.untilKey(&u, key) }) {
			c.Until = &u
		}
	case "usage":
		r.record(func(key string) bool { return r.usageKey(&c.Usage, key) })
	case "budget":
		r.limits(&c.Budget)
	default:
		return false
	}
	return true
}

// The words that keys of a command can have.
var (
	kindsOfCommands      = []Kind{Transfer, Call, Escalate, Spawn, Resume, Return, Refuse, Wait, Report}
	prioritiesOfCommands = []Priority{Urgent, High, Normal, Low}
	actorsOfCommands     = []Actor{ByAgent, ByUser, BySystem, ByPlan, ByRule, ByEvent}
	statusOfOutcomes     = []Status{Completed, Returned, Partial, Failed, Rejected, TimedOut, Cancelled}
)

// readWord reads one of several words, or an empty text.
func readWord[T ~string](r *jsonReader, dst *T, words []T) {
	readText(r, dst)
	if *dst == "" || slices.Contains(words, *dst) {
		return
	}
	var names []string
	for _, w := range words {
		names = append(names, string(w))
	}
	r.problem(&r.path, fmt.Sprintf("want one of %s; got %q", strings.Join(names, ", "), shortJSON(string(*dst))))
}

// textOnly reads a text that cannot be null.
func (r *jsonReader) textOnly(dst *string) {
	if r.next() != '"' {
		r.wrongType("string")
		return
	}
	*dst = r.string()
}

// IsCommand reports whether v is an object that asks for a handoff: a Command,
// a *Command, a map or JSON, with the type "handoff" and a target that is a
// text, also an empty one. What else is wrong with it tells ParseCommand.
func IsCommand(v any) bool {
	switch x := v.(type) {
	case Command:
		return x.Type == CommandType
	case *Command:
		return x != nil && x.Type == CommandType
	case map[string]any:
		_, text := x["targetAgentId"].(string)
		return text && x["type"] == CommandType
	case json.RawMessage:
		return isCommandJSON(x)
	}
	return false
}

func isCommandJSON(data []byte) bool {
	r := newJSONReader(data)
	kind, target := "", false
	if r.next() != '{' {
		return false
	}
	r.members(func(key string) {
		switch v := r.any(); key {
		case "type":
			kind, _ = v.(string)
		case "targetAgentId":
			_, target = v.(string)
		}
	})
	r.end()
	return kind == CommandType && target && r.problems == nil
}
