package handoffs

import "github.com/graphrun/graphrun/internal/jsonwrite"

// desk writes a desk.
func (c *codec) desk(d *Desk) {
	start := c.Open("")
	c.Text(`,"owner":`, d.Owner)
	c.Text(`,"active":`, d.Active)
	c.identity(`,"identity":`, d.Identity)
	c.Text(`,"mode":`, d.Mode)
	c.directed(`,"directed":`, d.Directed)
	c.Text(`,"mark":`, d.Mark)
	c.Whole(`,"taken":`, d.Taken)
	c.Whole(`,"said":`, d.Said)
	c.Whole(`,"seq":`, d.Seq)
	c.Whole(`,"made":`, d.Made)
	c.frames(`,"frames":`, d.Frames)
	c.groups(`,"groups":`, d.Groups)
	c.offers(`,"queue":`, d.Queue)
	c.List(`,"parked":`, len(d.Parked), func(i int) { c.parked(&d.Parked[i]) })
	c.Texts(`,"signals":`, d.Signals)
	c.Text(`,"class":`, d.Class)
	c.Counts(`,"counts":`, d.Counts)
	c.usage(`,"spent":`, &d.Spent)
	c.breakers(`,"breakers":`, d.Breakers)
	c.Text(`,"machine":`, d.Machine)
	c.Time(`,"begun":`, d.Begun)
	c.Span(`,"clock":`, d.Clock)
	c.Texts(`,"fired":`, d.Fired)
	c.Whole(`,"scripted":`, d.Scripted)
	c.refusal(`,"fault":`, d.Fault)
	c.Flag(`,"ended":`, d.Ended)
	c.Text(`,"plan":`, string(d.Plan))
	c.stepEnds(d.Ends)
	c.Flag(`,"degraded":`, d.Degraded)
	c.Shut(start)
}

func (c *codec) identity(key string, x *Identity) {
	if x == nil {
		return
	}
	start := c.Open(key)
	c.Must(`,"id":`, x.ID)
	c.Must(`,"name":`, x.Name)
	c.Text(`,"icon":`, x.Icon)
	c.Text(`,"color":`, x.Color)
	c.Shut(start)
}

func (c *codec) directed(key string, d *Directed) {
	if d == nil {
		return
	}
	start := c.Open(key)
	c.Must(`,"targetAgentId":`, d.Target)
	c.MustFlag(`,"bypassRouting":`, d.Bypass)
	c.Shut(start)
}

func (c *codec) parked(p *Parked) {
	start := c.Open("")
	c.Must(`,"token":`, p.Token)
	c.Must(`,"owner":`, p.Owner)
	c.Must(`,"active":`, p.Active)
	c.frames(`,"frames":`, p.Frames)
	c.groups(`,"groups":`, p.Groups)
	c.offers(`,"queue":`, p.Queue)
	c.Text(`,"reason":`, p.Reason)
	c.Flag(`,"plan":`, p.Plan)
	c.stepEnds(p.Ends)
	c.Shut(start)
}

func (c *codec) groups(key string, gs []Group) {
	c.List(key, len(gs), func(i int) {
		g := &gs[i]
		start := c.Open("")
		c.Must(`,"id":`, g.ID)
		c.Must(`,"caller":`, g.Caller)
		c.join(`,"join":`, &g.Join)
		if g.Parts == nil {
			c.Put(`,"parts":null`)
		} else {
			c.MustList(`,"parts":`, len(g.Parts), func(i int) { c.part(&g.Parts[i]) })
		}
		c.Time(`,"due":`, g.Due)
		c.Text(`,"reply":`, g.Reply)
		c.Shut(start)
	})
}

// join writes a join that is not zero.
func (c *codec) join(key string, j *Join) {
	if *j == (Join{}) {
		return
	}
	start := c.Open(key)
	c.Whole(`,"need":`, j.Need)
	c.Flag(`,"partial":`, j.Partial)
	c.Text(`,"resolve":`, j.Resolve)
	c.Span(`,"timeout":`, j.Timeout)
	c.Shut(start)
}

func (c *codec) breakers(key string, m map[string]Breaker) {
	if len(m) == 0 {
		return
	}
	var room [4]jsonwrite.Member[Breaker]
	start := c.Open(key)
	for _, e := range jsonwrite.Sorted(room[:0], m) {
		c.Key(e.Key)
		c.breaker(&e.Value)
		c.Out()
	}
	c.Shut(start)
}

func (c *codec) breaker(b *Breaker) {
	start := c.Open("")
	c.Text(`,"state":`, string(b.State))
	c.Whole(`,"failures":`, b.Failures)
	c.Time(`,"last":`, b.Last)
	c.Time(`,"until":`, b.Until)
	c.Span(`,"delay":`, b.Delay)
	c.Whole(`,"probing":`, b.Probing)
	c.Whole(`,"passed":`, b.Passed)
	c.Shut(start)
}
