package langchain

import (
	"context"
	"errors"
	"iter"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/graphrun/graphrun/nodes/model"
)

// Stream asks the model. What the client cannot send is refused as
// model.Unsupported before anything is sent.
func (m *Model) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		t := &turn{m: m, ctx: ctx, r: r, yield: yield}
		if err := t.run(); err != nil && !errors.Is(err, errLeft) {
			yield(nil, err)
		}
	}
}

// errLeft says that nobody reads the stream any more.
var errLeft = errors.New("langchain: the stream was left")

// turn is one reading of a stream.
type turn struct {
	m        *Model
	ctx      context.Context
	r        *model.Request
	yield    func(model.Chunk, error) bool
	messages []llms.MessageContent
	options  []llms.CallOption
}

func (t *turn) tell(c model.Chunk) error {
	if !t.yield(c, nil) {
		return errLeft
	}
	return nil
}

func (t *turn) run() error {
	if err := t.m.refuse(t.r); err != nil {
		return err
	}
	options, err := t.m.options(t.r)
	if err != nil {
		return err
	}
	t.messages, t.options = t.m.messages(t.r), options
	if !t.streamed() {
		return t.whole(model.Usage{})
	}
	a, err := t.live()
	if !errors.Is(err, model.Malformed) {
		return err
	}
	// What the client garbled in a stream it may well read as a whole.
	if err := t.tell(model.Again{Attempt: 2, Err: err}); err != nil {
		return err
	}
	return t.whole(a.usage)
}

func (t *turn) streamed() bool {
	switch {
	case t.m.cfg.Whole || !t.m.cfg.Kind.streams():
		return false
	case len(t.r.Tools) > 0:
		return t.m.cfg.StreamWithTools
	}
	return true
}

// whole asks without a stream and tells the answer. paid is what a garbled answer
// before has cost.
func (t *turn) whole(paid model.Usage) error {
	resp, err := t.m.call(t.ctx, t.messages, t.options, nil)
	if err != nil {
		return err
	}
	a, err := t.m.read(resp, t.r, nil)
	if err != nil {
		return err
	}
	a.usage = a.usage.Plus(paid)
	return t.rest(a, &told{})
}

// live asks with a stream and tells the pieces as they come. The answer beside an
// error may be garbled, or empty; it is never nil.
func (t *turn) live() (*answer, error) {
	seen := &told{tools: len(t.r.Tools) > 0}
	resp, err := t.m.call(t.ctx, t.messages, t.options, func(p piece) error {
		if c := seen.take(p); c != nil {
			return t.tell(c)
		}
		return nil
	})
	if err != nil {
		return &answer{}, err
	}
	a, err := t.m.read(resp, t.r, seen)
	if err != nil {
		return a, err
	}
	return a, t.rest(a, seen)
}

// rest tells what has not been told of an answer, and its end.
func (t *turn) rest(a *answer, seen *told) error {
	var chunks []model.Chunk
	if seen.thought.Len() == 0 {
		for _, r := range a.thoughts {
			chunks = append(chunks, r)
		}
	} else if s := strings.TrimPrefix(a.thought(), seen.thought.String()); s != "" {
		chunks = append(chunks, model.Reasoning{Text: s})
	}
	if s := strings.TrimPrefix(a.text, seen.text.String()); s != "" {
		chunks = append(chunks, model.Text{Text: s})
	}
	for _, c := range a.calls {
		chunks = append(chunks, model.Call{ToolCall: c})
	}
	for _, c := range append(chunks, model.End{Stop: a.stop, Usage: a.usage, Model: a.model}) {
		if err := t.tell(c); err != nil {
			return err
		}
	}
	return nil
}
