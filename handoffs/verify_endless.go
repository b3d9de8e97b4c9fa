package handoffs

import (
	"errors"
	"fmt"
	"slices"
)

// ErrEndless: nothing bounds the handoffs of a policy.
var ErrEndless = errors.New("handoffs: the handoffs of this policy need not end")

// mostHandoffs bounds the handoffs of a policy that leaves all of it open.
const mostHandoffs = 20

// bounded returns the policy as it is used: one that says neither who hands to
// whom nor how often has a limit.
func (p *Policy) bounded() *Policy {
	if p.Endless || p.Limits != (Limits{}) || p.Edges != nil || p.Rules != nil || p.Loops != nil || p.Classes != nil {
		return p
	}
	with := *p
	with.Limits.Handoffs = mostHandoffs
	return &with
}

// endless returns what makes a policy an ErrEndless; nil: nothing.
func (p *Policy) endless() error {
	if p.Endless || p.ends() {
		return nil
	}
	v := newVerifying(p)
	v.own()
	v.calls()
	if len(v.out) == 0 {
		return nil
	}
	text := v.out[0].Message + " (Limits.Handoffs for example"
	if !p.checks("limits") {
		text += `, and the check "limits" in Checks`
	}
	return fmt.Errorf("%w: %s), or say that it is Endless", ErrEndless, text)
}

// ends tells without a look at the ways that everything is counted.
func (p *Policy) ends() bool {
	if p.runsOut() != "" {
		return true
	}
	apart := slices.ContainsFunc(p.Edges, func(e Edge) bool { return e.Apart })
	return !apart && p.counted() != ""
}
