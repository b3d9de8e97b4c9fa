package plan

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// What a state keeps of plans writes itself, for it is written at every step:
// see state.Encoder. It is read by encoding/json, by the tags of the fields.

// AppendJSON appends the plan to dst as JSON.
func (p Plan) AppendJSON(dst []byte) ([]byte, error) {
	w := writer{buf: dst}
	w.plan("", &p)
	return w.result(dst)
}

// CheckJSON returns the error of AppendJSON.
func (p Plan) CheckJSON() error { return check(p.AppendJSON(nil)) }

// AppendJSON appends the progress to dst as JSON.
func (p Progress) AppendJSON(dst []byte) ([]byte, error) {
	w := writer{buf: dst}
	w.progress(&p)
	return w.result(dst)
}

// CheckJSON returns the error of AppendJSON.
func (p Progress) CheckJSON() error { return check(p.AppendJSON(nil)) }

// AppendJSON appends the course to dst as JSON.
func (c Course) AppendJSON(dst []byte) ([]byte, error) {
	w := writer{buf: dst}
	w.course(&c)
	return w.result(dst)
}

// CheckJSON returns the error of AppendJSON.
func (c Course) CheckJSON() error { return check(c.AppendJSON(nil)) }

// AppendJSON appends the event to dst as JSON.
func (e Event) AppendJSON(dst []byte) ([]byte, error) {
	w := writer{buf: dst}
	w.event(&e)
	return w.result(dst)
}

// CheckJSON returns the error of AppendJSON.
func (e Event) CheckJSON() error { return check(e.AppendJSON(nil)) }

func check(_ []byte, err error) error { return err }

// writer writes objects key by key. Empty values are left out. The first error
// is kept, with the keys that lead to it.
type writer struct {
	buf  []byte
	path []string
	err  error
}

func (w *writer) result(dst []byte) ([]byte, error) {
	if w.err != nil {
		return dst, w.err
	}
	return w.buf, nil
}

func (w *writer) fail(err error) {
	if w.err != nil || err == nil {
		return
	}
	at := ""
	for _, key := range w.path {
		at += "." + key
	}
	w.err = fmt.Errorf("plan: at %s: %w", at, err)
}

// key begins a member of the object at hand.
func (w *writer) key(key string) {
	if n := len(w.buf); n > 0 && w.buf[n-1] != '{' {
		w.buf = append(w.buf, ',')
	}
	w.buf = append(append(append(w.buf, '"'), key...), '"', ':')
}

// object writes an object under a key; "": by itself.
func (w *writer) object(key string, members func()) {
	if key != "" {
		w.key(key)
		w.path = append(w.path, key)
		defer func() { w.path = w.path[:len(w.path)-1] }()
	}
	w.buf = append(w.buf, '{')
	members()
	w.buf = append(w.buf, '}')
}

// list writes n elements under a key; none are left out.
func (w *writer) list(key string, n int, element func(i int)) {
	if n == 0 {
		return
	}
	w.key(key)
	w.path = append(w.path, key)
	w.buf = append(w.buf, '[')
	for i := range n {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		element(i)
	}
	w.buf = append(w.buf, ']')
	w.path = w.path[:len(w.path)-1]
}

func (w *writer) text(key, s string) {
	if s != "" {
		w.must(key, s)
	}
}

func (w *writer) must(key, s string) {
	w.key(key)
	w.string(key, s)
}

// string writes a text. Most have nothing to escape.
func (w *writer) string(key, s string) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			w.any(key, s)
			return
		}
	}
	w.buf = append(append(append(w.buf, '"'), s...), '"')
}

func (w *writer) any(key string, v any) {
	out, err := state.AppendAny(w.buf, v)
	if err != nil {
		w.path = append(w.path, key)
		w.fail(err)
		w.path = w.path[:len(w.path)-1]
		return
	}
	w.buf = out
}

func writeTexts[T ~string](w *writer, key string, list []T) {
	w.list(key, len(list), func(i int) { w.string("", string(list[i])) })
}

func (w *writer) whole(key string, n int) {
	if n != 0 {
		w.number(key, n)
	}
}

func (w *writer) number(key string, n int) {
	w.key(key)
	w.buf = strconv.AppendInt(w.buf, int64(n), 10)
}

func (w *writer) flag(key string, v bool) {
	if v {
		w.key(key)
		w.buf = append(w.buf, "true"...)
	}
}

func (w *writer) time(key string, t time.Time) {
	if !t.IsZero() {
		w.mustTime(key, t)
	}
}

func (w *writer) mustTime(key string, t time.Time) {
	w.key(key)
	out, err := t.AppendText(append(w.buf, '"'))
	if err != nil {
		w.fail(err)
		return
	}
	w.buf = append(out, '"')
}

func (w *writer) span(key string, s Span) {
	if s != 0 {
		w.must(key, time.Duration(s).String())
	}
}

func (w *writer) float(key string, f float64) {
	if f == 0 {
		return
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		w.fail(fmt.Errorf("%s is %v, which JSON cannot hold", key, f))
		return
	}
	w.key(key)
	w.any(key, f)
}

// value writes a value of any; nil is left out.
func (w *writer) value(key string, v any) {
	if v != nil {
		w.key(key)
		w.any(key, v)
	}
}

func (w *writer) values(key string, m map[string]any) {
	if len(m) > 0 {
		w.value(key, m)
	}
}

func (w *writer) usage(key string, u handoffs.Usage) {
	if u == (handoffs.Usage{}) {
		return
	}
	w.object(key, func() {
		w.whole("tokens", u.Tokens)
		w.whole("calls", u.Calls)
		w.whole("elapsed", int(u.Time))
	})
}
