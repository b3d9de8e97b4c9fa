package handoffs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The values that a state keeps of handoffs write themselves, for they are
// written at every step: see state.Encoder.

// AppendJSON appends the desk to dst as JSON. What would not come back as it is
// is an error.
func (d Desk) AppendJSON(dst []byte) ([]byte, error) {
	c := codec{buf: dst}
	if c.desk(&d); c.failed {
		return dst, d.CheckJSON()
	}
	return c.buf, nil
}

// CheckJSON returns the error of AppendJSON.
func (d Desk) CheckJSON() error {
	c := codec{look: true}
	if c.desk(&d); c.failed {
		c = codec{look: true, trace: true}
		c.desk(&d)
	}
	return c.err
}

// AppendJSON appends the entry to dst as JSON. What would not come back as it is
// is an error.
func (e Entry) AppendJSON(dst []byte) ([]byte, error) {
	c := codec{buf: dst}
	if c.entry(&e); c.failed {
		return dst, e.CheckJSON()
	}
	return c.buf, nil
}

// CheckJSON returns the error of AppendJSON.
func (e Entry) CheckJSON() error {
	c := codec{look: true}
	if c.entry(&e); c.failed {
		c = codec{look: true, trace: true}
		c.entry(&e)
	}
	return c.err
}

// AppendJSON appends the execution to dst as JSON. What would not come back as it is
// is an error.
func (x Execution) AppendJSON(dst []byte) ([]byte, error) {
	c := codec{buf: dst}
	if c.execution(&x); c.failed {
		return dst, x.CheckJSON()
	}
	return c.buf, nil
}

// CheckJSON returns the error of AppendJSON.
func (x Execution) CheckJSON() error {
	c := codec{look: true}
	if c.execution(&x); c.failed {
		c = codec{look: true, trace: true}
		c.execution(&x)
	}
	return c.err
}

// AppendJSON appends the turn to dst as JSON. What would not come back as it is
// is an error.
func (t Turn) AppendJSON(dst []byte) ([]byte, error) {
	c := codec{buf: dst}
	if c.turn(&t); c.failed {
		return dst, t.CheckJSON()
	}
	return c.buf, nil
}

// CheckJSON returns the error of AppendJSON.
func (t Turn) CheckJSON() error {
	c := codec{look: true}
	if c.turn(&t); c.failed {
		c = codec{look: true, trace: true}
		c.turn(&t)
	}
	return c.err
}

// codec writes the values of this package as encoding/json would by the tags of
// their fields, and a little more exactly: floats keep a fraction. What would not
// come back as it was is an error. It can go through a value without writing.
//
// Keys come with a comma before them and a colon behind: `,"id":`. Where an
// object's first comma stands the brace is put when the object is shut.
type codec struct {
	buf    []byte
	look   bool // nothing is written
	trace  bool // the path is kept, for the error
	path   []string
	depth  int
	failed bool
	err    error // the first, with its path
}

// mostDepth is how deep package state lets lists and objects be nested.
const mostDepth = 1000

// fail notes why what is under a key, or the value at hand, cannot be written.
func (c *codec) fail(key, text string) {
	if c.trace && !c.failed {
		path := strings.Join(append(c.path, bare(key)), "")
		c.err = fmt.Errorf("handoffs: at %s: %s", strings.TrimPrefix(path, "."), text)
	}
	c.failed = true
}

// bare returns a key as it is told: ".id".
func bare(key string) string {
	if name, ok := strings.CutPrefix(key, `,"`); ok {
		key = strings.TrimSuffix(name, `":`)
	}
	if key == "" {
		return ""
	}
	return "." + key
}

// into notes that what follows is under a key, until out: item i of it, if i is
// not negative.
func (c *codec) into(key string, i int) {
	if !c.trace {
		return
	}
	if key = bare(key); i >= 0 {
		key += "[" + strconv.Itoa(i) + "]"
	}
	c.path = append(c.path, key)
}

func (c *codec) out() {
	if c.trace {
		c.path = c.path[:len(c.path)-1]
	}
}

// deeper counts one more list or object around what follows.
func (c *codec) deeper() {
	if c.depth++; c.depth > mostDepth {
		c.fail("", "nested deeper than "+strconv.Itoa(mostDepth)+" levels")
	}
}

