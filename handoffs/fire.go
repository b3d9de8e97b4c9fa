package handoffs

import (
	"slices"
	"strconv"
)

// fire asks the handoff rules about a trigger that an agent has named.
func (w *work) fire(f *Frame, g *given) []given {
	return w.fireRules(f, g, g.command.Trigger)
}

// fireAtEnd asks the rules without a trigger, at the end of a turn that hands
// nothing off.
func (w *work) fireAtEnd(f *Frame) []given {
	if w.p.Rules == nil || f.Call != "" || f.State != FrameRunning || !w.p.Rules.untriggered() {
		return nil
	}
	return w.fireRules(f, &given{x: &Execution{Agent: f.Agent}, command: Command{Type: CommandType, Kind: Report}}, "")
}

func (w *work) fireRules(f *Frame, g *given, trigger string) []given {
	if w.p.Rules == nil {
		w.add(Entry{Event: EventRule, From: f.Agent, Message: "there are no rules to answer " + trigger})
		return nil
	}
	ev := Event{ID: eventID(f, g), Agent: f.Agent, Trigger: trigger, Payload: g.command.Payload, State: w.d.Machine, Fired: w.d.Fired, Counts: w.d.Counts}
	first := w.p.Rules.fire(&ev, w.facts(f, g), w.p.Machine)
	w.d.Fired = first.Fired
	if first.Rule == nil {
		if trigger != "" {
			w.add(Entry{Event: EventRule, From: f.Agent, Message: "no rule answers " + trigger, Why: first.Why})
		}
		return nil
	}
	var out []given
	for _, firing := range append([]Firing{first}, first.Also...) {
		out = append(out, given{x: g.x, command: firing.Command, rule: firing.Rule, after: firing.After, because: firing.Why, err: firing.Err})
	}
	return out
}

// eventID names an event, so that rules answer it once however often it comes.
func eventID(f *Frame, g *given) string {
	if g.x.ID != "" {
		return g.x.ID
	}
	return f.ID + "." + strconv.Itoa(f.Epoch)
}

// untriggered reports whether some rule is tried at every end of a turn.
func (r *Rules) untriggered() bool {
	return slices.ContainsFunc(r.List, func(x Rule) bool { return len(x.Triggers) == 0 })
}
