package jsonwrite

import (
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

const notUTF8 = "the text is not valid UTF-8"

// Put writes JSON as it is.
func (w *Writer) Put(text string) {
	if !w.Look {
		w.Buf = append(w.Buf, text...)
	}
}

// Text writes a text that is not empty.
func (w *Writer) Text(key, s string) {
	if s != "" {
		w.Must(key, s)
	}
}

// Must writes a text, also an empty one.
func (w *Writer) Must(key, s string) {
	if w.Look {
		if !utf8.ValidString(s) {
			w.Fail(key, notUTF8)
		}
		return
	}
	if PlainUntil(s, 0) == len(s) {
		w.plain(key, s)
		return
	}
	valid := true
	if w.Buf, valid = AppendText(append(w.Buf, key...), s); !valid {
		w.Fail(key, notUTF8)
	}
}

// plain writes a text without anything to escape, the way most are.
func (w *Writer) plain(key, s string) {
	n := len(w.Buf)
	b := slices.Grow(w.Buf, len(key)+len(s)+2)[:n+len(key)+len(s)+2]
	n += copy(b[n:], key)
	b[n] = '"'
	n += 1 + copy(b[n+1:], s)
	b[n] = '"'
	w.Buf = b
}

// Whole writes a number that is not 0.
func (w *Writer) Whole(key string, n int) {
	if n != 0 {
		w.MustWhole(key, int64(n))
	}
}

// Span writes a duration that is not 0, as nanoseconds.
func (w *Writer) Span(key string, d time.Duration) {
	if d != 0 {
		w.MustWhole(key, int64(d))
	}
}

// MustWhole writes a number, also 0.
func (w *Writer) MustWhole(key string, n int64) {
	if !w.Look {
		w.Buf = strconv.AppendInt(append(w.Buf, key...), n, 10)
	}
}

// Flag writes true; false is left out.
func (w *Writer) Flag(key string, v bool) {
	if v {
		w.MustFlag(key, v)
	}
}

// MustFlag writes true or false.
func (w *Writer) MustFlag(key string, v bool) {
	if !w.Look {
		w.Buf = strconv.AppendBool(append(w.Buf, key...), v)
	}
}

// Time writes a time that is not zero.
func (w *Writer) Time(key string, t time.Time) {
	if !t.IsZero() {
		w.MustTime(key, t)
	}
}

// MustTime writes a time, also the zero one. One that RFC 3339 cannot hold is a
// problem.
func (w *Writer) MustTime(key string, t time.Time) {
	if w.Look {
		w.lookTime(key, t)
		return
	}
	out, err := AppendTime(append(append(w.Buf, key...), '"'), t)
	if err != nil {
		w.Fail(key, err.Error())
		return
	}
	w.Buf = append(out, '"')
}

func (w *Writer) lookTime(key string, t time.Time) {
	if t.Location() == time.UTC && 0 <= t.Year() && t.Year() <= 9999 {
		return
	}
	var room [40]byte
	if _, err := t.AppendText(room[:0]); err != nil {
		w.Fail(key, err.Error())
	}
}
