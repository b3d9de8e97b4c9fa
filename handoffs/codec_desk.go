package handoffs

// desk writes a desk.
func (c *codec) desk(d *Desk) {
	start := c.open("")
	c.text(`,"owner":`, d.Owner)
	c.text(`,"active":`, d.Active)
	c.identity(`,"identity":`, d.Identity)
	c.text(`,"mode":`, d.Mode)
	c.directed(`,"directed":`, d.Directed)
	c.text(`,"mark":`, d.Mark)
	c.whole(`,"taken":`, d.Taken)
	c.whole(`,"said":`, d.Said)
	c.whole(`,"seq":`, d.Seq)
	c.whole(`,"made":`, d.Made)
	c.frames(`,"frames":`, d.Frames)
	c.groups(`,"groups":`, d.Groups)
	c.offers(`,"queue":`, d.Queue)
	c.list(`,"parked":`, len(d.Parked), func(i int) { c.parked(&d.Parked[i]) })
	codecTexts(c, `,"signals":`, d.Signals)
	c.text(`,"class":`, d.Class)
	c.counts(`,"counts":`, d.Counts)
	c.usage(`,"spent":`, &d.Spent)
	c.breakers(`,"breakers":`, d.Breakers)
	c.text(`,"machine":`, d.Machine)
	c.time(`,"begun":`, d.Begun)
	c.span(`,"clock":`, d.Clock)
	codecTexts(c, `,"fired":`, d.Fired)
	c.whole(`,"scripted":`, d.Scripted)
	c.refusal(`,"fault":`, d.Fault)
	c.flag(`,"ended":`, d.Ended)
	c.text(`,"plan":`, string(d.Plan))
	c.stepEnds(d.Ends)
	c.flag(`,"degraded":`, d.Degraded)
	c.shut(start)
}

func (c *codec) identity(key string, x *Identity) {
	if x == nil {
		return
	}
	start := c.open(key)
	c.must(`,"id":`, x.ID)
	c.must(`,"name":`, x.Name)
	c.text(`,"icon":`, x.Icon)
	c.text(`,"color":`, x.Color)
	c.shut(start)
}

func (c *codec) directed(key string, d *Directed) {
	if d == nil {
		return
	}
	start := c.open(key)
	c.must(`,"targetAgentId":`, d.Target)
	c.mustFlag(`,"bypassRouting":`, d.Bypass)
	c.shut(start)
}

func (c *codec) parked(p *Parked) {
	start := c.open("")
	c.must(`,"token":`, p.Token)
	c.must(`,"owner":`, p.Owner)
	c.must(`,"active":`, p.Active)
	c.frames(`,"frames":`, p.Frames)
	c.groups(`,"groups":`, p.Groups)
	c.offers(`,"queue":`, p.Queue)
	c.text(`,"reason":`, p.Reason)
	c.flag(`,"plan":`, p.Plan)
	c.stepEnds(p.Ends)
	c.shut(start)
}

func (c *codec) groups(key string, gs []Group) {
	c.list(key, len(gs), func(i int) {
		g := &gs[i]
		start := c.open("")
		c.must(`,"id":`, g.ID)
		c.must(`,"caller":`, g.Caller)
		c.join(`,"join":`, &g.Join)
		if g.Parts == nil {
			c.put(`,"parts":null`)
		} else {
			c.mustList(`,"parts":`, len(g.Parts), func(i int) { c.part(&g.Parts[i]) })
		}
		c.time(`,"due":`, g.Due)
		c.text(`,"reply":`, g.Reply)
		c.shut(start)
	})
}

// join writes a join that is not zero.
func (c *codec) join(key string, j *Join) {
	if *j == (Join{}) {
		return
	}
	start := c.open(key)
	c.whole(`,"need":`, j.Need)
	c.flag(`,"partial":`, j.Partial)
	c.text(`,"resolve":`, j.Resolve)
	c.span(`,"timeout":`, j.Timeout)
	c.shut(start)
}

func (c *codec) breakers(key string, m map[string]Breaker) {
	if len(m) == 0 {
		return
	}
	var room [4]member[Breaker]
	start := c.open(key)
	for _, e := range sortMembers(room[:0], m) {
		c.key(e.key)
		c.breaker(e.key, &e.value)
	}
	c.shut(start)
}

func (c *codec) breaker(key string, b *Breaker) {
	c.into(key, -1)
	start := c.open("")
	c.text(`,"state":`, string(b.State))
	c.whole(`,"failures":`, b.Failures)
	c.time(`,"last":`, b.Last)
	c.time(`,"until":`, b.Until)
	c.span(`,"delay":`, b.Delay)
	c.whole(`,"probing":`, b.Probing)
	c.whole(`,"passed":`, b.Passed)
	c.shut(start)
	c.out()
}
