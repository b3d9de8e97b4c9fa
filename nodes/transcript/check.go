package transcript

import (
	"errors"
	"fmt"

	"github.com/graphrun/graphrun/state"
)

// ErrInvalid is in every error of Check.
var ErrInvalid = errors.New("transcript: not valid for the provider")

// Violation is one thing in a transcript that a provider would refuse.
type Violation struct {
	Message int    // the message's index; the number of messages for what is missing at the end
	Text    string // what is wrong
}

// Error returns the violation as a text.
func (v *Violation) Error() string { return fmt.Sprintf("message %d: %s", v.Message, v.Text) }

// Is reports whether target is ErrInvalid.
func (v *Violation) Is(target error) bool { return target == ErrInvalid }

// Check tells everything in messages that a provider of profile p would refuse,
// in order, as a joined error of *Violation; nil if there is nothing. Nil p is
// the zero Profile. Nothing is changed or stored, and it may be called
// concurrently.
func Check(messages []state.Message, p *Profile) error {
	if p == nil {
		p = &Profile{}
	}
	c := checker{p: p, ids: map[string]bool{}}
	for i := range messages {
		c.at = i
		c.message(&messages[i])
	}
	c.at = len(messages)
	c.end()
	return errors.Join(c.found...)
}

// checker goes through a transcript once.
type checker struct {
	p     *Profile
	at    int
	found []error
	ids   map[string]bool  // of calls so far
	owed  []state.ToolCall // calls of the last AI message without their result so far
	talk  bool             // whether something other than the system's was said
	last  state.Role       // of the message before; empty for none
}

func (c *checker) refuse(format string, args ...any) {
	c.found = append(c.found, &Violation{c.at, fmt.Sprintf(format, args...)})
}

func (c *checker) message(m *state.Message) {
	switch m.Role {
	case state.RoleTool:
		c.pay(m)
	case state.RoleHuman, state.RoleAI, state.RoleSystem:
		c.settled()
		c.turn(m)
	default:
		c.settled()
		c.refuse("unknown role %q", m.Role)
	}
	if m.Role != state.RoleTool && m.ToolCallID != "" {
		c.refuse("a call id outside a result")
	}
	if m.Role != state.RoleAI && len(m.ToolCalls) > 0 {
		c.refuse("calls outside an AI message")
	}
	c.content(m)
	if m.Role == state.RoleAI {
		c.calls(m.ToolCalls)
	}
	c.last = m.Role
}

// settled refuses calls that have no result where results cannot come any more.
func (c *checker) settled() {
	for _, call := range c.owed {
		c.refuse("call %q of %q has no result before this", call.ID, call.Name)
	}
	c.owed = nil
}

// pay takes a result off what is owed.
func (c *checker) pay(m *state.Message) {
	for i, call := range c.owed {
		if call.ID != m.ToolCallID {
			continue
		}
		if m.Name != call.Name && !c.p.AnyResultName {
			c.refuse("the result's name is %q; the tool is %q", m.Name, call.Name)
		}
		c.owed = append(c.owed[:i:i], c.owed[i+1:]...)
		return
	}
	c.refuse("a result of call %q, which is not open here", m.ToolCallID)
}

// turn refuses a message where its role may not be.
func (c *checker) turn(m *state.Message) {
	if c.last == m.Role && !c.p.RepeatRoles {
		c.refuse("role %q twice in a row", m.Role)
	}
	if m.Role == state.RoleSystem {
		if c.last != "" && c.last != state.RoleSystem && !c.p.SystemAnywhere {
			c.refuse("a system message behind others")
		}
		return
	}
	if !c.talk && !c.p.AnyFirst && m.Role != state.RoleHuman {
		c.refuse("the first message is not a human's")
	}
	c.talk = true
}

func (c *checker) end() {
	c.settled()
	switch c.last {
	case "":
		c.refuse("there is no message")
	case state.RoleAI, state.RoleSystem:
		if !c.p.AnyLast {
			c.refuse("the last message, of role %q, asks for no answer", c.last)
		}
	}
	if !c.talk && !c.p.AnyFirst && c.last != "" {
		c.refuse("there is no human message")
	}
}
