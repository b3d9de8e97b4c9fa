package plan

func (w *writer) plan(key string, p *Plan) {
	if p == nil {
		return
	}
	start := w.Open(key)
	w.Text(`,"id":`, p.ID)
	w.Whole(`,"version":`, p.Version)
	w.Text(`,"goal":`, p.Goal)
	w.Text(`,"order":`, string(p.Order))
	w.List(`,"steps":`, len(p.Steps), func(i int) { w.step(&p.Steps[i]) })
	w.Flag(`,"more":`, p.More)
	w.Shut(start)
}

func (w *writer) step(s *Step) {
	start := w.Open("")
	w.Must(`,"id":`, s.ID)
	w.Text(`,"agent":`, s.Agent)
	w.Text(`,"capability":`, s.Capability)
	w.Text(`,"task":`, s.Task)
	w.values(`,"input":`, s.Input)
	w.Texts(`,"depends_on":`, s.DependsOn)
	w.accept(s.Accept)
	w.retry(s.Retry)
	w.span(`,"timeout":`, s.Timeout)
	if f := s.OnFailure; f != nil {
		start := w.Open(`,"on_failure":`)
		w.Text(`,"do":`, string(f.Do))
		w.Texts(`,"to":`, f.To)
		w.Shut(start)
	}
	w.Text(`,"status":`, string(s.Status))
	w.outcome(`,"result":`, s.Result)
	w.Shut(start)
}

func (w *writer) accept(a *Accept) {
	if a == nil {
		return
	}
	start := w.Open(`,"accept":`)
	w.Text(`,"if":`, a.If)
	w.raw(`,"schema":`, a.Schema)
	w.Text(`,"check":`, a.Check)
	w.Shut(start)
}

func (w *writer) retry(r *Retry) {
	if r == nil {
		return
	}
	start := w.Open(`,"retry":`)
	w.Whole(`,"max":`, r.Max)
	w.span(`,"initial":`, r.Initial)
	w.float(`,"factor":`, r.Factor)
	w.span(`,"most":`, r.Most)
	w.Shut(start)
}

func (w *writer) outcome(key string, r *Result) {
	if r == nil {
		return
	}
	start := w.Open(key)
	w.Text(`,"text":`, r.Text)
	w.value(`,"value":`, r.Value)
	w.values(`,"outputs":`, r.Outputs)
	w.Text(`,"agent":`, r.Agent)
	w.usage(`,"spent":`, r.Spent)
	w.Shut(start)
}

func (w *writer) progress(p *Progress) {
	start := w.Open("")
	w.Text(`,"status":`, string(p.Status))
	w.Whole(`,"version":`, p.Version)
	w.Whole(`,"met":`, p.Met)
	w.Whole(`,"attempt":`, p.Attempt)
	w.Text(`,"agent":`, p.Agent)
	w.Texts(`,"tried":`, p.Tried)
	w.Flag(`,"raised":`, p.Raised)
	w.Text(`,"code":`, string(p.Code))
	w.Text(`,"error":`, p.Error)
	w.outcome(`,"result":`, p.Result)
	w.Time(`,"begun":`, p.Begun)
	w.Time(`,"ended":`, p.Ended)
	w.Shut(start)
}

func (w *writer) course(c *Course) {
	start := w.Open("")
	w.Text(`,"phase":`, string(c.Phase))
	w.Text(`,"plan":`, c.Plan)
	w.Whole(`,"version":`, c.Version)
	w.MustWhole(`,"cursor":`, int64(c.Cursor))
	w.Whole(`,"left":`, c.Left)
	w.Texts(`,"open":`, c.Open)
	w.Texts(`,"ready":`, c.Ready)
	w.Whole(`,"root":`, c.Root)
	w.Whole(`,"replans":`, c.Replans)
	w.Whole(`,"stalls":`, c.Stalls)
	w.cause(c.Cause)
	w.Whole(`,"seq":`, c.Seq)
	w.Whole(`,"heard":`, c.Heard)
	w.Whole(`,"asked":`, c.Asked)
	w.Text(`,"answer":`, c.Answer)
	w.ledger(c.Ledger)
	w.Shut(start)
}

func (w *writer) cause(c *Cause) {
	if c == nil {
		return
	}
	start := w.Open(`,"cause":`)
	w.Text(`,"step":`, c.Step)
	w.Text(`,"agent":`, c.Agent)
	w.Text(`,"code":`, string(c.Code))
	w.Text(`,"text":`, c.Text)
	w.Shut(start)
}

func (w *writer) ledger(l *Ledger) {
	if l == nil {
		return
	}
	start := w.Open(`,"ledger":`)
	w.Texts(`,"facts":`, l.Facts)
	w.Texts(`,"lookup":`, l.Lookup)
	w.Texts(`,"derive":`, l.Derive)
	w.Texts(`,"guesses":`, l.Guesses)
	w.Shut(start)
}

func (w *writer) event(e *Event) {
	start := w.Open("")
	w.MustWhole(`,"seq":`, int64(e.Seq))
	w.MustTime(`,"at":`, e.At)
	w.Must(`,"event":`, e.Event)
	w.plan(`,"plan":`, e.Plan)
	w.Whole(`,"version":`, e.Version)
	w.Text(`,"step":`, e.Step)
	w.Text(`,"agent":`, e.Agent)
	w.Whole(`,"attempt":`, e.Attempt)
	w.Text(`,"handoff":`, e.Handoff)
	w.Text(`,"code":`, string(e.Code))
	w.Text(`,"message":`, e.Message)
	w.Shut(start)
}
