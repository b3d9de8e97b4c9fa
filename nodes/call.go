package nodes

import (
	"context"
	"fmt"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

// answer is an answer of the model as it is kept.
type answer struct {
	model.Response
	Before costs     `json:"before,omitzero"` // of what was asked before, for a summary
	At     time.Time `json:"at"`
	id     string    // of the message
}

// askModel asks the model once.
func (t *turn) askModel() (*answer, error) {
	id := t.id(fmt.Sprintf("message:%d", t.round), "msg_")
	var before costs
	kept, err := graph.Once(t.ctx, t.key("model:%d", t.round), func(ctx context.Context) (answer, error) {
		if t.ctx.Err() != nil {
			return answer{}, t.cause()
		}
		var r *model.Request
		var err error
		if r, before, err = t.request(ctx); err != nil {
			return answer{}, err
		}
		teller := teller{ctx: ctx, id: id, agent: t.agent(), ids: t.callIDs(t.round)}
		got, err := model.Collect(t.model.Stream(ctx, r), teller.tell)
		if err != nil {
			return answer{}, t.failed(err)
		}
		return answer{Response: *got, Before: before, At: t.now()}, nil
	})
	if err != nil {
		t.charge(before)
		return nil, err
	}
	t.round++
	t.calls++
	t.charge(kept.Before)
	t.spent = t.spent.Plus(kept.Usage)
	kept.id = id
	return &kept, nil
}

// failed is what a call of the model failed with. If the turn's time is up
// that is the reason.
func (t *turn) failed(err error) error {
	if t.ctx.Err() != nil {
		return t.cause()
	}
	return fmt.Errorf("nodes: agent %q: call %d of the model: %w", t.agent(), t.round+1, err)
}

// request makes what the model is asked, and tells what that cost already.
func (t *turn) request(ctx context.Context) (*model.Request, costs, error) {
	r := t.ask
	r.Tools = t.offered()
	if t.output != nil {
		r.Schema = &t.output.Schema
	}
	talk, before, err := t.remember(ctx)
	if err != nil {
		return nil, before, err
	}
	var ms []state.Message
	if text := t.system(); text != "" {
		ms = append(ms, state.Text(state.RoleSystem, text))
	}
	if len(talk) == 0 && t.seat != nil && t.seat.Turn.Task != "" {
		talk = []state.Message{state.Text(state.RoleHuman, t.seat.Turn.Task)}
	}
	ms = append(append(ms, talk...), t.nudges...)
	r.Messages, _ = t.view().Project(ms, t.core.info.Profile)
	return &r, before, nil
}

// view says for whom the conversation is projected. The task is told again where
// the turn begins behind a handoff, and not behind the results of its own tools.
func (t *turn) view() transcript.View {
	v := transcript.View{Agent: t.agent(), Retell: !t.handoffs.KeepVoices}
	if t.seat != nil && t.seat.Turn.Number <= 1 && len(t.made) == 0 {
		v.Brief = t.seat.Turn.Task
	}
	return v
}

// nudge tells the model something that is not part of the conversation.
func (t *turn) nudge(said state.Message, text string) {
	t.nudges = append(t.nudges, said, state.Text(state.RoleHuman, text))
}
