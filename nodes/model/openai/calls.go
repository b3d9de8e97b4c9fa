package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

// call is a tool call whose pieces come one after another.
type call struct {
	index    int // -1: the server does not say
	id, name string
	args     strings.Builder
}

// complete tells that the arguments so far could be all.
func (c *call) complete() bool { return c.args.Len() == 0 || json.Valid([]byte(c.args.String())) }

// whole returns the call, and false if its arguments are no JSON object.
func (c *call) whole() (model.Call, bool) {
	args := strings.TrimSpace(c.args.String())
	if args == "" || args == "null" {
		args = "{}"
	}
	whole := args[0] == '{' && json.Valid([]byte(args))
	return model.Call{ToolCall: state.ToolCall{ID: c.id, Name: c.name, Args: json.RawMessage(args)}}, whole && c.name != ""
}

// calls are the calls of an answer, in the order in which they began.
type calls []*call

// take adds a piece to the call that it belongs to. A fresh one is a whole call.
func (cs *calls) take(p *piece, fresh bool) {
	var c *call
	if !fresh {
		c = cs.find(p)
	}
	if c == nil {
		c = &call{index: -1}
		if p.Index != nil {
			c.index = *p.Index
		}
		*cs = append(*cs, c)
	}
	if c.id == "" {
		c.id = p.ID
	}
	if c.name == "" {
		c.name = p.Function.Name
	}
	c.args.WriteString(string(p.Function.Args))
}

// find returns the call of a piece; nil if the piece begins one.
func (cs calls) find(p *piece) *call {
	var c *call
	for _, known := range slices.Backward(cs) {
		if p.Index != nil && known.index != *p.Index {
			continue
		}
		if p.ID != "" && known.id == p.ID {
			return known
		}
		if c == nil {
			c = known
		}
	}
	switch {
	case c == nil:
		return nil
	case p.ID != "" && c.id != "": // the ids differ: of two calls, or new with each piece
		if p.Index == nil || p.Function.Name != "" && c.complete() {
			return nil
		}
	case p.Function.Name == "":
	case p.Function.Name != c.name, c.args.Len() > 0 && p.Function.Args != "" && c.complete():
		return nil
	}
	return c
}
