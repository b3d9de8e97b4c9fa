package handoffs

import (
	"fmt"
	"slices"

	"github.com/graphrun/graphrun/state"
)

// pin marks the units that hold pinned messages, and the first human one.
func (p *ContextPolicy) pin(units []contextUnit, first bool) []contextUnit {
	if p.Pinned == nil && !first {
		return units
	}
	pinned := make(map[string]bool, len(p.Pinned))
	for _, id := range p.Pinned {
		pinned[id] = id != ""
	}
	for i := range units {
		u := &units[i]
		for k := range u.messages {
			m := &u.messages[k]
			u.must = u.must || pinned[m.ID]
			if first && m.Role == state.RoleHuman {
				u.must, first = true, false
			}
		}
	}
	return units
}

// window returns the last messages, at least the newest unit, and those that
// are pinned before.
func (p *ContextPolicy) window(base []state.Message) []contextUnit {
	n := p.last()
	if p.Pinned == nil && !p.PinFirst { // no need to look at what is older
		cut := max(0, len(base)-n)
		units := unitsOf(pairMessages(base[cut:]))
		for i := range units {
			units[i].from += cut
		}
		if len(units) > 0 || n == 0 {
			return units
		}
	}
	units := p.pin(unitsOf(pairMessages(base)), p.PinFirst)
	i := len(units)
	for i > 0 && n > 0 && (len(units[i-1].messages) <= n || i == len(units)) {
		i--
		n -= len(units[i].messages)
	}
	return append(onlyPinned(units[:i]), units[i:]...)
}

// pinnedUnits returns the pinned messages alone.
func (p *ContextPolicy) pinnedUnits(base []state.Message) []contextUnit {
	if p.Pinned == nil && !p.PinFirst {
		return nil
	}
	return onlyPinned(p.pin(unitsOf(pairMessages(base)), p.PinFirst))
}

func onlyPinned(units []contextUnit) []contextUnit {
	var out []contextUnit
	for _, u := range units {
		if u.must {
			out = append(out, u)
		}
	}
	return out
}

// fit leaves out what exceeds the budget: all that is older than the newest
// unit that does not fit, but not what must be there.
func (p *ContextPolicy) fit(units []contextUnit) ([]contextUnit, error) {
	if p.Tokens <= 0 {
		return units, nil
	}
	left := p.Tokens
	for _, u := range units {
		if !u.must {
			continue
		}
		if left -= p.cost(u, left); left < 0 {
			return nil, fmt.Errorf("%w: what must be there (pinned messages, the task, a brief) needs more than %d tokens: allow more, or pin less", ErrContextBudget, p.Tokens)
		}
	}
	full := false
	keep := make([]bool, len(units))
	for i := range slices.Backward(units) {
		if keep[i] = units[i].must; keep[i] || full {
			continue
		}
		cost := p.cost(units[i], left)
		if full = cost > left; !full {
			keep[i], left = true, left-cost
		}
	}
	var out []contextUnit
	for i, u := range units {
		if keep[i] {
			out = append(out, u)
		}
	}
	return out, nil
}

// cost returns the tokens of a unit, or some number above left if it has more.
func (p *ContextPolicy) cost(u contextUnit, left int) int {
	sum := 0
	for i := range u.messages {
		n := messageTokens(&u.messages[i], p.count(), left-sum)
		if n > left-sum {
			return left + 1
		}
		sum += n
	}
	return sum
}

// messageTokens returns the tokens of a message, or some number above left if
// it has more.
func messageTokens(m *state.Message, count func(string) int, left int) int {
	sum := 0
	add := func(text string) bool {
		if text == "" {
			return true
		}
		n := max(0, count(text))
		if n > left-sum {
			sum = left + 1
			return false
		}
		sum += n
		return true
	}
	for i := range m.Content {
		if p := &m.Content[i]; p.Type == "text" && !add(p.Text) {
			return sum
		}
	}
	for i := range m.ToolCalls {
		if c := &m.ToolCalls[i]; !add(c.Name) || !add(string(c.Args)) {
			return sum
		}
	}
	return sum
}
