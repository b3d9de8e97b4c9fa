package handoffs

func (c *codec) stepRoot(key string, r *StepRoot) {
	if r == nil {
		return
	}
	start := c.Open(key)
	c.Must(`,"step":`, r.Step)
	c.Text(`,"agentId":`, r.Agent)
	c.Whole(`,"attempt":`, r.Attempt)
	c.Flag(`,"free":`, r.Free)
	c.Flag(`,"done":`, r.Done)
	c.Shut(start)
}

func (c *codec) stepEnds(ends []StepEnd) {
	c.List(`,"stepEnds":`, len(ends), func(i int) {
		e := &ends[i]
		start := c.Open("")
		c.Must(`,"step":`, e.Step)
		c.Must(`,"agentId":`, e.Agent)
		c.Text(`,"given":`, e.Given)
		c.Whole(`,"attempt":`, e.Attempt)
		c.Text(`,"handoffId":`, e.Handoff)
		c.outcome(`,"outcome":`, &e.Outcome)
		c.usage(`,"spent":`, &e.Spent)
		c.Flag(`,"orphan":`, e.Orphan)
		c.Shut(start)
	})
}
