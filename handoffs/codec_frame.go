package handoffs

func (c *codec) frames(key string, fs []Frame) {
	c.list(key, len(fs), func(i int) { c.frame("", &fs[i]) })
}

func (c *codec) frame(key string, f *Frame) {
	start := c.open(key)
	c.must(`,"id":`, f.ID)
	c.must(`,"agent":`, f.Agent)
	c.text(`,"handoff":`, f.Handoff)
	c.text(`,"origin":`, f.Origin)
	c.text(`,"call":`, f.Call)
	c.text(`,"caller":`, f.Caller)
	c.text(`,"group":`, f.Group)
	c.text(`,"branch":`, f.Branch)
	c.text(`,"planStep":`, f.Step)
	c.stepRoot(`,"root":`, f.Root)
	c.whole(`,"depth":`, f.Depth)
	c.whole(`,"epoch":`, f.Epoch)
	c.must(`,"state":`, string(f.State))
	c.whole(`,"turns":`, f.Turns)
	c.whole(`,"waits":`, f.Waits)
	c.frameWork(f)
	c.frameRest(f)
	c.shut(start)
}

// frameWork writes what a frame is to do and has come to.
func (c *codec) frameWork(f *Frame) {
	c.text(`,"task":`, f.Task)
	c.values(`,"payload":`, f.Payload)
	c.sent(`,"context":`, f.Context)
	c.limits(`,"limits":`, &f.Limits)
	c.usage(`,"spent":`, &f.Spent)
	c.whole(`,"handed":`, f.Handed)
	c.time(`,"begun":`, f.Begun)
	c.until(`,"until":`, f.Until)
	c.time(`,"wake":`, f.Wake)
	c.signals(`,"came":`, f.Came)
	c.results(`,"results":`, f.Results)
	codecTexts(c, `,"visited":`, f.Visited)
	c.grants(`,"grants":`, f.Grants)
	c.whole(`,"retries":`, f.Retries)
}

// frameRest writes how a frame came to be and how it ends.
func (c *codec) frameRest(f *Frame) {
	c.text(`,"edge":`, f.Edge)
	c.text(`,"reply":`, f.Reply)
	c.then(`,"then":`, f.Then)
	c.refusal(`,"refused":`, f.Refused)
	c.whole(`,"misses":`, f.Misses)
	codecTexts(c, `,"asked":`, f.Asked)
	c.flag(`,"expired":`, f.Expired)
	c.flag(`,"detached":`, f.Detached)
	c.flag(`,"stays":`, f.Stays)
	c.text(`,"kind":`, string(f.Kind))
	c.text(`,"capability":`, f.Capability)
	c.flag(`,"rule":`, f.Rule)
	c.flag(`,"again":`, f.Again)
	c.flag(`,"told":`, f.Told)
	c.text(`,"owes":`, f.Owes)
	c.flag(`,"rescues":`, f.Rescues)
	c.flag(`,"settled":`, f.Settled)
	c.text(`,"from":`, f.From)
	c.text(`,"reason":`, string(f.Reason))
	c.text(`,"intent":`, f.Intent)
	c.text(`,"why":`, f.Why)
	codecTexts(c, `,"needs":`, f.Needs)
}

// limits writes limits that are not zero.
func (c *codec) limits(key string, l *Limits) {
	if *l == (Limits{}) {
		return
	}
	start := c.open(key)
	c.whole(`,"handoffs":`, l.Handoffs)
	c.whole(`,"tokens":`, l.Tokens)
	c.whole(`,"agents":`, l.Agents)
	c.whole(`,"depth":`, l.Depth)
	c.whole(`,"turns":`, l.Turns)
	c.span(`,"time":`, l.Time)
	c.shut(start)
}

// usage writes a usage that is not zero.
func (c *codec) usage(key string, u *Usage) {
	if *u == (Usage{}) {
		return
	}
	start := c.open(key)
	c.whole(`,"tokens":`, u.Tokens)
	c.whole(`,"calls":`, u.Calls)
	c.span(`,"elapsed":`, u.Time)
	c.shut(start)
}

func (c *codec) until(key string, u *Until) {
	if u == nil {
		return
	}
	start := c.open(key)
	codecTexts(c, `,"signals":`, u.Signals)
	c.whole(`,"count":`, u.Count)
	c.span(`,"for":`, u.For)
	c.shut(start)
}

func (c *codec) signals(key string, ss []Signal) {
	c.list(key, len(ss), func(i int) {
		s := &ss[i]
		start := c.open("")
		c.text(`,"id":`, s.ID)
		c.must(`,"type":`, s.Type)
		c.text(`,"handoffId":`, s.Handoff)
		c.text(`,"agentId":`, s.Agent)
		c.text(`,"reason":`, s.Reason)
		c.values(`,"payload":`, s.Payload)
		c.shut(start)
	})
}

// then writes a handoff that waits. Its command is read as ParseCommand does,
// which takes less than a state does.
func (c *codec) then(key string, t *Then) {
	if t == nil {
		return
	}
	start := c.open(key)
	c.must(`,"handoffId":`, t.ID)
	c.text(`,"reply":`, t.Reply)
	c.command(`,"command":`, &t.Command)
	c.shut(start)
}

func (c *codec) command(key string, x *Command) {
	data, err := x.Encode()
	if err == nil {
		_, err = ParseCommand(data, -1)
	}
	if err != nil {
		c.fail(key, err.Error())
		return
	}
	if !c.look {
		c.buf = append(append(c.buf, key...), data...)
	}
	look := c.look
	c.look = true
	defer func() { c.look = look }()
	c.into(key, -1)
	c.values(`,"payload":`, x.Payload)
	for i := range x.Branches {
		c.values(`,"branches":`, x.Branches[i].Payload)
	}
	if x.Result != nil {
		c.outcome(`,"result":`, x.Result)
	}
	c.out()
}

func (c *codec) refusal(key string, r *Refusal) {
	if r == nil {
		return
	}
	start := c.open(key)
	c.must(`,"handoffId":`, r.Handoff)
	c.must(`,"targetAgentId":`, r.Target)
	c.must(`,"code":`, string(r.Code))
	codecTexts(c, `,"codes":`, r.Codes)
	c.must(`,"message":`, r.Message)
	c.text(`,"task":`, r.Task)
	c.values(`,"payload":`, r.Payload)
	c.shut(start)
}
