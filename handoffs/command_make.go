package handoffs

import "time"

// NewCommand makes a command that hands to target, for a coded reason and one
// for people. It is a transfer; set other fields as is needed: ReturnControl
// to get a result back, Task, Payload.
func NewCommand(target string, reason Reason, explanation string) Command {
	return Command{Type: CommandType, Target: target, Reason: reason, Explanation: explanation}
}

// kind returns what the command asks for: a Call or Transfer if it does not
// say.
func (c *Command) kind() Kind {
	switch {
	case c.Kind != "":
		return c.Kind
	case c.ReturnControl:
		return Call
	}
	return Transfer
}

// CommandToRecord makes the record of a command: the handoff's id, who handed
// off, in which session and when. The payload is shared with the command. Hash,
// Rule and what a frame knows are left empty.
func CommandToRecord(c *Command, id, from, session string, at time.Time) Record {
	return Record{
		ID: id, From: from, To: c.Target, Kind: c.kind(), Actor: c.Actor,
		Reason: c.Reason, Explanation: c.Explanation, Intent: c.Intent, Task: c.Task, Payload: c.Payload,
		Return: c.ReturnControl, PlanStep: c.PlanStep, Priority: c.Priority, Capability: c.Capability,
		Trigger: c.Trigger, Trace: c.Trace, Session: session, At: at,
	}
}
