package nodes

import (
	"fmt"

	"github.com/graphrun/graphrun/graph"
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

// spentAll reports whether the turn is to end by one more call. The error is
// that it must not go on.
func (t *turn) spentAll() (bool, error) {
	e := t.exceeded()
	switch {
	case e == nil:
		return false, nil
	case t.limits.Finish && !t.last:
		t.last = true
		return true, nil
	}
	return false, e
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
