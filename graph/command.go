package graph

import (
	"reflect"

	"github.com/graphrun/graphrun/internal/kernel"
	"github.com/graphrun/graphrun/state"
)

// The reserved names of the places where a graph begins and ends.
const (
	Start = kernel.Start
	End   = kernel.End
)

// Command is what a node returns: an update of the state, nodes to go to,
// tasks to send. The zero Command changes nothing; its node's static and
// conditional edges are followed, as they are with every command: a goto is
// in addition to them. A Command is immutable and may be returned many times.
type Command[S any] kernel.Command

func (c *Command[S]) raw() *kernel.Command { return (*kernel.Command)(c) }

// Packet is a task to send: a node and writes that are laid over the state
// for that task alone.
type Packet[S any] kernel.Packet

// Commands makes the commands of a state S. It has no content: declare one as
// a variable beside the handles, and commands with writes and without read
// alike:
//
//	var cmd graph.Commands[State]
//
//	return cmd.Goto("writer", Draft.Set("…")), nil
//	return cmd.Goto("writer"), nil
type Commands[S any] struct{}

// Update writes to the state and follows the node's edges.
func (Commands[S]) Update(writes ...state.Write[S]) (c Command[S]) {
	state.Fill(c.raw().Writes(), writes)
	return c
}

// Goto writes to the state and goes to a node that was declared as a target.
// Going to End is allowed everywhere and does nothing by itself.
func (Commands[S]) Goto(to string, writes ...state.Write[S]) (c Command[S]) {
	state.Fill(c.raw().Writes(), writes)
	c.raw().SetGoto(to)
	return c
}

// Send starts one task for each packet in the next step, in this order. One
// node may be sent to any number of times.
func (Commands[S]) Send(packets ...Packet[S]) (c Command[S]) {
	ps := make([]kernel.Packet, len(packets))
	for i := range packets {
		ps[i] = kernel.Packet(packets[i])
	}
	c.raw().SetPackets(ps)
	return c
}

// To makes a packet for Send.
func (Commands[S]) To(node string, writes ...state.Write[S]) Packet[S] {
	return Packet[S]{To: node, Over: state.OverlayOf(writes)}
}

// All makes one command that does what all of cs do, in their order.
func (Commands[S]) All(cs ...Command[S]) (all Command[S]) {
	for i := range cs {
		all.raw().Merge(cs[i].raw())
	}
	return all
}

// ToParent leaves the subgraph whose state is C by a command to the graph it
// is mounted in, whose state is P. The subgraph ends: it hands back this
// command alone, and what it changed before is dropped. If several tasks of a
// step leave, their commands count together, in task order. The targets are
// declared by NodeConfig.Exit.
func ToParent[C, P any](cmd Command[P]) (c Command[C]) {
	c.raw().SetParent(&kernel.Outward{Command: kernel.Command(cmd), State: reflect.TypeFor[P]()})
	return c
}
