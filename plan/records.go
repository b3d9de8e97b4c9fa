package plan

import (
	"fmt"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/internal/fieldjson"
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
	if err := fieldjson.Read(r, "plan", g.Plan); err != nil {
		return g, err
	}
	if err := fieldjson.Read(r, "plan_course", g.Course); err != nil {
		return g, err
	}
	steps, _ := r.Get("plan_steps")
	all, _ := steps.(map[string]any)
	known := make(map[string]Progress, len(all))
	for id := range all {
		var p Progress
		if err := fieldjson.Into(all[id], &p); err != nil {
			return g, fmt.Errorf("field \"plan_steps\": step %q: %w", id, err)
		}
		known[id] = p
	}
	g.Progress = func(id string) (Progress, bool) { p, ok := known[id]; return p, ok }
	return g, nil
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
		w.put("plan_log", plainList(w, u.Events))
	}
	if len(u.Messages) > 0 {
		w.put("messages", plainList(w, u.Messages))
	}
	return w.out, w.err
}

type recordWriter struct {
	schema *state.RecordSchema
	out    []state.Write[state.Record]
	err    error
}

// plain is fieldjson.Any, whose error is kept.
func (w *recordWriter) plain(v any) any {
	value, err := fieldjson.Any(v)
	w.keep(err)
	return value
}

// plainList is fieldjson.List, whose error is kept.
func plainList[T any](w *recordWriter, list []T) any {
	out, err := fieldjson.List(list)
	w.keep(err)
	return out
}

// keep keeps the first error.
func (w *recordWriter) keep(err error) {
	if w.err == nil {
		w.err = err
	}
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
