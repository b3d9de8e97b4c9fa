package handoffs

import (
	"cmp"
	"slices"

	"github.com/graphrun/graphrun/state"
)

// briefUnits returns the pinned messages, the brief and the agent's own
// messages. With a budget the brief quotes as many messages as fit beside all
// the others, so that none of those is lost for a quotation.
func (p *ContextPolicy) briefUnits(in *ContextInput, base []state.Message, pinned, own []contextUnit) []contextUnit {
	b := in.brief(base)
	for n := p.last(); ; n-- {
		b.Last = cmp.Or(n, -1)
		units := slices.Concat(pinned, []contextUnit{madeUnit(state.Text(state.RoleHuman, Brief(b)))}, own)
		if n == 0 || p.Tokens <= 0 || p.allFit(units) {
			return units
		}
	}
}

func (p *ContextPolicy) allFit(units []contextUnit) bool {
	left := p.Tokens
	for _, u := range units {
		if left -= p.cost(u, left); left < 0 {
			return false
		}
	}
	return true
}

// brief gathers what a specialist is told. What the user wants is the intent
// that was handed on, else the last thing they said.
func (in *ContextInput) brief(base []state.Message) BriefInput {
	b := BriefInput{
		Request: in.Turn.Intent, Why: cmp.Or(in.Why, string(in.Turn.Reason)), Task: in.Turn.Task,
		Capabilities: in.Needs, Completed: in.Turn.Payload, History: base,
	}
	if b.Capabilities == nil {
		b.Capabilities = in.Target.Capabilities
	}
	for i := len(base) - 1; i >= 0 && b.Request == ""; i-- {
		if base[i].Role == state.RoleHuman {
			b.Request = base[i].Text()
		}
	}
	return b
}
