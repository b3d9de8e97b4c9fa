package handoffs

import (
	"bytes"
	"context"

	"github.com/graphrun/graphrun/graph"
)

// RouteHandoffs is the router behind every agent: to process_handoff if there
// is a handoff to work on or somebody waits for the agent, to next_step if the
// plan has steps left, else to complete. Where several work side by side on a
// plan all lead to next_step, which takes their handoffs as process_handoff does:
// none of them knows what the others ask for.
func (t *Team[S]) RouteHandoffs(s S) string {
	own := t.borrow()
	defer t.giveBack(own)
	*own = s
	look, err := t.cfg.Fields.Look(own)
	switch {
	case err != nil:
		return NodeProcess // which tells the error
	case t.plans() && t.beside(own, look.Desk) && t.planOpen(own, look.Desk):
		return NodeNext
	case hasHandoff(look.Desk, look.Executions), !t.plans() && t.busy(look.Desk):
		return NodeProcess
	case t.planMore(own, look.Desk):
		return NodeNext
	case t.busy(look.Desk):
		return NodeProcess
	}
	return NodeComplete
}

// busy reports whether an agent's turn has to do with more than the agent:
// others wait for it, its time may be up, or rules look at every end of a turn.
func (t *Team[S]) busy(d *Desk) bool {
	if len(d.Frames) > 1 || len(d.Queue) > 0 || len(d.Groups) > 0 {
		return true
	}
	if len(d.Frames) == 1 && d.Frames[0].Limits.Time > 0 {
		return true
	}
	return t.m.p.Rules != nil && t.m.p.Rules.untriggered()
}

// hasHandoff reports whether there is an execution for process_handoff.
func hasHandoff(d *Desk, xs []Execution) bool {
	for i := d.unread(xs); i < len(xs); i++ {
		switch xs[i].Tool {
		case SignalName:
			return true
		case ToolName:
			if !mayReport(xs[i].Input) {
				return true
			}
			if c, err := ParseCommand(xs[i].Input, 0); err != nil || c.kind() != Report || c.Trigger != "" || c.State != "" {
				return true
			}
		}
	}
	return false
}

// mayReport is false for commands that are surely of another kind than Report.
func mayReport(data []byte) bool {
	return bytes.Contains(data, []byte(`"`+Report+`"`)) || bytes.Contains(data, []byte(`\u`))
}

// RouteTurn is the router behind START: the first turn is the entry agent's,
// later ones are process_handoff's to give.
func (t *Team[S]) RouteTurn(_ context.Context, s S) (graph.Command[S], error) {
	look, err := t.cfg.Fields.Look(&s)
	if err != nil {
		return graph.Command[S]{}, err
	}
	directed := look.Desk.Mode == ModeDirected // the user talks to one agent, past all plans
	if t.plans() && !directed && t.planBegins(&s, look.Desk) && !hasHandoff(look.Desk, look.Executions) {
		return t.start(NodeNext)
	}
	if len(look.Desk.Frames) == 0 && !hasHandoff(look.Desk, look.Executions) {
		return t.cmd.Goto(t.m.p.Entry), nil
	}
	return t.start(NodeProcess)
}

// start leads to a node that is told that the run has just begun.
func (t *Team[S]) start(node string) (graph.Command[S], error) {
	lay, err := t.cfg.Fields.Lay(&Turn{Started: true})
	if err != nil {
		return graph.Command[S]{}, err
	}
	return t.cmd.Send(t.cmd.To(node, lay)), nil
}
