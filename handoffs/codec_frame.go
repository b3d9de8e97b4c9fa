package handoffs

func (c *codec) frames(key string, fs []Frame) {
	c.List(key, len(fs), func(i int) { c.frame("", &fs[i]) })
}

func (c *codec) frame(key string, f *Frame) {
	start := c.Open(key)
	c.Must(`,"id":`, f.ID)
	c.Must(`,"agent":`, f.Agent)
	c.Text(`,"handoff":`, f.Handoff)
	c.Text(`,"origin":`, f.Origin)
	c.Text(`,"call":`, f.Call)
	c.Text(`,"caller":`, f.Caller)
	c.Text(`,"group":`, f.Group)
	c.Text(`,"branch":`, f.Branch)
	c.Text(`,"planStep":`, f.Step)
	c.stepRoot(`,"root":`, f.Root)
	c.Whole(`,"depth":`, f.Depth)
	c.Whole(`,"epoch":`, f.Epoch)
	c.Must(`,"state":`, string(f.State))
	c.Whole(`,"turns":`, f.Turns)
	c.Whole(`,"waits":`, f.Waits)
	c.frameWork(f)
	c.frameRest(f)
	c.Shut(start)
}

// frameWork writes what a frame is to do and has come to.
func (c *codec) frameWork(f *Frame) {
	c.Text(`,"task":`, f.Task)
	c.Values(`,"payload":`, f.Payload)
	c.sent(`,"context":`, f.Context)
	c.limits(`,"limits":`, &f.Limits)
	c.usage(`,"spent":`, &f.Spent)
	c.Whole(`,"handed":`, f.Handed)
	c.Time(`,"begun":`, f.Begun)
	c.until(`,"until":`, f.Until)
	c.Time(`,"wake":`, f.Wake)
	c.signals(`,"came":`, f.Came)
	c.results(`,"results":`, f.Results)
	c.Texts(`,"visited":`, f.Visited)
	c.grants(`,"grants":`, f.Grants)
	c.Whole(`,"retries":`, f.Retries)
}

// frameRest writes how a frame came to be and how it ends.
func (c *codec) frameRest(f *Frame) {
	c.Text(`,"edge":`, f.Edge)
	c.Text(`,"reply":`, f.Reply)
	c.then(`,"then":`, f.Then)
	c.refusal(`,"refused":`, f.Refused)
	c.Whole(`,"misses":`, f.Misses)
	c.Texts(`,"asked":`, f.Asked)
	c.Flag(`,"expired":`, f.Expired)
	c.Flag(`,"detached":`, f.Detached)
	c.Flag(`,"stays":`, f.Stays)
	c.Text(`,"kind":`, string(f.Kind))
	c.Text(`,"capability":`, f.Capability)
	c.Flag(`,"rule":`, f.Rule)
	c.Flag(`,"again":`, f.Again)
	c.Flag(`,"told":`, f.Told)
	c.Text(`,"owes":`, f.Owes)
	c.Flag(`,"rescues":`, f.Rescues)
	c.Flag(`,"settled":`, f.Settled)
	c.Text(`,"from":`, f.From)
	c.Text(`,"reason":`, string(f.Reason))
	c.Text(`,"intent":`, f.Intent)
	c.Text(`,"why":`, f.Why)
	c.Texts(`,"needs":`, f.Needs)
}

// limits writes limits that are not zero.
func (c *codec) limits(key string, l *Limits) {
	if *l == (Limits{}) {
		return
	}
	start := c.Open(key)
	c.Whole(`,"handoffs":`, l.Handoffs)
	c.Whole(`,"tokens":`, l.Tokens)
	c.Whole(`,"agents":`, l.Agents)
	c.Whole(`,"depth":`, l.Depth)
	c.Whole(`,"turns":`, l.Turns)
	c.Span(`,"time":`, l.Time)
	c.Shut(start)
}

// usage writes a usage that is not zero.
func (c *codec) usage(key string, u *Usage) {
	if *u == (Usage{}) {
		return
	}
	start := c.Open(key)
	c.Whole(`,"tokens":`, u.Tokens)
	c.Whole(`,"calls":`, u.Calls)
	c.Span(`,"elapsed":`, u.Time)
	c.Shut(start)
}

func (c *codec) until(key string, u *Until) {
	if u == nil {
		return
	}
	start := c.Open(key)
	c.Texts(`,"signals":`, u.Signals)
	c.Whole(`,"count":`, u.Count)
	c.Span(`,"for":`, u.For)
	c.Shut(start)
}

func (c *codec) signals(key string, ss []Signal) {
	c.List(key, len(ss), func(i int) {
		s := &ss[i]
		start := c.Open("")
		c.Text(`,"id":`, s.ID)
		c.Must(`,"type":`, s.Type)
		c.Text(`,"handoffId":`, s.Handoff)
		c.Text(`,"agentId":`, s.Agent)
		c.Text(`,"reason":`, s.Reason)
		c.Values(`,"payload":`, s.Payload)
		c.Shut(start)
	})
}

// then writes a handoff that waits. Its command is read as ParseCommand does,
// which takes less than a state does.
func (c *codec) then(key string, t *Then) {
	if t == nil {
		return
	}
	start := c.Open(key)
	c.Must(`,"handoffId":`, t.ID)
	c.Text(`,"reply":`, t.Reply)
	c.command(`,"command":`, &t.Command)
	c.Shut(start)
}

func (c *codec) command(key string, x *Command) {
	data, err := x.Encode()
	if err == nil {
		_, err = ParseCommand(data, -1)
	}
	if err != nil {
		c.Fail(key, err.Error())
		return
	}
	if !c.Look {
		c.Buf = append(append(c.Buf, key...), data...)
	}
	look := c.Look
	c.Look = true
	defer func() { c.Look = look }()
	c.Into(key)
	c.Values(`,"payload":`, x.Payload)
	for i := range x.Branches {
		c.Values(`,"branches":`, x.Branches[i].Payload)
	}
	if x.Result != nil {
		c.outcome(`,"result":`, x.Result)
	}
	c.Out()
}

func (c *codec) refusal(key string, r *Refusal) {
	if r == nil {
		return
	}
	start := c.Open(key)
	c.Must(`,"handoffId":`, r.Handoff)
	c.Must(`,"targetAgentId":`, r.Target)
	c.Must(`,"code":`, string(r.Code))
	codecTexts(c, `,"codes":`, r.Codes)
	c.Must(`,"message":`, r.Message)
	c.Text(`,"task":`, r.Task)
	c.Values(`,"payload":`, r.Payload)
	c.Shut(start)
}
