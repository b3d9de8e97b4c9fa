package nodes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/nodes/transcript"
	"github.com/graphrun/graphrun/state"
)

// Asker asks a model single questions. Its Text is what handoffs.ByTask and
// specialist.Router ask for an agent's name:
//
//	policy.Router = handoffs.ByTask{Ask: nodes.Asker{Model: m}.Text, Fallback: handoffs.LeastLoaded{}}
//
// and its JSON what planners and judges of plans ask. Nothing is kept: who asks
// does that. It may be copied, and used concurrently.
type Asker struct {
	Model        model.Model
	Instructions string   // the system message of Text; "": none
	MaxTokens    int      // of an answer; 0: the model's default
	Temperature  *float64 // nil: the model's default
	// Used is told what each call cost, from the goroutine that asks; nil: nobody
	// is.
	Used func(u model.Usage)
}

// Text asks for a text.
func (a Asker) Text(ctx context.Context, prompt string) (string, error) {
	return a.ask(ctx, a.Instructions, prompt, nil)
}

// JSON asks for JSON that fits a schema, which is told the model in words too:
// not every provider holds its model to one. Whether the answer fits is not
// looked at. Without a schema it is any text.
func (a Asker) JSON(ctx context.Context, system, user string, schema json.RawMessage) (string, error) {
	if schema == nil {
		return a.ask(ctx, system, user, nil)
	}
	system = strings.TrimSpace(system + "\n\nAnswer with JSON that fits this schema, and nothing else:\n" + string(schema))
	return a.ask(ctx, system, user, &model.Schema{Schema: schema})
}

func (a Asker) ask(ctx context.Context, system, user string, schema *model.Schema) (string, error) {
	if a.Model == nil {
		return "", errors.New("nodes: an Asker needs a Model")
	}
	var ms []state.Message
	if !isBlank(system) {
		ms = append(ms, state.Text(state.RoleSystem, system))
	}
	ms = append(ms, state.Text(state.RoleHuman, user))
	r := &model.Request{Schema: schema, MaxTokens: a.MaxTokens, Temperature: a.Temperature}
	r.Messages, _ = transcript.Project(ms, model.InfoOf(a.Model).Profile)
	got, err := model.Collect(a.Model.Stream(ctx, r), nil)
	if err != nil {
		return "", fmt.Errorf("nodes: %w", err)
	}
	if a.Used != nil {
		a.Used(got.Usage)
	}
	return got.Message.Text(), nil
}
