package kernel

import (
	"iter"
	"reflect"
	"slices"

	"github.com/graphrun/graphrun/state"
)

// Command is what a node returns: its update and where to go. It is filled in
// once, by the package that makes it, and not changed afterwards: one command
// may be returned by many tasks. Its fields are private so that types made of
// it stay closed as well.
type Command struct {
	update state.Changes
	to     string // one target of a goto; "" if there is none
	rest   *rest  // what few commands have
	_      uint64 // commands are copied at every step; in whole 16 bytes that is quicker
}

// rest holds the rare parts of a command.
type rest struct {
	to      []string // further targets
	packets []Packet // sends, in order
	parent  *Outward // leaves the graph by a command to its parent
}

// Packet is a send: a task of node To with writes laid over its state.
type Packet struct {
	To   string
	Over state.Overlay
}

// Outward is a command to the parent graph, whose state has the given type.
type Outward struct {
	Command Command
	State   reflect.Type
}

// Writes returns the command's update, to be read or, while the command is
// made, to be filled.
func (c *Command) Writes() *state.Changes { return &c.update }

// SetGoto makes a new command go to a node.
func (c *Command) SetGoto(to string) {
	if c.to = to; to == "" { // not the same as going nowhere: it will be refused
		c.rest = &rest{to: []string{""}}
	}
}

// SetPackets makes a new command send.
func (c *Command) SetPackets(ps []Packet) { c.rest = &rest{packets: ps} }

// SetParent makes a new command leave for the parent graph.
func (c *Command) SetParent(out *Outward) { c.rest = &rest{parent: out} }

// Plain reports whether the command goes nowhere, sends nothing and stays in
// its graph.
func (c *Command) Plain() bool { return c.to == "" && c.rest == nil }

// Gotos yields the targets of gotos, End included, in order.
func (c *Command) Gotos() iter.Seq[string] {
	return func(yield func(string) bool) {
		if c.to != "" && !yield(c.to) || c.rest == nil {
			return
		}
		for _, to := range c.rest.to {
			if !yield(to) {
				return
			}
		}
	}
}

// Packets returns the command's sends, in order.
func (c *Command) Packets() []Packet {
	if c.rest == nil {
		return nil
	}
	return c.rest.packets
}

// Parent returns the command to the parent graph; nil if there is none.
func (c *Command) Parent() *Outward {
	if c.rest == nil {
		return nil
	}
	return c.rest.parent
}

// Merge adds what other does to c, in order. What the two share afterwards
// neither changes.
func (c *Command) Merge(other *Command) {
	c.update = c.update.Clone()
	c.update.AddAll(&other.update)
	switch {
	case c.Plain():
		c.to, c.rest = other.to, other.rest
		return
	case other.Plain():
		return
	}
	var more rest
	if c.rest != nil {
		more = rest{slices.Clone(c.rest.to), slices.Clone(c.rest.packets), c.rest.parent}
	}
	for to := range other.Gotos() {
		if c.to == "" {
			c.to = to
		} else {
			more.to = append(more.to, to)
		}
	}
	more.packets = append(more.packets, other.Packets()...)
	more.parent = mergeOutward(more.parent, other.Parent())
	c.rest = &more
}

// mergeOutward makes one command of two to the same parent, or takes the one
// there is.
func mergeOutward(a, b *Outward) *Outward {
	if a == nil || b == nil {
		if a == nil {
			a = b
		}
		return a
	}
	both := *a
	both.Command.Merge(&b.Command)
	return &both
}
