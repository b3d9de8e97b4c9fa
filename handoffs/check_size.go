package handoffs

import (
	"fmt"
	"math"
)

// tooLarge says that the command's JSON is larger than so many bytes, or that
// it has none; "": it fits. 0: 1 MiB; less: no bound. The JSON is made only where
// a rough upper bound of its size says too little.
func (c *Command) tooLarge(most int) string {
	if most == 0 {
		most = mostCommandBytes
	}
	if size := c.atMost(); size.sure && (most < 0 || size.n <= most) {
		return ""
	}
	data, err := c.Encode()
	switch {
	case err != nil:
		return err.Error()
	case most >= 0 && len(data) > most:
		return fmt.Sprintf("it has %d bytes, at most %d are allowed", len(data), most)
	}
	return ""
}

// jsonSize is an upper bound of the bytes that JSON takes.
type jsonSize struct {
	n    int
	sure bool // false: a value is of no known type, or nested deeply
}

// The bytes that keys, braces and numbers of a command, a branch and a member of
// a list or map take at most, without texts.
const (
	sizeCommand = 1000
	sizeBranch  = 400
	sizeMember  = 32
)

// atMost returns an upper bound of the size of the command's JSON.
func (c *Command) atMost() jsonSize {
	s := jsonSize{sizeCommand, true}
	for _, t := range [...]string{string(c.Kind), c.Target, c.Capability, string(c.Reason), c.Explanation, c.Intent, c.Task,
		string(c.Priority), string(c.Actor), c.PlanStep, c.Class, c.Trigger, c.Trace, c.State, c.Join.Resolve, c.Token} {
		s.text(t)
	}
	s.texts(c.Needs)
	s.table(c.Payload, 0)
	for i := range c.Branches {
		b := &c.Branches[i]
		s.n += sizeBranch
		s.texts([]string{b.Name, b.Target, b.Capability, b.Task})
		s.table(b.Payload, 0)
	}
	if u := c.Until; u != nil {
		s.texts(u.Signals)
	}
	if o := c.Result; o != nil {
		s.texts([]string{string(o.Status), o.Text, o.Error, string(o.Code)})
		s.texts(o.Missing)
		s.value(o.Value, 0)
		s.table(o.Outputs, 0)
	}
	return s
}

// text adds a text: each of its bytes may be written as an escape of six.
func (s *jsonSize) text(t string) { s.n += 6 * len(t) }

func (s *jsonSize) texts(list []string) {
	for _, t := range list {
		s.n += sizeMember
		s.text(t)
	}
}

func (s *jsonSize) table(m map[string]any, depth int) {
	for key, v := range m {
		s.n += sizeMember
		s.text(key)
		s.value(v, depth+1)
	}
}

func (s *jsonSize) value(v any, depth int) {
	s.n += sizeMember
	if depth > 32 {
		s.sure = false
		return
	}
	switch x := v.(type) {
	case nil, bool, int64:
	case float64:
		s.sure = s.sure && !math.IsNaN(x) && !math.IsInf(x, 0)
	case string:
		s.text(x)
	case []any:
		for _, item := range x {
			s.value(item, depth+1)
		}
	case map[string]any:
		s.table(x, depth)
	default:
		s.sure = false
	}
}
