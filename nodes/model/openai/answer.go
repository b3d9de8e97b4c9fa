package openai

import (
	"encoding/json"
	"errors"
	"iter"

	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/model/internal/wire"
)

// answer reads an answer and tells it as chunks.
type answer struct {
	peer  *wire.Peer
	yield func(model.Chunk, error) bool

	end     model.End
	calls   calls
	finish  string // finish_reason; "": it has not come
	any     bool   // something has been said
	refused bool
	done    bool // the stream is marked as ended
}

// read tells an answer.
func (a *answer) read(events iter.Seq2[wire.Event, error]) error {
	if err := a.events(events); err != nil {
		return err
	}
	return a.close()
}

func (a *answer) events(events iter.Seq2[wire.Event, error]) error {
	for e, err := range events {
		switch {
		case errors.Is(err, model.Cut) && a.finish != "":
			return nil // the answer is whole
		case err != nil:
			return err
		case string(e.Data) == "[DONE]":
			a.done = true
			return nil
		}
		if err := a.event(e); err != nil {
			return err
		}
	}
	return nil
}

func (a *answer) event(e wire.Event) error {
	var c chunk
	if err := json.Unmarshal(e.Data, &c); err != nil {
		return a.peer.Error(model.Malformed, "an event is not as the wire form has it (%s): %s", err, e.Data)
	}
	switch {
	case e.Name == "error" && c.Error == nil, e.Whole && c.Choices == nil && c.Error == nil:
		return a.peer.Told(e.Data)
	case c.Error != nil && string(c.Error) != "null":
		return a.peer.Told(c.Error)
	}
	if c.ID != "" {
		a.end.ID = c.ID
	}
	if c.Model != "" {
		a.end.Model = c.Model
	}
	if c.Usage != nil { // sums so far, where it comes with each event
		a.end.Usage = c.Usage.tokens()
	}
	for i := range c.Choices {
		if err := a.choice(&c.Choices[i]); err != nil {
			return err
		}
	}
	a.done = a.done || e.Whole
	return nil
}

func (a *answer) choice(c *choice) error {
	if c.Index != 0 { // one was asked for
		return nil
	}
	d := &c.Delta
	if c.Message != nil {
		d = c.Message
	}
	a.refused = a.refused || d.Refusal != ""
	if err := a.say(d.thinks(), d.Content.text+d.Refusal); err != nil {
		return err
	}
	for i := range d.Calls {
		a.any = true
		a.calls.take(&d.Calls[i], c.Message != nil)
	}
	if d.Function != nil { // as calls were before there could be several
		a.any = true
		a.calls.take(&piece{Function: *d.Function}, false)
	}
	if c.Finish != "" {
		a.finish = c.Finish
	}
	if a.finish == "error" {
		return a.peer.Error(model.Overloaded, "the server says that the answer failed, and not why")
	}
	return nil
}

// say tells what there is of a thought and a text.
func (a *answer) say(thought, text string) error {
	a.any = a.any || thought != "" || text != ""
	if thought != "" && !a.yield(model.Reasoning{Text: thought}, nil) || text != "" && !a.yield(model.Text{Text: text}, nil) {
		return wire.ErrStopped
	}
	return nil
}

// close tells the calls and the end.
func (a *answer) close() error {
	if a.finish == "" && !(a.done && a.any) {
		return a.peer.Error(model.Cut, "the stream ended before the answer did")
	}
	called := false
	for _, c := range a.calls {
		call, whole := c.whole()
		if !whole && a.finish == "length" {
			continue
		}
		if !whole {
			return a.peer.Error(model.Malformed, "the arguments of a call of %q are no JSON object: %s", c.name, c.args.String())
		}
		called = true
		if !a.yield(call, nil) {
			return wire.ErrStopped
		}
	}
	a.end.Stop = stop(a.finish, called, a.refused)
	if !a.yield(a.end, nil) {
		return wire.ErrStopped
	}
	return nil
}
