package handoffs

func (c *codec) offers(key string, os []Offer) {
	c.list(key, len(os), func(i int) { c.offer(&os[i]) })
}

func (c *codec) offer(o *Offer) {
	start := c.open("")
	if o.Record == nil {
		c.put(`,"record":null`)
	} else {
		c.record(`,"record":`, o.Record)
	}
	c.must(`,"to":`, o.To)
	c.must(`,"status":`, string(o.Status))
	c.mustWhole(`,"level":`, int64(o.Level))
	c.mustTime(`,"since":`, o.Since)
	c.time(`,"due":`, o.Due)
	c.time(`,"next":`, o.Next)
	c.whole(`,"attempt":`, o.Attempt)
	c.whole(`,"asked":`, o.Asked)
	c.text(`,"edge":`, o.Edge)
	c.text(`,"state":`, o.State)
	c.text(`,"class":`, o.Class)
	c.flag(`,"external":`, o.External)
	c.frame(`,"frame":`, &o.Frame)
	c.text(`,"source":`, o.Source)
	c.approval(`,"approval":`, o.Approval)
	c.shut(start)
}

func (c *codec) approval(key string, a *Approval) {
	if a == nil {
		return
	}
	start := c.open(key)
	c.must(`,"handoffId":`, a.Handoff)
	c.must(`,"question":`, a.Question)
	c.must(`,"from":`, a.From)
	c.must(`,"to":`, a.To)
	codecTexts(c, `,"path":`, a.Path)
	c.text(`,"reason":`, string(a.Reason))
	c.text(`,"why":`, a.Why)
	c.text(`,"task":`, a.Task)
	c.values(`,"payload":`, a.Payload)
	c.sent(`,"context":`, a.Context)
	c.time(`,"expires":`, a.Expires)
	c.whole(`,"asked":`, a.Asked)
	if a.Choices == nil {
		c.put(`,"choices":null`)
	} else {
		c.mustList(`,"choices":`, len(a.Choices), func(i int) { c.must("", string(a.Choices[i])) })
	}
	c.text(`,"edge":`, a.Edge)
	c.shut(start)
}
