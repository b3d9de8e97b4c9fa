package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/graphrun/graphrun/state"
)

// wireRequest is the JSON form of a Request: its fields in this order.
type wireRequest struct {
	Messages    []state.Message `json:"messages"`
	Tools       []Tool          `json:"tools,omitempty"`
	Choice      Choice          `json:"choice,omitempty"`
	OneCall     bool            `json:"one_call,omitempty"`
	Schema      *Schema         `json:"schema,omitempty"`
	MaxTokens   int             `json:"max_tokens,omitempty"`
	Temperature *float64        `json:"temperature,omitempty"`
	TopP        *float64        `json:"top_p,omitempty"`
	Stop        []string        `json:"stop,omitempty"`
	Seed        *int64          `json:"seed,omitempty"`
}

// MarshalJSON writes the canonical form. Messages are without id and time; tool
// calls are numbered in their order, call_1, call_2, …, and results have the
// number of their call; arguments and schemas are compact, with sorted keys.
// It fails for what has no JSON form: an unknown role, arguments or a schema
// that are no JSON, a text that is not UTF-8.
func (r Request) MarshalJSON() ([]byte, error) {
	w := wireRequest(r)
	var err error
	if w.Messages, err = canonical(r.Messages); err != nil {
		return nil, err
	}
	w.Tools = nil
	for _, t := range r.Tools {
		if t.Schema, err = normal(t.Schema); err != nil {
			return nil, fmt.Errorf("model: schema of tool %q: %w", t.Name, err)
		}
		w.Tools = append(w.Tools, t)
	}
	if r.Schema != nil {
		s := *r.Schema
		if s.Schema, err = normal(s.Schema); err != nil {
			return nil, fmt.Errorf("model: schema of the answer: %w", err)
		}
		w.Schema = &s
	}
	return encode(w, "")
}

// UnmarshalJSON reads the canonical form. A key that is not of it is an error.
func (r *Request) UnmarshalJSON(data []byte) error {
	var w wireRequest
	if err := decode(data, &w); err != nil {
		return fmt.Errorf("model: request: %w", err)
	}
	*r = Request(w)
	return nil
}

// Hash returns the SHA-256 of the canonical form in hex digits; "" if the
// request has none: MarshalJSON tells why.
func (r *Request) Hash() string {
	data, err := r.MarshalJSON()
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// canonical returns messages without what is for the program's own use.
func canonical(messages []state.Message) ([]state.Message, error) {
	out := make([]state.Message, 0, len(messages))
	numbers := callNumbers{open: map[string][]string{}}
	for i, m := range messages {
		m.ID, m.Time = "", time.Time{}
		calls := m.ToolCalls
		m.ToolCalls = nil
		for _, c := range calls {
			args, err := normal(c.Args)
			if err != nil {
				return nil, fmt.Errorf("model: message %d: arguments of the call of %q: %w", i, c.Name, err)
			}
			m.ToolCalls = append(m.ToolCalls, state.ToolCall{ID: numbers.call(c.ID), Name: c.Name, Args: args})
		}
		if m.ToolCallID != "" || m.Role == state.RoleTool {
			m.ToolCallID = numbers.result(m.ToolCallID)
		}
		out = append(out, m)
	}
	return out, nil
}

// callNumbers gives calls new ids in the order in which they are met.
type callNumbers struct {
	count int
	open  map[string][]string // new ids of the calls of an id that have no result yet
}

func (n *callNumbers) fresh() string {
	n.count++
	return fmt.Sprintf("call_%d", n.count)
}

func (n *callNumbers) call(id string) string {
	fresh := n.fresh()
	n.open[id] = append(n.open[id], fresh)
	return fresh
}

// result returns the new id of the oldest call of an id that has no result. One
// that answers no call has an id of its own.
func (n *callNumbers) result(id string) string {
	open := n.open[id]
	if len(open) == 0 {
		return n.fresh()
	}
	n.open[id] = open[1:]
	return open[0]
}

// normal writes JSON compactly, with sorted keys and numbers as they are.
// Nothing stays nothing.
func normal(data json.RawMessage) (json.RawMessage, error) {
	if len(data) == 0 {
		return nil, nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if err := ended(dec); err != nil {
		return nil, err
	}
	return encode(v, "")
}

// encode writes JSON as people read it: "<" is "<".
func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// decode reads one JSON value that has no unknown keys.
func decode(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	return ended(dec)
}

// ended tells that nothing comes behind a value.
func ended(dec *json.Decoder) error {
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("there is more behind the JSON value")
	}
	return nil
}
