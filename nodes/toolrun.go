package nodes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/state"
)

// toolResult is what a call of a tool came to, as it is kept.
type toolResult struct {
	Text   string    `json:"text"`
	Failed bool      `json:"failed,omitempty"`
	At     time.Time `json:"at"`
	costs
}

// toolCall is a call at work.
type toolCall struct {
	state.ToolCall
	key     string // of graph.Once
	tool    *Tool  // nil: there is none of that name
	args    json.RawMessage
	refused string // what the model is told where a person has said no; "": nobody has
	result  toolResult
	bill    *bill // of models that the tool asks
	err     error // of the run
}

// runTools runs the tools of an answer, and adds their results in the order of
// the calls. It reports whether one of them ends the turn.
func (t *turn) runTools(calls []*toolCall) (ends bool, err error) {
	if err := t.review(calls); err != nil {
		return false, err
	}
	t.used += len(calls)
	t.runAll(calls)
	for _, c := range calls {
		err = worse(err, c.err)
		t.charge(c.costs())
	}
	if err != nil {
		return false, err
	}
	for _, c := range calls {
		t.addResult(c)
		ends = ends || c.tool != nil && c.tool.Ends && !c.result.Failed
	}
	return ends, nil
}

// worse returns the error that counts: a failure before a question.
func worse(a, b error) error {
	if a == nil || b != nil && errors.Is(a, graph.ErrInterrupted) && !errors.Is(b, graph.ErrInterrupted) {
		return b
	}
	return a
}

// runAll runs calls side by side, as many at once as may be.
func (t *turn) runAll(calls []*toolCall) {
	most := t.parallel
	if most == 0 {
		most = 8
	}
	slots := make(chan struct{}, max(1, most))
	var wg sync.WaitGroup
	var failed atomic.Bool // what has not begun then does not begin
	run := func(c *toolCall) {
		if !failed.Load() {
			t.runOne(c)
		}
		if c.err != nil && !errors.Is(c.err, graph.ErrInterrupted) {
			failed.Store(true)
		}
	}
	for _, c := range calls {
		if c.tool != nil && c.tool.Alone {
			wg.Wait()
			run(c)
			continue
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			run(c)
		})
	}
	wg.Wait()
}

// runOne runs a call, or takes what it came to before.
func (t *turn) runOne(c *toolCall) {
	c.bill = &bill{}
	c.result, c.err = graph.Once(t.ctx, c.key, func(ctx context.Context) (toolResult, error) {
		if t.ctx.Err() != nil {
			return toolResult{}, t.cause()
		}
		text, err := t.call(ctx, c)
		switch {
		case err == nil:
			return toolResult{Text: text, At: t.now(), costs: c.bill.sum()}, nil
		case t.ctx.Err() != nil && errors.Is(err, graph.ErrLeftBehind):
			return toolResult{}, fmt.Errorf("%w; tool %q: %w", t.cause(), c.Name, err)
		case t.ctx.Err() != nil:
			return toolResult{}, t.cause()
		case errors.Is(err, graph.ErrInterrupted), isEngines(err), c.tool != nil && c.tool.Strict:
			return toolResult{}, fmt.Errorf("nodes: tool %q: %w", c.Name, err)
		}
		return toolResult{Text: "Error: " + c.tool.cut(err.Error()), Failed: true, At: t.now(), costs: c.bill.sum()}, nil
	})
}

// isEngines reports whether an error is none of the tool's.
func isEngines(err error) bool {
	for _, e := range []error{graph.ErrStore, graph.ErrNoStore, graph.ErrTakenOver, graph.ErrAnswer, graph.ErrNotInTask} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// call calls a tool, with events around it.
func (t *turn) call(ctx context.Context, c *toolCall) (string, error) {
	switch {
	case c.tool == nil:
		return "", t.unknownTool(c.Name)
	case c.refused != "":
		return "", errors.New(c.refused)
	}
	args, err := c.tool.arguments(c.args)
	if err != nil {
		return "", err
	}
	call := ToolCall{ToolCall: c.ToolCall, Agent: t.agent(), key: c.key, bill: c.bill}
	call.Args = args
	ctx = context.WithValue(ctx, callKey{}, call)
	e := ToolEvent{ID: c.ID, Agent: call.Agent, Tool: c.Name, Phase: ToolBegins, Args: string(args)}
	if err := graph.Emit(ctx, e); err != nil {
		return "", err
	}
	e.Args = ""
	text, err := c.tool.run(ctx, args)
	if errors.Is(err, graph.ErrInterrupted) {
		return "", err
	}
	e.Phase, e.Text = ToolEnds, c.tool.cut(text)
	if err != nil {
		e.Phase, e.Text = ToolFails, c.tool.cut(err.Error())
	}
	if told := graph.Emit(ctx, e); told != nil && err == nil {
		err = told
	}
	return c.tool.cut(text), err
}

// addResult adds what a call came to.
func (t *turn) addResult(c *toolCall) {
	m := state.Text(state.RoleTool, c.result.Text)
	m.ID, m.Name, m.ToolCallID, m.Status, m.Time = t.id("result:"+c.key, "msg_"), c.Name, c.ID, "success", c.result.At
	if c.result.Failed {
		m.Status = "error"
	}
	t.made = append(t.made, m)
	if t.seat != nil {
		t.ran = append(t.ran, handoffs.Execution{
			ID: c.ID, Tool: c.Name, Input: c.Args, Output: c.result.Text, Success: !c.result.Failed, At: c.result.At,
			Agent: t.seat.Turn.Agent, Frame: t.seat.Turn.Frame, Epoch: t.seat.Turn.Epoch,
		})
	}
}

// Progress tells the run's stream how far the tool of ctx is, as a ToolEvent.
// The value must have a JSON form and must not be changed afterwards.
func Progress(ctx context.Context, value any) error {
	c, ok := CallOf(ctx)
	if !ok {
		return errors.New("nodes: Progress: the context is not that of a tool")
	}
	return graph.Emit(ctx, ToolEvent{ID: c.ID, Agent: c.Agent, Tool: c.Name, Phase: ToolProgress, Value: value})
}
