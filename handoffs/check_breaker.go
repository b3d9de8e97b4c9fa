package handoffs

import (
	"strconv"
	"time"
)

// checkBreaker rejects handoffs whose breaker is open. It takes no probe: that
// is done when the handoff begins.
func checkBreaker(c *Case) []Failure {
	p := c.Policy.Breaker
	if p == nil || !c.aimed() || len(c.Desk.Breakers) == 0 {
		return nil
	}
	b, there := c.Desk.Breakers[p.key(c.From, c.Target.ID, c.Command.Capability)]
	if !there {
		return nil
	}
	if _, ok := p.admit(b, c.Now); ok {
		return nil
	}
	wait := b.Until.Sub(c.Now).Round(time.Second)
	return []Failure{c.failure(CodeBreaker, "limit", wait.String(), "value", strconv.Itoa(b.Failures))}
}
