package nodes

import (
	"context"
	"sync"

	"github.com/graphrun/graphrun/nodes/model"
)

// costs are what calls of models cost, as they are kept with a tool's result.
type costs struct {
	Usage model.Usage `json:"usage,omitzero"`
	Calls int         `json:"calls,omitempty"`
}

// bill gathers what a tool's calls of models cost.
type bill struct {
	mu sync.Mutex
	costs
}

func (b *bill) add(u model.Usage, calls int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Usage, b.Calls = b.Usage.Plus(u), b.Calls+calls
}

func (b *bill) sum() costs {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.costs
}

// costs are those of a call: kept with its result, or of a tool that has failed
// the run.
func (c *toolCall) costs() costs {
	if c.err != nil && c.bill != nil {
		return c.bill.sum()
	}
	return c.result.costs
}

// charge counts what calls of models cost that a tool made, or a summary, with the
// turn's own.
func (t *turn) charge(c costs) {
	t.spent = t.spent.Plus(c.Usage)
	t.theirs += c.Calls
}

// Charge counts calls of models that a tool makes itself with those of the agent
// that called it: in AgentConfig.Usage, in a team's budgets and in
// Limits.Tokens. It is stored with the tool's result, so a result that was kept
// counts once. False: ctx is not that of a tool, and nothing is counted. Tools may
// call it from several goroutines; what comes after the tool's end is lost.
func Charge(ctx context.Context, u model.Usage, calls int) bool {
	c, ok := CallOf(ctx)
	if !ok || c.bill == nil {
		return false
	}
	c.bill.add(u, calls)
	return true
}
