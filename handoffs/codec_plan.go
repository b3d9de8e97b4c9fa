package handoffs

func (c *codec) stepRoot(key string, r *StepRoot) {
	if r == nil {
		return
	}
	start := c.open(key)
	c.must(`,"step":`, r.Step)
	c.text(`,"agentId":`, r.Agent)
	c.whole(`,"attempt":`, r.Attempt)
	c.flag(`,"free":`, r.Free)
	c.flag(`,"done":`, r.Done)
	c.shut(start)
}

func (c *codec) stepEnds(ends []StepEnd) {
	c.list(`,"stepEnds":`, len(ends), func(i int) {
		e := &ends[i]
		start := c.open("")
		c.must(`,"step":`, e.Step)
		c.must(`,"agentId":`, e.Agent)
		c.text(`,"given":`, e.Given)
		c.whole(`,"attempt":`, e.Attempt)
		c.text(`,"handoffId":`, e.Handoff)
		c.outcome(`,"outcome":`, &e.Outcome)
		c.usage(`,"spent":`, &e.Spent)
		c.flag(`,"orphan":`, e.Orphan)
		c.shut(start)
	})
}
