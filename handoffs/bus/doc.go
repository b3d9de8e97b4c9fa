// Package bus carries messages between agents and the programs around them:
// which handoffs were made, which tasks ended, which events came from outside.
//
// Bus is what others need of a bus; Local is one within the process. A bus to
// other processes is a type of its own with the same two methods.
//
//	b := bus.NewLocal(nil)
//	defer b.Close()
//	messages, err := b.Subscribe(ctx, bus.Filter{Types: []string{bus.AgentHandoff}, Target: "billing"})
//	if err != nil {
//		return err
//	}
//	for m := range messages { // until ctx ends or the bus is closed
//		fmt.Println(m.Source, "handed over to", m.Target)
//	}
//
// # Order and duplicates
//
// Every subscriber gets the messages of one publisher in the order in which
// they were published. A message whose ID came before is dropped, so that a
// publisher who does not know whether a message went out, behind a crash say,
// publishes it again.
//
// # Slow subscribers
//
// No message is lost for want of room: Publish waits for subscribers that are
// too far behind, until its context ends.
package bus
