package kernel

import (
	"reflect"

	"github.com/graphrun/graphrun/state"
)

// Command is what a node returns: its update and where to go. Its parts are
// not changed once it is returned, for one command may be returned by many
// tasks.
type Command struct {
	Update state.Changes
	To     string // one target of a goto; "" if there is none
	Rest   *Rest  // what few commands have
}

// Rest holds the rare parts of a command.
type Rest struct {
	To      []string // further targets
	Packets []Packet // sends, in order
	Parent  *Outward // leaves the graph by a command to its parent
}

// Packet is a send: a task of node To with writes laid over its state.
type Packet struct {
	To   string
	Over state.Changes
}

// Outward is a command to the parent graph, whose state has the given type.
type Outward struct {
	Command Command
	State   reflect.Type
}

// Leaves reports whether the command ends its graph.
func (c *Command) Leaves() bool { return c.Rest != nil && c.Rest.Parent != nil }

// Packets returns the command's sends.
func (c *Command) Packets() []Packet {
	if c.Rest == nil {
		return nil
	}
	return c.Rest.Packets
}

// Merge adds what other does to c, in order.
func (c *Command) Merge(other *Command) {
	c.Update = c.Update.Clone()
	c.Update.AddAll(&other.Update)
	var rest Rest
	if c.Rest != nil {
		rest = Rest{To: append([]string(nil), c.Rest.To...), Packets: append([]Packet(nil), c.Rest.Packets...), Parent: c.Rest.Parent}
	}
	if c.To == "" {
		c.To = other.To
	} else if other.To != "" {
		rest.To = append(rest.To, other.To)
	}
	if other.Rest != nil {
		rest.To = append(rest.To, other.Rest.To...)
		rest.Packets = append(rest.Packets, other.Rest.Packets...)
		if other.Rest.Parent != nil {
			rest.Parent = mergeOutward(rest.Parent, other.Rest.Parent)
		}
	}
	if len(rest.To)+len(rest.Packets) > 0 || rest.Parent != nil {
		c.Rest = &rest
	}
}

func mergeOutward(a, b *Outward) *Outward {
	if a == nil {
		return b
	}
	both := *a
	both.Command.Merge(&b.Command)
	return &both
}
