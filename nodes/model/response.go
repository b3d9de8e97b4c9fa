package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

// Response is a whole answer.
type Response struct {
	Message state.Message `json:"message"` // an AI message without id, name and time
	Stop    Stop          `json:"stop"`
	Usage   Usage         `json:"usage"`
	Model   string        `json:"model,omitempty"`
	ID      string        `json:"id,omitempty"`
}

// Chunks tells the answer as a stream.
func (r *Response) Chunks() iter.Seq[Chunk] {
	return func(yield func(Chunk) bool) {
		for _, p := range r.Message.Content {
			var c Chunk
			switch p.Type {
			case transcript.TypeReasoning:
				c = Reasoning{Text: p.Text, Signature: p.Data, By: p.MIME}
			default:
				c = Text{Text: p.Text}
			}
			if !yield(c) {
				return
			}
		}
		for _, t := range r.Message.ToolCalls {
			if !yield(Call{t}) {
				return
			}
		}
		stop := r.Stop
		if stop == "" {
			stop = StopEnd
			if len(r.Message.ToolCalls) > 0 {
				stop = StopCalls
			}
		}
		yield(End{Stop: stop, Usage: r.Usage, Model: r.Model, ID: r.ID})
	}
}

// Collect reads a stream to its end and joins it. Each chunk is given to each,
// if it is not nil, before the next is asked for; its error ends the stream.
// A stream without End, one that goes on behind it, a call whose arguments are
// no JSON object or that has no name, and a model that says it calls tools and
// calls none are a Malformed or Cut *Error.
func Collect(chunks iter.Seq2[Chunk, error], each func(Chunk) error) (*Response, error) {
	var j joiner
	for c, err := range chunks {
		if err != nil {
			return nil, err
		}
		if err := j.take(c); err != nil {
			return nil, err
		}
		if each != nil {
			if err := each(c); err != nil {
				return nil, err
			}
		}
	}
	return j.close()
}

// joiner makes a response of chunks.
type joiner struct {
	out  Response
	text bytes.Buffer // of the part at work
	kind string       // its type; "": none
	over bool
}

func (j *joiner) take(c Chunk) error {
	if j.over {
		return &Error{Class: Malformed, Text: "the stream goes on behind its end"}
	}
	switch c := c.(type) {
	case Text:
		j.piece("text", c.Text)
	case Reasoning:
		j.piece(transcript.TypeReasoning, c.Text)
		if c.Signature != nil {
			j.settle(c.Signature, c.By)
		}
	case Call:
		return j.call(c)
	case Again:
		*j = joiner{}
	case End:
		j.settle(nil, "")
		j.out.Stop, j.out.Usage, j.out.Model, j.out.ID, j.over = c.Stop, c.Usage, c.Model, c.ID, true
	default:
		return &Error{Class: Malformed, Text: fmt.Sprintf("the stream has a chunk of the type %T", c)}
	}
	return nil
}

// piece adds to the part at work, or begins one of another type.
func (j *joiner) piece(kind, text string) {
	if j.kind != kind {
		j.settle(nil, "")
		j.kind = kind
	}
	j.text.WriteString(text)
}

// settle ends the part at work.
func (j *joiner) settle(signature []byte, by string) {
	if j.kind != "" && (j.text.Len() > 0 || signature != nil) {
		j.out.Message.Content = append(j.out.Message.Content, state.Part{Type: j.kind, Text: j.text.String(), MIME: by, Data: signature})
	}
	j.kind = ""
	j.text.Reset()
}

func (j *joiner) call(c Call) error {
	if c.Name == "" {
		return &Error{Class: Malformed, Text: "a tool call has no name"}
	}
	if len(bytes.TrimSpace(c.Args)) == 0 {
		c.Args = json.RawMessage("{}")
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(c.Args, &object); err != nil || object == nil {
		return &Error{Class: Malformed, Text: fmt.Sprintf("the arguments of a call of %q are no JSON object: %s", c.Name, Excerpt(string(c.Args)))}
	}
	j.out.Message.ToolCalls = append(j.out.Message.ToolCalls, c.ToolCall)
	return nil
}

func (j *joiner) close() (*Response, error) {
	switch {
	case !j.over:
		return nil, &Error{Class: Cut, Text: "the stream ended before the answer did"}
	case j.out.Stop == StopCalls && j.out.Message.ToolCalls == nil:
		return nil, &Error{Class: Malformed, Text: "the model says that it calls tools, and no call came"}
	}
	j.out.Message.Role = state.RoleAI
	return &j.out, nil
}
