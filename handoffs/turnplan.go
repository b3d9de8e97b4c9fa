package handoffs

import (
	"slices"
)

// turnPlan is what a turn's commands come to.
type turnPlan struct {
	calls  []given // calls and spawns, in their order
	last   *given  // what ends the turn: a transfer, a return, a wait
	lost   []given // that lose against last
	beside []given // transfers that are made with last, which is one too
	bad    []given // that cannot be read, or that the policy does not take together
	failed *given  // the turn itself failed
}

// winner is the id of the handoff that the losers lost against.
func (w *work) winner(p *turnPlan) string {
	if p.last != nil {
		return w.idOf(p.last)
	}
	return ""
}

// idOf is the id that a command's handoff has or will have.
func (w *work) idOf(g *given) string {
	if g.id == "" {
		g.id = w.id()
	}
	return g.id
}

// sort brings the commands of a turn into the order in which they are done:
// reports at once, then calls, then what ends the turn.
func (w *work) sort(f *Frame, gs []given) *turnPlan {
	p := &turnPlan{}
	for i := range gs {
		g := &gs[i]
		if g.err != nil {
			p.bad = append(p.bad, *g)
			continue
		}
		if s := g.command.State; s != "" && g.command.kind() == Report {
			w.moveState(f, s)
		}
		if g.command.Trigger != "" && g.command.Target == "" && g.command.Capability == "" {
			for _, fired := range w.fire(f, g) {
				w.sortOne(p, &fired)
			}
			w.reply(g, f.Agent, "noted", false)
			continue
		}
		w.sortOne(p, g)
	}
	if p.last == nil && len(p.calls)+len(p.bad) == 0 && p.failed == nil {
		for _, fired := range w.fireAtEnd(f) {
			w.sortOne(p, &fired)
		}
	}
	switch {
	case w.p.OnMultiple == TakeNone && len(p.calls)+len(p.lost)+one(p.last) > 1:
		w.takeNone(p)
	case w.p.OnMultiple == FanOut:
		p.fanOut()
	}
	return p
}

// fanOut keeps the transfers of a turn in which there are only transfers.
func (p *turnPlan) fanOut() {
	if len(p.calls) > 0 || p.last == nil || p.last.command.kind() != Transfer {
		return
	}
	var lost []given
	for _, g := range p.lost {
		if g.command.kind() == Transfer {
			p.beside = append(p.beside, g)
		} else {
			lost = append(lost, g)
		}
	}
	p.lost = lost
}

func (w *work) sortOne(p *turnPlan, g *given) {
	switch k := g.command.kind(); {
	case k == Report:
		w.reply(g, g.x.Agent, "noted", false)
	case k == Return && g.command.Result != nil && g.command.Result.Status == Failed && g.command.Actor == BySystem:
		p.failed = g
	case k == Call || k == Spawn:
		p.calls = append(p.calls, *g)
	case p.last != nil:
		p.lost = append(p.lost, *g)
	default:
		p.last = g
	}
}

func one(g *given) int {
	if g == nil {
		return 0
	}
	return 1
}

// takeNone rejects all handoffs of a turn.
func (w *work) takeNone(p *turnPlan) {
	all := slices.Concat(p.calls, p.lost)
	if p.last != nil {
		all = append(all, *p.last)
	}
	for i := range all {
		all[i].err = CodeMultiple
	}
	p.bad, p.calls, p.lost, p.last = append(p.bad, all...), nil, nil, nil
}

// supersede notes a handoff that lost against another one of its turn.
func (w *work) supersede(f *Frame, g *given, winner string) {
	w.superseded(f, g, w.record(f, g), winner)
}

func (w *work) superseded(f *Frame, g *given, r *Record, winner string) {
	e := w.begun(r, Superseded)
	e.Code = CodeSuperseded
	e.Message = w.p.text(CodeSuperseded, "source", f.Agent, "target", g.command.Target, "value", winner)
	w.reply(g, f.Agent, e.Message, true)
}
