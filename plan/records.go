package plan

import (
	"encoding/json"
	"fmt"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// RecordFields returns the fields that a state without a struct needs for plans,
// beside those of handoffs.RecordFields, named as those of FieldsOf.
func RecordFields() []state.RecordField {
	return []state.RecordField{
		{Name: "plan", Type: "map"},
		{Name: "plan_steps", Type: "map", Reduce: state.ReduceMerge},
		{Name: "plan_course", Type: "map"},
		{Name: "plan_log", Reduce: state.ReduceAppend},
	}
}

// Records is the Binding of states without a struct. Schema must have the
// fields of RecordFields and of handoffs.RecordFields.
type Records struct{ Schema *state.RecordSchema }

// Look decodes what the record holds.
func (b Records) Look(r *state.Record) (Sight, error) {
	g := Sight{Plan: &Plan{}, Course: &Course{}}
	h, err := handoffs.Records{Schema: b.Schema}.Look(r)
	if err != nil {
		return g, err
	}
	g.Desk, g.Messages = h.Desk, h.Messages
	if err := fromField(r, "plan", g.Plan); err != nil {
		return g, err
	}
	if err := fromField(r, "plan_course", g.Course); err != nil {
		return g, err
	}
	steps, _ := r.Get("plan_steps")
	all, _ := steps.(map[string]any)
	known := make(map[string]Progress, len(all))
	for id := range all {
		var p Progress
		if err := recode(all[id], &p); err != nil {
			return g, fmt.Errorf("field \"plan_steps\": step %q: %w", id, err)
		}
		known[id] = p
	}
	g.Progress = func(id string) (Progress, bool) { p, ok := known[id]; return p, ok }
	return g, nil
}

// fromField decodes a field's value into v, which stays as it is if the field
// has none.
func fromField[V any](r *state.Record, name string, v *V) error {
	value, ok := r.Get(name)
	if !ok || value == nil {
		return nil
	}
	if err := recode(value, v); err != nil {
		return fmt.Errorf("field %q: %w", name, err)
	}
	return nil
}

// recode turns a value of any into one of a type, by its JSON.
func recode[V any](from any, into *V) error {
	data, err := state.AppendAny(nil, from)
	if err != nil {
		return err
	}
	return state.ParseInto(data, into)
}

// plain turns a value into one of any, by its JSON.
func plain(v state.Encoder) (any, error) {
	data, err := v.AppendJSON(nil)
	if err != nil {
		return nil, err
	}
	return state.ParseAny(data)
}

// Write makes the writes of an update.
func (b Records) Write(u *Update) ([]state.Write[state.Record], error) {
	w := &recordWriter{schema: b.Schema}
	if u.Plan != nil {
		w.put("plan", w.plain(u.Plan))
	}
	if len(u.Changed) > 0 {
		steps := make(map[string]any, len(u.Changed))
		for _, id := range u.Changed {
			steps[id] = w.plain(u.Progress[id])
		}
		w.put("plan_steps", steps)
	}
	if u.Course != nil {
		w.put("plan_course", w.plain(u.Course))
	}
	if len(u.Events) > 0 {
		events := make([]any, len(u.Events))
		for i := range u.Events {
			events[i] = w.plain(u.Events[i])
		}
		w.put("plan_log", events)
	}
	if len(u.Messages) > 0 {
		w.put("messages", w.messages(u.Messages))
	}
	return w.out, w.err
}

type recordWriter struct {
	schema *state.RecordSchema
	out    []state.Write[state.Record]
	err    error
}

// plain is plain, whose error is kept.
func (w *recordWriter) plain(v state.Encoder) any {
	value, err := plain(v)
	if w.err == nil {
		w.err = err
	}
	return value
}

func (w *recordWriter) messages(ms []state.Message) any {
	data, err := json.Marshal(ms)
	if err == nil {
		var v any
		if v, err = state.ParseAny(data); err == nil {
			return v
		}
	}
	w.err = err
	return nil
}

func (w *recordWriter) put(field string, value any) {
	if w.err != nil {
		return
	}
	write, err := w.schema.Write(field, value)
	w.out, w.err = append(w.out, write), err
}

// Facts are the record's fields.
func (b Records) Facts(r *state.Record) handoffs.Facts { return r.Get }
