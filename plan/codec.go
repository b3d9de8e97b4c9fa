package plan

import (
	"encoding/json"
	"time"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/internal/jsonwrite"
	"github.com/graphrun/graphrun/state"
)

// What a state keeps of plans writes itself, for it is written at every step:
// see state.Encoder. It is read by encoding/json, by the tags of the fields.

// AppendJSON appends the plan to dst as JSON.
func (p Plan) AppendJSON(dst []byte) ([]byte, error) {
	w := writer{jsonwrite.Writer{Buf: dst}}
	for w.Pass() {
		w.plan("", &p)
	}
	return w.Result("plan", dst)
}

// CheckJSON returns the error of AppendJSON.
func (p Plan) CheckJSON() error {
	w := writer{jsonwrite.Writer{Look: true}}
	for w.Pass() {
		w.plan("", &p)
	}
	return w.Err("plan")
}

// AppendJSON appends the progress to dst as JSON.
func (p Progress) AppendJSON(dst []byte) ([]byte, error) {
	w := writer{jsonwrite.Writer{Buf: dst}}
	for w.Pass() {
		w.progress(&p)
	}
	return w.Result("plan", dst)
}

// CheckJSON returns the error of AppendJSON.
func (p Progress) CheckJSON() error {
	w := writer{jsonwrite.Writer{Look: true}}
	for w.Pass() {
		w.progress(&p)
	}
	return w.Err("plan")
}

// AppendJSON appends the course to dst as JSON.
func (c Course) AppendJSON(dst []byte) ([]byte, error) {
	w := writer{jsonwrite.Writer{Buf: dst}}
	for w.Pass() {
		w.course(&c)
	}
	return w.Result("plan", dst)
}

// CheckJSON returns the error of AppendJSON.
func (c Course) CheckJSON() error {
	w := writer{jsonwrite.Writer{Look: true}}
	for w.Pass() {
		w.course(&c)
	}
	return w.Err("plan")
}

// AppendJSON appends the event to dst as JSON.
func (e Event) AppendJSON(dst []byte) ([]byte, error) {
	w := writer{jsonwrite.Writer{Buf: dst}}
	for w.Pass() {
		w.event(&e)
	}
	return w.Result("plan", dst)
}

// CheckJSON returns the error of AppendJSON.
func (e Event) CheckJSON() error {
	w := writer{jsonwrite.Writer{Look: true}}
	for w.Pass() {
		w.event(&e)
	}
	return w.Err("plan")
}

// writer writes the values of this package. Empty ones are left out.
type writer struct{ jsonwrite.Writer }

// span writes a duration as a text.
func (w *writer) span(key string, s Span) {
	if s != 0 {
		w.Must(key, time.Duration(s).String())
	}
}

func (w *writer) float(key string, f float64) {
	if f != 0 {
		w.Stated(key, f)
	}
}

// value writes a value of any; nil is left out.
func (w *writer) value(key string, v any) {
	if v != nil {
		w.Stated(key, v)
	}
}

func (w *writer) values(key string, m map[string]any) {
	if len(m) > 0 {
		w.Stated(key, m)
	}
}

// raw writes JSON in the form that all JSON of a state has.
func (w *writer) raw(key string, data json.RawMessage) {
	if len(data) == 0 {
		return
	}
	v, err := state.ParseAny(data)
	if err != nil {
		w.Fail(key, err.Error())
		return
	}
	w.Stated(key, v)
}

func (w *writer) usage(key string, u handoffs.Usage) {
	if u == (handoffs.Usage{}) {
		return
	}
	start := w.Open(key)
	w.Whole(`,"tokens":`, u.Tokens)
	w.Whole(`,"calls":`, u.Calls)
	w.Span(`,"elapsed":`, u.Time)
	w.Shut(start)
}
