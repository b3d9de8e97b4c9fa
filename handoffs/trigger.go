package handoffs

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/graphrun/graphrun/handoffs/bus"
)

// Trigger turns messages of a bus into handoffs: a security alert into an
// urgent one to the agent for security. Each message gets a session of its own;
// conversations that are running are not touched.
type Trigger struct {
	Name string // tells it from others of the same list; "": On
	On   string // the type of the messages
	// When must hold; nil: it does. It sees the keys of the message's payload
	// and, whatever the payload has under these names, "payload", "type",
	// "source", "target" and "message", the message's ID.
	When *Guard

	Target      string // an agent; "": by Capability
	Capability  string
	Task        string   // may have names of what When sees in braces: "look into {host}"
	Intent      string   // the same
	Explanation string   // the same; "": a text that names the message
	Reason      Reason   // "": Delegation
	Priority    Priority // "": Urgent
	Class       string

	// Session names the session that a message begins; nil: an id made of the
	// trigger's name and the message's ID, which must not be empty then. It must
	// be pure, so that a message that comes again has the same session.
	Session func(m *bus.Message) string
}

// Fire returns the handoff that a message asks for and the session that it
// begins; fires is false if the trigger is not for this message, or its guard
// does not hold. It is pure.
func (t *Trigger) Fire(m *bus.Message) (session string, c Command, fires bool, err error) {
	if m.Type != t.On {
		return "", c, false, nil
	}
	facts := messageFacts(m)
	holds, _, err := t.When.test(facts)
	if err != nil {
		return "", c, false, fmt.Errorf("handoffs: trigger %q: message %q: guard: %w", t.name(), m.ID, err)
	}
	if !holds {
		return "", c, false, nil
	}
	session, err = t.session(m)
	return session, t.command(m, facts), err == nil, err
}

func (t *Trigger) name() string { return cmp.Or(t.Name, t.On) }

func (t *Trigger) session(m *bus.Message) (string, error) {
	if t.Session != nil {
		if s := t.Session(m); s != "" {
			return s, nil
		}
		return "", fmt.Errorf("handoffs: trigger %q: message %q: Session gave no name", t.name(), m.ID)
	}
	if m.ID == "" {
		return "", fmt.Errorf("handoffs: trigger %q: a message of type %q has no ID: its session has no name that is the same when it comes again; give it one, or set Session", t.name(), m.Type)
	}
	return newID(false, "trigger", t.name(), m.ID), nil
}

func (t *Trigger) command(m *bus.Message, facts Facts) Command {
	why := explainFill(t.Explanation, facts)
	if why == "" {
		why = fmt.Sprintf("message %s of type %s", m.ID, m.Type)
	}
	return Command{
		Type: CommandType, Kind: Transfer, Target: t.Target, Capability: t.Capability, Actor: ByEvent,
		Reason: cmp.Or(t.Reason, Delegation), Explanation: why,
		Task: explainFill(t.Task, facts), Intent: explainFill(t.Intent, facts),
		Priority: cmp.Or(t.Priority, Urgent), Class: t.Class, Payload: m.Payload,
	}
}

// messageFacts are what guards and texts see of a message.
func messageFacts(m *bus.Message) Facts {
	return func(name string) (any, bool) {
		switch name {
		case "payload":
			return m.Payload, true
		case "type":
			return m.Type, true
		case "source":
			return m.Source, true
		case "target":
			return m.Target, true
		case "message":
			return m.ID, true
		}
		v, ok := m.Payload[name]
		return v, ok
	}
}

// check returns what is wrong with a trigger.
func (t *Trigger) check() error {
	switch {
	case t.On == "":
		return fmt.Errorf("handoffs: trigger %q: On is empty: name the type of its messages", t.Name)
	case t.Target == "" && t.Capability == "":
		return fmt.Errorf("handoffs: trigger %q: it has neither a Target nor a Capability", t.name())
	}
	return nil
}

// checkTriggers returns all that is wrong with a list of triggers.
func checkTriggers(list []Trigger) error {
	var problems []error
	seen := map[string]bool{}
	for i := range list {
		t := &list[i]
		problems = append(problems, t.check())
		if seen[t.name()] {
			problems = append(problems, fmt.Errorf("handoffs: two triggers are named %q: their messages would begin the same session; give one a Name", t.name()))
		}
		seen[t.name()] = true
	}
	return errors.Join(problems...)
}
