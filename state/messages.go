package state

import "slices"

// Messages is a handle of a conversation: a message whose id is in the list
// replaces the one there, others are appended in task order. Adding costs the
// same whatever the list's length; replacing and removing cost its length.
// A Messages is immutable and safe for concurrent use.
type Messages[S any] struct{ keyed[S, Message] }

// NewMessages makes the handle of the conversation that ref returns.
func NewMessages[S any](name string, ref func(*S) *[]Message) *Messages[S] {
	f := &Messages[S]{}
	f.keyed = keyed[S, Message]{
		place: place[S, []Message]{ref: ref},
		col:   newColumn(name, "messages", ref),
		id:    func(m Message) string { return m.ID },
		check: Message.check,
	}
	f.build()
	return f
}

// Add adds messages, each in place of the one with its id, if there is one.
// A message without a role, or with tool calls whose arguments are not JSON,
// fails the step. What the messages refer to must not be changed afterwards.
func (f *Messages[S]) Add(ms ...Message) Write[S] {
	return Write[S]{Change{verb: f.col.usual, val: slices.Clone(ms)}}
}

// Remove removes the messages with the given ids; an id that is not there
// fails the step, for it tells of a mistake.
func (f *Messages[S]) Remove(ids ...string) Write[S] {
	return Write[S]{Change{verb: f.del, val: slices.Clone(ids)}}
}

// Replace makes ms the whole conversation; what other tasks of the step write
// to the field is dropped, and two tasks that replace are a conflict. Nil
// empties it.
func (f *Messages[S]) Replace(ms []Message) Write[S] {
	return Write[S]{Change{verb: f.replace, val: slices.Clone(ms)}}
}

// Name returns the field's name.
func (f *Messages[S]) Name() string { return f.col.name }

func (f *Messages[S]) columns(*S) []*column { return []*column{f.col} }
