package nodes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/graphrun/graphrun/graph"
	"github.com/graphrun/graphrun/nodes/model"
	"github.com/graphrun/graphrun/state"
)

// ToolsConfig holds what a Tools node is made of. Messages and Tools are required.
type ToolsConfig[S any] struct {
	Messages Conversation[S]
	Tools    []Tool
	// Parallel is how many tools run at once; 0: 8; 1 or less: one after another.
	Parallel int
	// Usage makes writes of what models cost that tools have asked (see Charge);
	// nil: none.
	Usage func(u model.Usage, calls int) []state.Write[S]
	// Clock tells the time of results; nil: time.Now.
	Clock func() time.Time
}

// Tools is a node that runs the calls of the conversation's last AI message which
// have no result yet, and adds their results in the order of the calls: for loops
// that a graph's edges make, in place of an Agent's own. Calls are kept, checked,
// reviewed and bounded as an Agent's are; Tool.Ends says nothing here. Without
// such calls the node does nothing; an edge by CallsTools leads to it where there
// are some. It does not change once it is made, and may work for any number of
// runs at once.
type Tools[S any] struct {
	cfg  ToolsConfig[S]
	core core
}

// NewTools checks the configuration.
func NewTools[S any](cfg ToolsConfig[S]) (*Tools[S], error) {
	n := &Tools[S]{cfg: cfg, core: core{tools: slices.Clone(cfg.Tools), parallel: cfg.Parallel, clock: cfg.Clock}}
	var problems []error
	if cfg.Messages == nil {
		problems = append(problems, errors.New("it needs Messages"))
	}
	if len(cfg.Tools) == 0 {
		problems = append(problems, errors.New("it needs Tools"))
	}
	if err := errors.Join(append(problems, n.core.check()...)...); err != nil {
		return nil, fmt.Errorf("nodes: tools: %w", err)
	}
	return n, nil
}

// Offered are the tools as a model's request has them.
func (n *Tools[S]) Offered() []model.Tool {
	return (&turn{core: &n.core}).offered()
}

// Node runs the calls. It is a graph.Node.
func (n *Tools[S]) Node(ctx context.Context, s S) (graph.Command[S], error) {
	talk := n.cfg.Messages.Of(&s)
	asks, calls := openCalls(talk)
	if len(calls) == 0 {
		return graph.Command[S]{}, nil
	}
	t := &turn{core: &n.core, all: talk, speaker: asks.Name}
	var err error
	if t.info, err = graph.Task(ctx); err != nil {
		return graph.Command[S]{}, err
	}
	t.begin(context.WithValue(ctx, stateKey{}, &s))
	defer t.close()
	asks.ToolCalls = slices.Clone(asks.ToolCalls) // a person may edit them
	t.made = []state.Message{asks}
	plain, _ := t.sortCalls(calls)
	if _, err := t.runTools(plain); err != nil {
		return graph.Command[S]{}, err
	}
	var ws []state.Write[S]
	if n.cfg.Usage != nil && t.theirs > 0 {
		ws = n.cfg.Usage(t.spent, t.theirs)
	}
	if !t.edited || asks.ID == "" { // without an id it cannot be replaced
		t.made = t.made[1:]
	}
	return graph.Commands[S]{}.Update(append(ws, n.cfg.Messages.Add(t.made...))...), nil
}

// CallsTools reports whether a conversation's last AI message has calls without
// a result, for an edge to a Tools node.
func CallsTools(talk []state.Message) bool {
	_, calls := openCalls(talk)
	return len(calls) > 0
}

// openCalls are the calls of the last AI message that have no result, and that
// message.
func openCalls(talk []state.Message) (asks state.Message, open []state.ToolCall) {
	answered := map[string]bool{}
	for _, m := range slices.Backward(talk) {
		switch m.Role {
		case state.RoleTool:
			answered[m.ToolCallID] = true
		case state.RoleAI:
			for _, c := range m.ToolCalls {
				if !answered[c.ID] {
					open = append(open, c)
				}
			}
			return m, open
		}
	}
	return asks, nil
}
