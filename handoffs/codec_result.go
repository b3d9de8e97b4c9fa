package handoffs

func (c *codec) results(key string, rs []CallResult) {
	c.List(key, len(rs), func(i int) {
		r := &rs[i]
		start := c.Open("")
		c.Must(`,"handoffId":`, r.Handoff)
		c.Must(`,"agentId":`, r.Agent)
		c.Text(`,"task":`, r.Task)
		c.outcome(`,"outcome":`, &r.Outcome)
		c.List(`,"parts":`, len(r.Parts), func(i int) { c.part(&r.Parts[i]) })
		c.List(`,"conflicts":`, len(r.Conflicts), func(i int) { c.conflict(&r.Conflicts[i]) })
		c.Shut(start)
	})
}

// part writes the result of a branch.
func (c *codec) part(p *BranchResult) {
	start := c.Open("")
	c.Must(`,"branch":`, p.Branch)
	c.Must(`,"agentId":`, p.Agent)
	c.Flag(`,"done":`, p.Done)
	if !p.Outcome.isZero() {
		c.outcome(`,"outcome":`, &p.Outcome)
	}
	c.Shut(start)
}

// isZero reports whether nothing at all is set.
func (o *Outcome) isZero() bool {
	return o.Status == "" && o.Text == "" && o.Value == nil && o.Outputs == nil && o.Error == "" && o.Code == "" &&
		!o.Retry && o.Missing == nil && o.Turns == 0
}

func (c *codec) outcome(key string, o *Outcome) {
	start := c.Open(key)
	c.Must(`,"status":`, string(o.Status))
	c.Text(`,"text":`, o.Text)
	c.Value(`,"value":`, o.Value)
	c.Values(`,"outputs":`, o.Outputs)
	c.Text(`,"error":`, o.Error)
	c.Text(`,"code":`, string(o.Code))
	c.Flag(`,"retryable":`, o.Retry)
	c.Texts(`,"missing":`, o.Missing)
	c.Whole(`,"iterations":`, o.Turns)
	c.Shut(start)
}

func (c *codec) conflict(x *Conflict) {
	start := c.Open("")
	c.Must(`,"key":`, x.Key)
	c.MustValues(`,"values":`, x.Values)
	c.Text(`,"winner":`, x.Winner)
	c.Shut(start)
}

func (c *codec) sent(key string, s *Sent) {
	if s == nil {
		return
	}
	start := c.Open(key)
	c.Must(`,"policy":`, string(s.Policy))
	c.Whole(`,"from":`, s.From)
	c.Whole(`,"until":`, s.Until)
	c.Text(`,"hash":`, s.Hash)
	c.Whole(`,"bytes":`, s.Bytes)
	c.Whole(`,"tokens":`, s.Tokens)
	c.Whole(`,"left":`, s.Left)
	c.Shut(start)
}
