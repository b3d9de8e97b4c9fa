package handoffs

import (
	"errors"
	"slices"

	"github.com/graphrun/graphrun/state"
)

// customUnits returns what the policy's own function makes, behind the pinned
// messages that it leaves out. It is not shown what the agent said since.
func (p *ContextPolicy) customUnits(in ContextInput, pinned, own []contextUnit) ([]contextUnit, error) {
	if p.Custom == nil {
		return nil, errors.New("the policy has no Custom function")
	}
	ms, err := p.Custom(in)
	if err != nil {
		return nil, err
	}
	places := make(map[string]int, len(in.Messages))
	for i := range in.Messages {
		places[messageKey(&in.Messages[i])] = i
	}
	made := p.pin(unitsOf(pairMessages(ms)), p.PinFirst)
	there := map[string]bool{}
	for i := range made {
		made[i].from = -1
		for k := range made[i].messages {
			key := messageKey(&made[i].messages[k])
			there[key] = true
			if place, ok := places[key]; ok && k == 0 {
				made[i].from = place
			}
		}
	}
	pinned = slices.DeleteFunc(pinned, func(u contextUnit) bool {
		return !slices.ContainsFunc(u.messages, func(m state.Message) bool { return !there[messageKey(&m)] })
	})
	return slices.Concat(pinned, made, own), nil
}

// messageKey returns what tells a message from others: its id, or what it says.
func messageKey(m *state.Message) string {
	if m.ID != "" {
		return "id:" + m.ID
	}
	return string(m.Role) + ":" + m.Name + ":" + m.Text()
}
