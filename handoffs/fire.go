//go:build wip

package handoffs

// fire asks the handoff rules about a trigger that an agent has named.
func (w *work) fire(f *Frame, g *given) (given, bool) {
	return w.fireRules(f, g, g.command.Trigger)
}

// fireAtEnd asks the rules without a trigger, at the end of a turn that hands
// nothing off.
func (w *work) fireAtEnd(f *Frame) (given, bool) {
	if f.Call != "" || f.State != FrameRunning {
		return given{}, false
	}
	return w.fireRules(f, &given{x: &Execution{Agent: f.Agent}, command: Command{Type: CommandType, Kind: Report}}, "")
}

func (w *work) fireRules(f *Frame, g *given, trigger string) (given, bool) {
	if w.p.Rules == nil {
		if trigger == "" {
			return given{}, false
		}
		w.add(Entry{Event: EventRule, From: f.Agent, Message: "there are no rules to answer " + trigger})
		return given{}, false
	}
	ev := Event{ID: w.id(), Agent: f.Agent, Trigger: trigger, Payload: g.command.Payload, State: w.d.Machine, Fired: w.d.Fired, Counts: w.d.Counts}
	firing := w.p.Rules.fire(&ev, w.facts(f, g), w.p.Machine)
	w.d.Fired = firing.Fired
	if firing.Rule == nil {
		if trigger != "" {
			w.add(Entry{Event: EventRule, From: f.Agent, Message: "no rule answers " + trigger, Why: firing.Why})
		}
		return given{}, false
	}
	out := given{x: g.x, command: firing.Command, rule: firing.Rule, because: firing.Why, err: firing.Err}
	out.command.Usage = Usage{}
	return out, true
}
