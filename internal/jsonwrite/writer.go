// Package jsonwrite writes JSON key by key, for types that write themselves at
// every step: see state.Encoder. It writes texts, numbers and times as
// encoding/json does without HTML escapes, and leaves empty values out as by
// omitempty. What would not come back as it was is a problem, told with its
// path.
package jsonwrite

import (
	"fmt"
	"strconv"
	"strings"
)

// Writer writes one value. It can go through the value without writing. Its use
// is
//
//	w := jsonwrite.Writer{Buf: dst}
//	for w.Pass() {
//		start := w.Open("")
//		w.Text(`,"id":`, x.ID)
//		w.Shut(start)
//	}
//	return w.Result("pkg", dst)
//
// Keys come with a comma before them and a colon behind; what is not under a key
// has the key "". Where an object's first comma stands the brace is put when the
// object is shut. It is for one goroutine.
type Writer struct {
	Buf   []byte // what is written is appended to it
	Look  bool   // nothing is written
	Loose bool   // any takes whatever state.AppendAny does, also what comes back as an int64 or float64
	Most  int    // how many problems are noted; 0: the first
	Deep  int    // how deep lists and objects may be nested; 0: as deep as package state lets them

	begun    bool // the first pass is or was
	tell     bool // the path is kept, for the problems
	failed   bool
	full     bool // there is no use in looking for more problems
	depth    int
	path     []string
	problems []Problem
}

// mostDeep is how deep package state lets lists and objects be nested.
const mostDeep = 1000

// Problem is why a value cannot be written.
type Problem struct {
	Path string // of keys and places in lists: a.list[2].b; "" is the value itself
	Text string
}

// Pass reports whether the value must be gone through now. Most are gone through
// once; one that cannot be written a second time, only to note its problems.
func (w *Writer) Pass() bool {
	if w.begun && (!w.failed || w.tell) {
		return false
	}
	if w.begun {
		w.Look, w.tell, w.full = true, true, false
	}
	w.begun = true
	return true
}

// Result returns Buf, or dst and the error of Err.
func (w *Writer) Result(who string, dst []byte) ([]byte, error) {
	if w.failed {
		return dst, w.Err(who)
	}
	return w.Buf, nil
}

// Err returns the first problem as an error of package who; nil if there is
// none.
func (w *Writer) Err(who string) error {
	if !w.failed {
		return nil
	}
	first := Problem{Text: "the value changed while it was written"}
	if len(w.problems) > 0 {
		first = w.problems[0]
	}
	return fmt.Errorf("%s: at %s: %s", who, first.Path, first.Text)
}

// Problems returns what was noted, in the order of the value.
func (w *Writer) Problems() []Problem { return w.problems }

// Fail notes why what is under a key, or the value at hand, cannot be written.
func (w *Writer) Fail(key, text string) {
	w.failed = true
	if !w.tell {
		w.full = true
	}
	if w.full {
		return
	}
	path := strings.Join(append(w.path, bare(key)), "")
	w.problems = append(w.problems, Problem{Path: strings.TrimPrefix(path, "."), Text: text})
	w.full = len(w.problems) >= w.Most
}

// bare returns a key as it is told: ".id".
func bare(key string) string {
	if key == "" {
		return ""
	}
	return "." + strings.TrimSuffix(strings.TrimPrefix(key, `,"`), `":`)
}

// Into notes that what follows is under a key, until Out.
func (w *Writer) Into(key string) {
	if w.tell {
		w.step(bare(key))
	}
}

// intoItem notes that what follows is item i under a key, until Out.
func (w *Writer) intoItem(key string, i int) {
	if w.tell {
		w.step(bare(key) + "[" + strconv.Itoa(i) + "]")
	}
}

func (w *Writer) step(name string) { w.path = append(w.path, name) }

// Out ends what Into began.
func (w *Writer) Out() {
	if w.tell {
		w.path = w.path[:len(w.path)-1]
	}
}

// deeper counts one more list or object around what follows.
func (w *Writer) deeper() {
	if w.depth++; w.depth > mostDeep || w.Deep > 0 && w.depth > w.Deep {
		w.tooDeep()
	}
}

func (w *Writer) tooDeep() {
	if !w.full {
		w.Fail("", "nested deeper than "+strconv.Itoa(w.depth-1)+" levels")
		w.full = true // it may be without end
	}
}