// open begins an object under a key, or by itself. Its members are written
// next; shut takes what open returned.
func (c *codec) open(key string) (start int) {
	c.deeper()
	c.into(key, -1)
	if c.look {
		return 0
	}
	c.buf = append(c.buf, key...)
	return len(c.buf)
}

func (c *codec) shut(start int) {
	c.depth--
	c.out()
	if c.look {
		return
	}
	if len(c.buf) == start {
		c.buf = append(c.buf, '{', '}')
		return
	}
	c.buf[start] = '{'
	c.buf = append(c.buf, '}')
}

// list writes n elements under a key; none at all are left out.
func (c *codec) list(key string, n int, element func(i int)) {
	if n > 0 {
		c.mustList(key, n, element)
	}
}

// mustList writes n elements, also if there are none.
func (c *codec) mustList(key string, n int, element func(i int)) {
	c.deeper()
	c.put(key)
	c.put("[")
	for i := range n {
		if i > 0 {
			c.put(",")
		}
		c.into(key, i)
		element(i)
		c.out()
	}
	c.put("]")
	c.depth--
}

// put writes JSON.
func (c *codec) put(text string) {
	if !c.look {
		c.buf = append(c.buf, text...)
	}
}

// text writes a text that is not empty.
func (c *codec) text(key, s string) {
	if s != "" {
		c.must(key, s)
	}
}

// must writes a text, also an empty one.
func (c *codec) must(key, s string) {
	if c.look {
		if !utf8.ValidString(s) {
			c.fail(key, "the text is not valid UTF-8")
		}
		return
	}
	if plainJSONUntil(s, 0) == len(s) {
		c.plain(key, s)
		return
	}
	valid := true
	if c.buf, valid = appendJSONText(append(c.buf, key...), s); !valid {
		c.fail(key, "the text is not valid UTF-8")
	}
}

// plain writes a text without anything to escape, the way most are.
func (c *codec) plain(key, s string) {
	n := len(c.buf)
	b := slices.Grow(c.buf, len(key)+len(s)+2)[:n+len(key)+len(s)+2]
	n += copy(b[n:], key)
	b[n] = '"'
	n += 1 + copy(b[n+1:], s)
	b[n] = '"'
	c.buf = b
}

// codecTexts writes a list of texts that is not empty.
func codecTexts[T ~string](c *codec, key string, list []T) {
	c.list(key, len(list), func(i int) { c.must("", string(list[i])) })
}

// grants writes rights. None at all are another thing than nil, all of them.
func (c *codec) grants(key string, list []string) {
	if list != nil {
		c.mustList(key, len(list), func(i int) { c.must("", list[i]) })
	}
}

// whole writes a number that is not 0.
func (c *codec) whole(key string, n int) {
	if n != 0 {
		c.mustWhole(key, int64(n))
	}
}

// span writes a duration that is not 0.
func (c *codec) span(key string, d time.Duration) {
	if d != 0 {
		c.mustWhole(key, int64(d))
	}
}

// mustWhole writes a number, also 0.
func (c *codec) mustWhole(key string, n int64) {
	if !c.look {
		c.buf = strconv.AppendInt(append(c.buf, key...), n, 10)
	}
}

// flag writes true; false is left out.
func (c *codec) flag(key string, v bool) {
	if v {
		c.mustFlag(key, v)
	}
}

// mustFlag writes true or false.
func (c *codec) mustFlag(key string, v bool) {
	if !c.look {
		c.buf = strconv.AppendBool(append(c.buf, key...), v)
	}
}

// time writes a time that is not zero.
func (c *codec) time(key string, t time.Time) {
	if !t.IsZero() {
		c.mustTime(key, t)
	}
}

// mustTime writes a time, also the zero one.
func (c *codec) mustTime(key string, t time.Time) {
	if c.look && t.Location() == time.UTC && 0 <= t.Year() && t.Year() <= 9999 {
		return
	}
	if c.look {
		if _, err := t.MarshalText(); err != nil {
			c.fail(key, err.Error())
		}
		return
	}
	out, err := appendTime(append(append(c.buf, key...), '"'), t)
	if err != nil {
		c.fail(key, err.Error())
		return
	}
	c.buf = append(out, '"')
}
