package graphfile

import (
	"github.com/graphrun/graphrun/internal/fieldjson"
	"github.com/graphrun/graphrun/state"
)

// conversation is a field with messages.
type conversation struct {
	field  string
	schema *state.RecordSchema
}

func (c conversation) read(r *record) (ms []state.Message, err error) {
	return ms, fieldjson.Read(r, c.field, &ms)
}

// Of returns the messages, which were read once before.
func (c conversation) Of(r *record) []state.Message {
	ms, err := c.read(r)
	if err != nil {
		return nil
	}
	return ms
}

// Add makes the write of messages. One that cannot be made is empty, and the
// engine refuses it.
func (c conversation) Add(ms ...state.Message) state.Write[record] {
	var w state.Write[record]
	if list, err := fieldjson.List(ms); err == nil {
		w, _ = c.schema.Write(c.field, list)
	}
	return w
}

// Replace makes the write of all messages, in place of those that there are.
func (c conversation) Replace(ms []state.Message) state.Write[record] {
	var w state.Write[record]
	if list, err := fieldjson.List(ms); err == nil {
		w, _ = c.schema.Replace(c.field, list)
	}
	return w
}
