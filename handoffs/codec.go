package handoffs

import "github.com/graphrun/graphrun/internal/jsonwrite"

// The values that a state keeps of handoffs write themselves, for they are
// written at every step: see state.Encoder.

// AppendJSON appends the desk to dst as JSON. What would not come back as it is
// is an error.
func (d Desk) AppendJSON(dst []byte) ([]byte, error) {
	c := codec{jsonwrite.Writer{Buf: dst}}
	for c.Pass() {
		c.desk(&d)
	}
	return c.Result("handoffs", dst)
}

// CheckJSON returns the error of AppendJSON.
func (d Desk) CheckJSON() error {
	c := codec{jsonwrite.Writer{Look: true}}
	for c.Pass() {
		c.desk(&d)
	}
	return c.Err("handoffs")
}

// AppendJSON appends the entry to dst as JSON. What would not come back as it is
// is an error.
func (e Entry) AppendJSON(dst []byte) ([]byte, error) {
	c := codec{jsonwrite.Writer{Buf: dst}}
	for c.Pass() {
		c.entry(&e)
	}
	return c.Result("handoffs", dst)
}

// CheckJSON returns the error of AppendJSON.
func (e Entry) CheckJSON() error {
	c := codec{jsonwrite.Writer{Look: true}}
	for c.Pass() {
		c.entry(&e)
	}
	return c.Err("handoffs")
}

// AppendJSON appends the execution to dst as JSON. What would not come back as it is
// is an error.
func (x Execution) AppendJSON(dst []byte) ([]byte, error) {
	c := codec{jsonwrite.Writer{Buf: dst}}
	for c.Pass() {
		c.execution(&x)
	}
	return c.Result("handoffs", dst)
}

// CheckJSON returns the error of AppendJSON.
func (x Execution) CheckJSON() error {
	c := codec{jsonwrite.Writer{Look: true}}
	for c.Pass() {
		c.execution(&x)
	}
	return c.Err("handoffs")
}

// AppendJSON appends the turn to dst as JSON. What would not come back as it is
// is an error.
func (t Turn) AppendJSON(dst []byte) ([]byte, error) {
	c := codec{jsonwrite.Writer{Buf: dst}}
	for c.Pass() {
		c.turn(&t)
	}
	return c.Result("handoffs", dst)
}

// CheckJSON returns the error of AppendJSON.
func (t Turn) CheckJSON() error {
	c := codec{jsonwrite.Writer{Look: true}}
	for c.Pass() {
		c.turn(&t)
	}
	return c.Err("handoffs")
}

// codec writes the values of this package as encoding/json would by the tags of
// their fields, and a little more exactly: floats keep a fraction. What would not
// come back as it was is an error.
type codec struct{ jsonwrite.Writer }

// codecTexts writes a list of texts that is not empty.
func codecTexts[T ~string](c *codec, key string, list []T) {
	c.List(key, len(list), func(i int) { c.Must("", string(list[i])) })
}

// grants writes rights. None at all are another thing than nil, all of them.
func (c *codec) grants(key string, list []string) {
	if list != nil {
		c.MustTexts(key, list)
	}
}
