package graphfile

import (
	"context"
	"fmt"
	"iter"

	"github.com/graphrun/graphrun/graphfile/internal/models"
	"github.com/graphrun/graphrun/nodes"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/plan"
)

// unmade stands for a model that was not made.
type unmade struct{ spec *models.Spec }

// Stream tells that there is no model.
func (u unmade) Stream(context.Context, *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		yield(nil, fmt.Errorf("%s: the model %s was not made: the file was loaded without Options.Models", u.spec.Place, u.spec.Text()))
	}
}

// asker makes what asks a model outside of an agent's turn.
func (t *tree) asker(who string, s *models.Spec) nodes.Asker {
	return nodes.Asker{Model: t.maker.model(who, s), MaxTokens: s.Ask.MaxTokens, Temperature: s.Ask.Temperature}
}

// planAsk makes what a planner or judge asks a model with.
func (t *tree) planAsk(who string, s *models.Spec) plan.Ask {
	a := t.asker(who, s)
	return func(ctx context.Context, p plan.Prompt) (string, error) {
		return a.JSON(ctx, p.System, p.User, p.Schema)
	}
}

func (t *tree) routerAsk(s *models.Spec) func(context.Context, string) (string, error) {
	return t.asker("the router", s).Text
}
