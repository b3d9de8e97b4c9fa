package handoffs

import (
	"fmt"

	"github.com/graphrun/graphrun/internal/fieldjson"
	"github.com/graphrun/graphrun/state"
)

// RecordFields returns the fields that a state without a struct needs for
// handoffs, named as those of FieldsOf.
func RecordFields() []state.RecordField {
	return []state.RecordField{
		{Name: "messages", Reduce: state.ReduceMessages},
		{Name: "active_agent", Type: "string"},
		{Name: "handoffs", Type: "map"},
		{Name: "handoff_log", Reduce: state.ReduceAppend},
		{Name: "tool_executions", Reduce: state.ReduceAppend},
		{Name: "turn", Type: "map", Local: true},
	}
}

// Records is the Binding of states without a struct. Schema must have the
// fields of RecordFields.
type Records struct{ Schema *state.RecordSchema }

// Look decodes what the record holds. Of the executions only those are
// decoded that were not looked at yet.
func (b Records) Look(r *state.Record) (Sight, error) {
	s := Sight{Desk: &Desk{}}
	if err := fieldjson.Read(r, "handoffs", s.Desk); err != nil {
		return s, err
	}
	if err := fieldjson.Read(r, "turn", &s.Turn); err != nil {
		return s, err
	}
	if err := fieldjson.Read(r, "messages", &s.Messages); err != nil {
		return s, err
	}
	list, _ := r.Get("handoff_log")
	entries, _ := list.([]any)
	s.Log = decoding(entries)
	list, _ = r.Get("tool_executions")
	raw, _ := list.([]any)
	s.Executions = make([]Execution, len(raw))
	for i := max(0, min(s.Desk.Taken, len(raw))-1); i < len(raw); i++ {
		if err := fieldjson.Into(raw[i], &s.Executions[i]); err != nil {
			return s, fmt.Errorf("tool_executions[%d]: %w", i, err)
		}
	}
	return s, nil
}

// decoding is a log whose entries are decoded when they are first asked for. It
// is for one goroutine.
func decoding(entries []any) Log {
	known := make([]*Entry, len(entries))
	return Log{n: len(entries), at: func(i int) *Entry {
		if known[i] == nil {
			known[i] = &Entry{}
			if err := fieldjson.Into(entries[i], known[i]); err != nil {
				known[i].Message = err.Error()
			}
		}
		return known[i]
	}}
}

// Write makes the writes of an update.
func (b Records) Write(u *Update) ([]state.Write[state.Record], error) {
	var ws []state.Write[state.Record]
	put := func(field string, value any, err error) error {
		if err != nil {
			return err
		}
		w, err := b.Schema.Write(field, value)
		ws = append(ws, w)
		return err
	}
	if u.Desk != nil {
		v, err := fieldjson.Any(u.Desk)
		if err := put("handoffs", v, err); err != nil {
			return nil, err
		}
	}
	if u.Active != "" {
		if err := put("active_agent", u.Active, nil); err != nil {
			return nil, err
		}
	}
	if len(u.Entries) > 0 {
		v, err := fieldjson.List(u.Entries)
		if err := put("handoff_log", v, err); err != nil {
			return nil, err
		}
	}
	if len(u.Executions) > 0 {
		v, err := fieldjson.List(u.Executions)
		if err := put("tool_executions", v, err); err != nil {
			return nil, err
		}
	}
	if len(u.Messages) > 0 {
		v, err := fieldjson.List(u.Messages)
		if err := put("messages", v, err); err != nil {
			return nil, err
		}
	}
	return ws, nil
}

// Lay makes the write that tells a task about its turn.
func (b Records) Lay(t *Turn) (state.Write[state.Record], error) {
	v, err := fieldjson.Any(t)
	if err != nil {
		return state.Write[state.Record]{}, err
	}
	return b.Schema.Replace("turn", v)
}

// Facts are the record's fields.
func (b Records) Facts(r *state.Record) Facts { return r.Get }
