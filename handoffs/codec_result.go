package handoffs

func (c *codec) results(key string, rs []CallResult) {
	c.list(key, len(rs), func(i int) {
		r := &rs[i]
		start := c.open("")
		c.must(`,"handoffId":`, r.Handoff)
		c.must(`,"agentId":`, r.Agent)
		c.text(`,"task":`, r.Task)
		c.outcome(`,"outcome":`, &r.Outcome)
		c.list(`,"parts":`, len(r.Parts), func(i int) { c.part(&r.Parts[i]) })
		c.list(`,"conflicts":`, len(r.Conflicts), func(i int) { c.conflict(&r.Conflicts[i]) })
		c.shut(start)
	})
}

// part writes the result of a branch.
func (c *codec) part(p *BranchResult) {
	start := c.open("")
	c.must(`,"branch":`, p.Branch)
	c.must(`,"agentId":`, p.Agent)
	c.flag(`,"done":`, p.Done)
	if !p.Outcome.isZero() {
		c.outcome(`,"outcome":`, &p.Outcome)
	}
	c.shut(start)
}

// isZero reports whether nothing at all is set.
func (o *Outcome) isZero() bool {
	return o.Status == "" && o.Text == "" && o.Value == nil && o.Outputs == nil && o.Error == "" && o.Code == "" &&
		!o.Retry && o.Missing == nil && o.Turns == 0
}

func (c *codec) outcome(key string, o *Outcome) {
	start := c.open(key)
	c.must(`,"status":`, string(o.Status))
	c.text(`,"text":`, o.Text)
	c.value(`,"value":`, o.Value)
	c.values(`,"outputs":`, o.Outputs)
	c.text(`,"error":`, o.Error)
	c.text(`,"code":`, string(o.Code))
	c.flag(`,"retryable":`, o.Retry)
	codecTexts(c, `,"missing":`, o.Missing)
	c.whole(`,"iterations":`, o.Turns)
	c.shut(start)
}

func (c *codec) conflict(x *Conflict) {
	start := c.open("")
	c.must(`,"key":`, x.Key)
	c.mustValues(`,"values":`, x.Values)
	c.text(`,"winner":`, x.Winner)
	c.shut(start)
}

func (c *codec) sent(key string, s *Sent) {
	if s == nil {
		return
	}
	start := c.open(key)
	c.must(`,"policy":`, string(s.Policy))
	c.whole(`,"from":`, s.From)
	c.whole(`,"until":`, s.Until)
	c.text(`,"hash":`, s.Hash)
	c.whole(`,"bytes":`, s.Bytes)
	c.whole(`,"tokens":`, s.Tokens)
	c.whole(`,"left":`, s.Left)
	c.shut(start)
}
