package handoffs

import (
	"cmp"
	"slices"
)

// read sorts the new executions by the turns that emitted them.
func (w *work) read() {
	w.turns = w.room.turns
	xs := w.in.Executions
	for i := w.d.unread(xs); i < len(xs); i++ {
		g, ok := w.understand(&xs[i])
		if !ok {
			continue
		}
		switch f := w.frameOf(g.x); {
		case g.signal != nil || g.command.Actor == ByUser || g.command.Actor == ByEvent:
			w.outside = append(w.outside, g)
		case f == nil:
			w.stale = append(w.stale, g)
		default:
			gs := w.turns[f.ID]
			if len(w.turns) == 0 {
				gs = w.room.given
			}
			w.turns[f.ID] = append(gs, g)
			w.took = max(w.took, g.command.Usage.Time)
		}
	}
	if len(xs) > 0 {
		w.d.Taken, w.d.Mark = len(xs), xs[len(xs)-1].ID
	}
}

// Unread returns those of a state's executions that were not looked at yet.
func (d *Desk) Unread(xs []Execution) []Execution { return xs[d.unread(xs):] }

// unread returns the place of the first execution that was not looked at.
func (d *Desk) unread(xs []Execution) int {
	if d.Taken == 0 {
		return 0
	}
	if d.Taken <= len(xs) && xs[d.Taken-1].ID == d.Mark {
		return d.Taken
	}
	for i := len(xs) - 1; i >= 0; i-- { // the list was cut
		if xs[i].ID == d.Mark {
			return i + 1
		}
	}
	return 0
}

// understand reads an execution of this package's tools.
func (w *work) understand(x *Execution) (given, bool) {
	g := given{x: x}
	switch x.Tool {
	case ToolName:
		g.command, g.err = ParseCommand(x.Input, w.p.MostPayload)
		g.command.Actor = actorOf(x, &g.command)
	case SignalName:
		if s, err := readSignal(x.Input); err != nil {
			g.err = err
		} else {
			g.signal = &s
		}
	default:
		return g, false
	}
	return g, true
}

// actorOf says who asks for a handoff. What agents emit is theirs, whatever
// they claim, save for the failures that the engine notes in their name.
func actorOf(x *Execution, c *Command) Actor {
	if x.Agent == "" && x.Frame == "" || c.Actor == ByPlan || c.Actor == BySystem && c.kind() == Return {
		return c.Actor
	}
	return ""
}

// frameOf returns the frame whose turn emitted an execution; nil if the turn
// is over.
func (w *work) frameOf(x *Execution) *Frame {
	if x.Frame == "" {
		agent := cmp.Or(x.Agent, w.d.Active)
		i := slices.IndexFunc(w.frames, func(f *Frame) bool { return f.Agent == agent && f.State == FrameRunning })
		if i < 0 {
			return nil
		}
		return w.frames[i]
	}
	f := w.frame(x.Frame)
	if f == nil || f.Epoch != x.Epoch || f.State != FrameRunning {
		return nil
	}
	return f
}
