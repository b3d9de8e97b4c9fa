package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/graphrun/graphrun/state"
)

// wireChunk is the JSON form of a chunk: one of its fields.
type wireChunk struct {
	Text      *exact         `json:"text,omitempty"`
	Reasoning *wireReasoning `json:"reasoning,omitempty"`
	Call      *wireCall      `json:"call,omitempty"`
	Again     *wireAgain     `json:"again,omitempty"`
	End       *wireEnd       `json:"end,omitempty"`
}

type wireReasoning struct {
	Text      exact  `json:"text"`
	Signature []byte `json:"signature,omitzero"`
	By        string `json:"by,omitempty"`
}

// wireCall has arguments as JSON, or as a text if they are not compact JSON.
type wireCall struct {
	ID       exact           `json:"id,omitempty"`
	Name     exact           `json:"name"`
	Args     json.RawMessage `json:"args,omitempty"`
	ArgsText exact           `json:"args_text,omitempty"`
}

type wireAgain struct {
	Attempt int      `json:"attempt"`
	After   span     `json:"after,omitempty"`
	Error   *failure `json:"error,omitempty"`
}

type wireEnd struct {
	Stop  Stop   `json:"stop"`
	Usage Usage  `json:"usage"`
	Model string `json:"model,omitempty"`
	ID    string `json:"id,omitempty"`
}

// wireOf returns the JSON form of a chunk; false if it is of no known type.
func wireOf(c Chunk) (w wireChunk, ok bool) {
	switch c := c.(type) {
	case Text:
		text := exact(c.Text)
		w.Text = &text
	case Reasoning:
		w.Reasoning = &wireReasoning{Text: exact(c.Text), Signature: c.Signature, By: c.By}
	case Call:
		w.Call = &wireCall{ID: exact(c.ID), Name: exact(c.Name)}
		if isCompact(c.Args) {
			w.Call.Args = c.Args
		} else {
			w.Call.ArgsText = exact(c.Args)
		}
	case Again:
		w.Again = &wireAgain{Attempt: c.Attempt, After: span(c.After), Error: failureOf(c.Err)}
	case End:
		w.End = &wireEnd{Stop: c.Stop, Usage: c.Usage, Model: c.Model, ID: c.ID}
	default:
		return w, false
	}
	return w, true
}

// chunk returns the chunk.
func (w wireChunk) chunk() (Chunk, error) {
	var found []Chunk
	if w.Text != nil {
		found = append(found, Text{string(*w.Text)})
	}
	if r := w.Reasoning; r != nil {
		found = append(found, Reasoning{Text: string(r.Text), Signature: r.Signature, By: r.By})
	}
	if c := w.Call; c != nil {
		args, err := c.args()
		if err != nil {
			return nil, err
		}
		found = append(found, Call{state.ToolCall{ID: string(c.ID), Name: string(c.Name), Args: args}})
	}
	if a := w.Again; a != nil {
		found = append(found, Again{Attempt: a.Attempt, After: time.Duration(a.After), Err: a.Error.err()})
	}
	if e := w.End; e != nil {
		found = append(found, End(*e))
	}
	if len(found) != 1 {
		return nil, errors.New("want one of text, reasoning, call, again and end")
	}
	return found[0], nil
}

func (c *wireCall) args() (json.RawMessage, error) {
	switch {
	case c.Args == nil && c.ArgsText == "":
		return nil, nil
	case c.Args == nil:
		return json.RawMessage(c.ArgsText), nil
	case c.ArgsText != "":
		return nil, fmt.Errorf("the call of %q has both args and args_text", c.Name)
	}
	var b bytes.Buffer
	err := json.Compact(&b, c.Args)
	return b.Bytes(), err
}

// isCompact tells that JSON is read back to the byte, whatever its layout was.
func isCompact(args json.RawMessage) bool {
	var b bytes.Buffer
	return len(args) > 0 && utf8.Valid(args) && json.Compact(&b, args) == nil && bytes.Equal(b.Bytes(), args)
}

// failure is the JSON form of an error.
type failure struct {
	Class      Class  `json:"class,omitempty"`
	Provider   string `json:"provider,omitempty"`
	Model      string `json:"model,omitempty"`
	Status     int    `json:"status,omitempty"`
	Code       string `json:"code,omitempty"`
	RetryAfter span   `json:"retry_after,omitempty"`
	Text       string `json:"text,omitempty"`
	// Told is the whole text, where it is not what the other fields tell: of an
	// error with another inside, and of one that is no *Error.
	Told string `json:"told,omitempty"`
}

func failureOf(err error) *failure {
	if err == nil {
		return nil
	}
	f := &failure{}
	e := (*Error)(nil)
	if errors.As(err, &e) {
		f = &failure{Class: e.Class, Provider: e.Provider, Model: e.Model, Status: e.Status, Code: e.Code,
			RetryAfter: span(e.RetryAfter), Text: strings.ToValidUTF8(e.Text, "\uFFFD")}
	}
	if e == nil || err.Error() != e.Error() {
		f.Told = strings.ToValidUTF8(err.Error(), "\uFFFD")
	}
	return f
}

// err returns the error: an *Error, an error with one inside, or a mere text.
func (f *failure) err() error {
	if f == nil {
		return nil
	}
	var e error
	if bare := (failure{Told: f.Told}); *f != bare || f.Told == "" {
		e = &Error{Class: f.Class, Provider: f.Provider, Model: f.Model, Status: f.Status, Code: f.Code,
			RetryAfter: time.Duration(f.RetryAfter), Text: f.Text}
	}
	if f.Told == "" {
		return e
	}
	return &retold{text: f.Told, inside: e}
}

// retold is an error of which the text is known, and maybe the *Error inside.
type retold struct {
	text   string
	inside error
}

func (e *retold) Error() string { return e.text }
func (e *retold) Unwrap() error { return e.inside }

// span is a time as "1.5s".
type span time.Duration

func (s span) MarshalText() ([]byte, error) { return []byte(time.Duration(s).String()), nil }

func (s *span) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	*s = span(d)
	return err
}

// exact is a text that is read back to the byte, also if it is not UTF-8: then
// it is {"base64": …}.
type exact string

type wireBytes struct {
	Base64 []byte `json:"base64"`
}

func (x exact) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(x)) {
		return encode(string(x), "")
	}
	return encode(wireBytes{[]byte(x)}, "")
}

func (x *exact) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		var text string
		err := json.Unmarshal(data, &text)
		*x = exact(text)
		return err
	}
	var b wireBytes
	if err := decode(data, &b); err != nil {
		return fmt.Errorf("want a text: %w", err)
	}
	*x = exact(b.Base64)
	return nil
}
