package anthropic

import (
	"encoding/json"
	"errors"
	"iter"
	"strings"

	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/internal/wire"
	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

// answer reads an answer and tells it as chunks.
type answer struct {
	peer  *wire.Peer
	yield func(model.Chunk, error) bool

	end    model.End
	usage  usage
	blocks map[int]*open // that are not over
	calls  []*open
	stop   string // stop_reason; "": it has not come
	done   bool   // message_stop has come
}

// open is a block whose pieces come one after another.
type open struct {
	block
	args strings.Builder
}

// read tells an answer.
func (a *answer) read(events iter.Seq2[wire.Event, error]) error {
	a.blocks = map[int]*open{}
	if err := a.events(events); err != nil {
		return err
	}
	return a.close()
}

func (a *answer) events(events iter.Seq2[wire.Event, error]) error {
	for e, err := range events {
		if errors.Is(err, model.Cut) && a.stop != "" {
			return nil // the answer is whole
		}
		if err == nil {
			err = a.event(e)
		}
		if err != nil || a.done {
			return err
		}
	}
	return nil
}

func (a *answer) event(e wire.Event) error {
	var v event
	if err := json.Unmarshal(e.Data, &v); err != nil {
		return a.peer.Error(model.Malformed, "an event is not as the wire form has it (%s): %s", err, e.Data)
	}
	switch v.Type {
	case "message_start":
		if v.Message != nil {
			a.begin(v.Message)
		}
	case "content_block_start":
		if v.Block != nil {
			return a.start(v.Index, v.Block)
		}
	case "content_block_delta":
		return a.delta(v.Index, &v.Delta)
	case "content_block_stop":
		return a.settle(v.Index)
	case "message_delta":
		a.stop = v.Delta.Stop
		a.usage.add(v.Usage)
	case "message_stop":
		a.done = true
	case "message":
		return a.whole(&v.message)
	default:
		if v.Type == "error" || e.Name == "error" || e.Whole {
			return a.peer.Told(e.Data)
		}
	}
	return nil
}

func (a *answer) begin(m *message) {
	a.end.ID, a.end.Model = m.ID, m.Model
	a.usage.add(m.Usage)
}

// whole tells an answer that is no stream.
func (a *answer) whole(m *message) error {
	a.begin(m)
	for i := range m.Content {
		if err := a.start(i, &m.Content[i]); err != nil {
			return err
		}
		if err := a.settle(i); err != nil {
			return err
		}
	}
	a.stop, a.done = m.Stop, true
	return nil
}

// start begins a block, which may hold something already.
func (a *answer) start(index int, b *block) error {
	o := &open{block: *b}
	a.blocks[index] = o
	if b.Type == "tool_use" {
		a.calls = append(a.calls, o)
	}
	return a.say(b.Thinking, b.Text)
}

func (a *answer) delta(index int, d *delta) error {
	o := a.blocks[index]
	if o == nil {
		return a.peer.Error(model.Malformed, "a piece belongs to block %d, which has not begun", index)
	}
	o.Signature += d.Signature
	o.args.WriteString(d.Part)
	return a.say(d.Thinking, d.Text)
}

func (a *answer) say(thought, text string) error {
	if thought != "" && !a.yield(model.Reasoning{Text: thought}, nil) || text != "" && !a.yield(model.Text{Text: text}, nil) {
		return wire.ErrStopped
	}
	return nil
}

// settle ends a block. Thoughts end with their signature.
func (a *answer) settle(index int) error {
	o := a.blocks[index]
	delete(a.blocks, index)
	if o == nil {
		return nil
	}
	signature := o.Signature
	if o.Type == "redacted_thinking" {
		signature = redacted + o.Data
	}
	if signature != "" && !a.yield(model.Reasoning{Signature: []byte(signature), By: transcript.SignedAnthropic}, nil) {
		return wire.ErrStopped
	}
	return nil
}

// whole returns the call, and false if its arguments are no JSON object.
func (o *open) whole() (model.Call, bool) {
	args := strings.TrimSpace(o.args.String())
	if args == "" {
		args = string(o.Input)
	}
	if args == "" || args == "null" {
		args = "{}"
	}
	whole := args[0] == '{' && json.Valid([]byte(args)) && o.Name != ""
	return model.Call{ToolCall: state.ToolCall{ID: o.ID, Name: o.Name, Args: json.RawMessage(args)}}, whole
}

// close tells the calls and the end. An answer that was cut off at its bound
// keeps only the calls that are whole.
func (a *answer) close() error {
	if a.stop == "" && !(a.done && a.end.ID != "") {
		return a.peer.Error(model.Cut, "the stream ended before the answer did")
	}
	called := false
	for _, o := range a.calls {
		call, whole := o.whole()
		switch {
		case !whole && stop(a.stop, false) == model.StopLength:
			continue
		case !whole:
			return a.peer.Error(model.Malformed, "the arguments of a call of %q are no JSON object: %s", o.Name, call.Args)
		}
		called = true
		if !a.yield(call, nil) {
			return wire.ErrStopped
		}
	}
	a.end.Stop, a.end.Usage = stop(a.stop, called), a.usage.tokens()
	if !a.yield(a.end, nil) {
		return wire.ErrStopped
	}
	return nil
}
