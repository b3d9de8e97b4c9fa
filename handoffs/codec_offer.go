package handoffs

func (c *codec) offers(key string, os []Offer) {
	c.List(key, len(os), func(i int) { c.offer(&os[i]) })
}

func (c *codec) offer(o *Offer) {
	start := c.Open("")
	if o.Record == nil {
		c.Put(`,"record":null`)
	} else {
		c.record(`,"record":`, o.Record)
	}
	c.Must(`,"to":`, o.To)
	c.Must(`,"status":`, string(o.Status))
	c.MustWhole(`,"level":`, int64(o.Level))
	c.MustTime(`,"since":`, o.Since)
	c.Time(`,"due":`, o.Due)
	c.Time(`,"next":`, o.Next)
	c.Whole(`,"attempt":`, o.Attempt)
	c.Whole(`,"asked":`, o.Asked)
	c.Text(`,"edge":`, o.Edge)
	c.Text(`,"state":`, o.State)
	c.Text(`,"class":`, o.Class)
	c.Flag(`,"external":`, o.External)
	c.frame(`,"frame":`, &o.Frame)
	c.Text(`,"source":`, o.Source)
	c.approval(`,"approval":`, o.Approval)
	c.Shut(start)
}

func (c *codec) approval(key string, a *Approval) {
	if a == nil {
		return
	}
	start := c.Open(key)
	c.Must(`,"handoffId":`, a.Handoff)
	c.Must(`,"question":`, a.Question)
	c.Must(`,"from":`, a.From)
	c.Must(`,"to":`, a.To)
	c.Texts(`,"path":`, a.Path)
	c.Text(`,"reason":`, string(a.Reason))
	c.Text(`,"why":`, a.Why)
	c.Text(`,"task":`, a.Task)
	c.Values(`,"payload":`, a.Payload)
	c.sent(`,"context":`, a.Context)
	c.Time(`,"expires":`, a.Expires)
	c.Whole(`,"asked":`, a.Asked)
	if a.Choices == nil {
		c.Put(`,"choices":null`)
	} else {
		c.MustList(`,"choices":`, len(a.Choices), func(i int) { c.Must("", string(a.Choices[i])) })
	}
	c.Text(`,"edge":`, a.Edge)
	c.Shut(start)
}
