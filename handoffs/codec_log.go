package handoffs

// entry writes an entry of the log.
func (c *codec) entry(e *Entry) {
	start := c.open("")
	c.mustWhole(`,"seq":`, int64(e.Seq))
	c.mustTime(`,"at":`, e.At)
	c.text(`,"handoffId":`, e.Handoff)
	if e.Record != nil {
		c.record(`,"record":`, e.Record)
	}
	codecTexts(c, `,"stages":`, e.Stages)
	c.text(`,"from":`, e.From)
	c.text(`,"to":`, e.To)
	c.text(`,"kind":`, string(e.Kind))
	c.whole(`,"attempt":`, e.Attempt)
	c.text(`,"code":`, string(e.Code))
	codecTexts(c, `,"codes":`, e.Codes)
	c.text(`,"message":`, e.Message)
	codecTexts(c, `,"why":`, e.Why)
	c.sent(`,"context":`, e.Context)
	if e.Result != nil {
		c.outcome(`,"result":`, e.Result)
	}
	c.usage(`,"usage":`, &e.Usage)
	c.text(`,"state":`, e.State)
	c.text(`,"event":`, e.Event)
	c.values(`,"detail":`, e.Detail)
	c.shut(start)
}

// record writes a record, which is not nil.
func (c *codec) record(key string, r *Record) {
	start := c.open(key)
	c.must(`,"handoffId":`, r.ID)
	c.must(`,"fromAgentId":`, r.From)
	c.must(`,"toAgentId":`, r.To)
	c.must(`,"kind":`, string(r.Kind))
	c.text(`,"actor":`, string(r.Actor))
	c.text(`,"reason":`, string(r.Reason))
	c.text(`,"explanation":`, r.Explanation)
	c.text(`,"userIntent":`, r.Intent)
	c.text(`,"task":`, r.Task)
	c.values(`,"payload":`, r.Payload)
	c.flag(`,"returnControl":`, r.Return)
	c.text(`,"planStepId":`, r.PlanStep)
	c.text(`,"priority":`, string(r.Priority))
	c.text(`,"capability":`, r.Capability)
	c.text(`,"trigger":`, r.Trigger)
	c.text(`,"rule":`, r.Rule)
	c.text(`,"callerFrame":`, r.Caller)
	c.text(`,"group":`, r.Group)
	c.text(`,"branch":`, r.Branch)
	c.text(`,"traceId":`, r.Trace)
	c.text(`,"sessionId":`, r.Session)
	c.text(`,"contextHash":`, r.Hash)
	c.mustTime(`,"timestamp":`, r.At)
	c.shut(start)
}

// execution writes a tool execution.
func (c *codec) execution(x *Execution) {
	start := c.open("")
	c.must(`,"toolUseId":`, x.ID)
	c.must(`,"toolName":`, x.Tool)
	c.raw(`,"toolInput":`, x.Input)
	c.text(`,"toolOutput":`, x.Output)
	c.mustFlag(`,"success":`, x.Success)
	c.time(`,"timestamp":`, x.At)
	c.text(`,"agentId":`, x.Agent)
	c.text(`,"frameId":`, x.Frame)
	c.whole(`,"epoch":`, x.Epoch)
	c.flag(`,"reply":`, x.Reply)
	c.shut(start)
}

// turn writes what an agent is told about its turn.
func (c *codec) turn(t *Turn) {
	start := c.open("")
	c.text(`,"agent":`, t.Agent)
	c.text(`,"frame":`, t.Frame)
	c.whole(`,"epoch":`, t.Epoch)
	c.text(`,"handoff":`, t.Handoff)
	c.text(`,"from":`, t.From)
	c.flag(`,"called":`, t.Called)
	c.text(`,"task":`, t.Task)
	c.text(`,"reason":`, string(t.Reason))
	c.text(`,"intent":`, t.Intent)
	c.values(`,"payload":`, t.Payload)
	c.whole(`,"number":`, t.Number)
	c.results(`,"results":`, t.Results)
	c.text(`,"why":`, t.Why)
	codecTexts(c, `,"needs":`, t.Needs)
	c.signals(`,"signals":`, t.Signals)
	c.flag(`,"expired":`, t.Expired)
	c.refusal(`,"refused":`, t.Refused)
	c.sent(`,"context":`, t.Context)
	c.grants(`,"grants":`, t.Grants)
	c.text(`,"planStep":`, t.Step)
	c.text(`,"branch":`, t.Branch)
	c.flag(`,"started":`, t.Started)
	c.whole(`,"attempt":`, t.Attempt)
	c.shut(start)
}
