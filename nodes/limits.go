package nodes

import (
	"context"
	"errors"
	"fmt"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/handoffs"
)

// Exceeded is the error of a turn that has reached one of its Limits. It is a
// graph.ErrLimit.
type Exceeded struct {
	Agent string
	What  string // "model calls", "tool calls", "tokens" or "time"
	Limit string
	Calls int // of the model, that were made
}

// Error tells which bound it was.
func (e *Exceeded) Error() string {
	return fmt.Sprintf("nodes: agent %q has reached its limit of %s %s without an answer", e.Agent, e.Limit, e.What)
}

// Is finds graph.ErrLimit.
func (*Exceeded) Is(target error) bool { return target == graph.ErrLimit }

// As finds the handoffs.Code by which the turn has failed in a team: CodeTurns for
// calls, CodeBudget for tokens, CodeDeadline for time.
func (e *Exceeded) As(target any) bool {
	code, ok := target.(*handoffs.Code)
	if !ok {
		return false
	}
	switch e.What {
	case "tokens":
		*code = handoffs.CodeBudget
	case "time":
		*code = handoffs.CodeDeadline
	default:
		*code = handoffs.CodeTurns
	}
	return true
}

// cause is why the turn's context has ended.
func (t *turn) cause() error {
	err := context.Cause(t.ctx)
	if e, ok := err.(*Exceeded); ok {
		timed := *e
		timed.Calls = t.calls
		return &timed
	}
	return err
}

// failedTurn is an error of a turn in a team, with what the turn cost until then.
type failedTurn struct {
	error
	spent handoffs.Usage
}

func (f *failedTurn) Unwrap() error         { return f.error }
func (f *failedTurn) Spent() handoffs.Usage { return f.spent }

// withCosts tells a team what a turn cost that has failed. A question is no
// failure: the turn goes on.
func (t *turn) withCosts(err error) error {
	if t.seat == nil || errors.Is(err, graph.ErrInterrupted) {
		return err
	}
	return &failedTurn{err, t.usage()}
}

// spentAll tells that the turn must not go on. If it is to end by one more call,
// that is its last.
func (t *turn) spentAll() error {
	e := t.exceeded()
	if e != nil && t.limits.Finish && !t.last {
		t.last, t.ways = true, ways{}
		return nil
	}
	return e
}

// exceeded tells which bound is reached; nil: none.
func (t *turn) exceeded() error {
	most := t.limits.ModelCalls
	if most == 0 {
		most = 25
	}
	for _, b := range []struct {
		what       string
		used, most int
	}{{"model calls", t.calls, most}, {"tool calls", t.used, t.limits.ToolCalls}, {"tokens", t.spent.Total(), t.limits.Tokens}} {
		if b.most > 0 && b.used >= b.most {
			return &Exceeded{Agent: t.agent(), What: b.what, Limit: fmt.Sprint(b.most), Calls: t.calls}
		}
	}
	return nil
}
