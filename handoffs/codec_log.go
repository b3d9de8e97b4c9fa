package handoffs

// entry writes an entry of the log.
func (c *codec) entry(e *Entry) {
	start := c.Open("")
	c.MustWhole(`,"seq":`, int64(e.Seq))
	c.MustTime(`,"at":`, e.At)
	c.Text(`,"handoffId":`, e.Handoff)
	if e.Record != nil {
		c.record(`,"record":`, e.Record)
	}
	codecTexts(c, `,"stages":`, e.Stages)
	c.Text(`,"from":`, e.From)
	c.Text(`,"to":`, e.To)
	c.Text(`,"kind":`, string(e.Kind))
	c.Whole(`,"attempt":`, e.Attempt)
	c.Text(`,"code":`, string(e.Code))
	codecTexts(c, `,"codes":`, e.Codes)
	c.Text(`,"message":`, e.Message)
	c.Texts(`,"why":`, e.Why)
	c.sent(`,"context":`, e.Context)
	if e.Result != nil {
		c.outcome(`,"result":`, e.Result)
	}
	c.usage(`,"usage":`, &e.Usage)
	c.Text(`,"state":`, e.State)
	c.Text(`,"event":`, e.Event)
	c.Values(`,"detail":`, e.Detail)
	c.Shut(start)
}

// record writes a record, which is not nil.
func (c *codec) record(key string, r *Record) {
	start := c.Open(key)
	c.Must(`,"handoffId":`, r.ID)
	c.Must(`,"fromAgentId":`, r.From)
	c.Must(`,"toAgentId":`, r.To)
	c.Must(`,"kind":`, string(r.Kind))
	c.Text(`,"actor":`, string(r.Actor))
	c.Text(`,"reason":`, string(r.Reason))
	c.Text(`,"explanation":`, r.Explanation)
	c.Text(`,"userIntent":`, r.Intent)
	c.Text(`,"task":`, r.Task)
	c.Values(`,"payload":`, r.Payload)
	c.Flag(`,"returnControl":`, r.Return)
	c.Text(`,"planStepId":`, r.PlanStep)
	c.Text(`,"priority":`, string(r.Priority))
	c.Text(`,"capability":`, r.Capability)
	c.Text(`,"trigger":`, r.Trigger)
	c.Text(`,"rule":`, r.Rule)
	c.Text(`,"callerFrame":`, r.Caller)
	c.Text(`,"group":`, r.Group)
	c.Text(`,"branch":`, r.Branch)
	c.Text(`,"traceId":`, r.Trace)
	c.Text(`,"sessionId":`, r.Session)
	c.Text(`,"contextHash":`, r.Hash)
	c.MustTime(`,"timestamp":`, r.At)
	c.Shut(start)
}

// execution writes a tool execution.
func (c *codec) execution(x *Execution) {
	start := c.Open("")
	c.Must(`,"toolUseId":`, x.ID)
	c.Must(`,"toolName":`, x.Tool)
	c.raw(`,"toolInput":`, x.Input)
	c.Text(`,"toolOutput":`, x.Output)
	c.MustFlag(`,"success":`, x.Success)
	c.Time(`,"timestamp":`, x.At)
	c.Text(`,"agentId":`, x.Agent)
	c.Text(`,"frameId":`, x.Frame)
	c.Whole(`,"epoch":`, x.Epoch)
	c.Flag(`,"reply":`, x.Reply)
	c.Shut(start)
}

// turn writes what an agent is told about its turn.
func (c *codec) turn(t *Turn) {
	start := c.Open("")
	c.Text(`,"agent":`, t.Agent)
	c.Text(`,"frame":`, t.Frame)
	c.Whole(`,"epoch":`, t.Epoch)
	c.Text(`,"handoff":`, t.Handoff)
	c.Text(`,"from":`, t.From)
	c.Flag(`,"called":`, t.Called)
	c.Text(`,"task":`, t.Task)
	c.Text(`,"reason":`, string(t.Reason))
	c.Text(`,"intent":`, t.Intent)
	c.Values(`,"payload":`, t.Payload)
	c.Whole(`,"number":`, t.Number)
	c.results(`,"results":`, t.Results)
	c.Text(`,"why":`, t.Why)
	c.Texts(`,"needs":`, t.Needs)
	c.signals(`,"signals":`, t.Signals)
	c.Flag(`,"expired":`, t.Expired)
	c.refusal(`,"refused":`, t.Refused)
	c.sent(`,"context":`, t.Context)
	c.grants(`,"grants":`, t.Grants)
	c.Text(`,"planStep":`, t.Step)
	c.Text(`,"branch":`, t.Branch)
	c.Flag(`,"started":`, t.Started)
	c.Whole(`,"attempt":`, t.Attempt)
	c.Shut(start)
}
