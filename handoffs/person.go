package handoffs

import (
	"cmp"
	"slices"
	"strings"
)

// askPerson lets a handoff wait for a person's approval.
func (w *work) askPerson(f *Frame, g *given, o *Offer, p *ApprovalPolicy) error {
	if p == nil {
		p = &ApprovalPolicy{}
	}
	sent, err := w.sent(o, &o.Frame)
	if err != nil {
		return err
	}
	o.Approval = newApproval(p, o.Record, o.To, w.path(f), sent)
	o.Approval.Edge = o.Edge
	o.Status = AwaitingApproval
	if p.Expires > 0 {
		o.Due = w.now.Add(p.Expires)
		o.Approval.Expires = o.Due
	}
	w.hold(f, o)
	w.d.Queue = push(w.d.Queue, *o)
	return nil
}

// path names the agents whose calls led to a frame, outermost first.
func (w *work) path(f *Frame) []string {
	path := []string{f.Agent}
	for c := w.frame(f.Caller); c != nil; c = w.frame(c.Caller) {
		path = append(path, c.Agent)
	}
	slices.Reverse(path)
	return path
}

// askAbout asks a person what becomes of a handoff that was rejected.
func (w *work) askAbout(f *Frame, g *given, ref *Refusal) error {
	if g == nil {
		g = &given{x: &Execution{Agent: f.Agent}, command: NewCommand(ref.Target, ErrorRecovery, ref.Message)}
		g.command.Actor = BySystem
	}
	again := *g
	again.err = nil
	r := w.record(f, &again)
	o := w.offer(f, &again, r, &Case{Depth: f.Depth}, &Decision{})
	e := w.begun(r, AwaitingApproval)
	e.Message = ref.Message
	if r.Kind == Call || r.Kind == Spawn {
		f.Waits++
	}
	return w.askPerson(f, &again, o, &ApprovalPolicy{Text: ref.Message + " – what now?"})
}

// approvalPolicy finds the policy that an offer is asked about by.
func (w *work) approvalPolicy(o *Offer) *ApprovalPolicy {
	if o.To == "" {
		return &ApprovalPolicy{Expires: w.p.LadderTime}
	}
	return w.m.approvalOf(&Approval{Edge: o.Edge})
}

// rule does what a person has decided.
func (w *work) rule(a *Answered) error {
	i := slices.IndexFunc(w.d.Queue, func(o Offer) bool { return o.Record.ID == a.Handoff && o.Status == AwaitingApproval })
	if i < 0 {
		w.add(Entry{Event: EventStale, Handoff: a.Handoff, Code: CodeStale, Message: "nobody waits for this approval any more"})
		return nil
	}
	o := w.d.Queue[i]
	w.d.Queue = slices.Delete(slices.Clone(w.d.Queue), i, i+1)
	r := a.Ruling
	if r.Decision == NoAnswer {
		return w.unanswered(&o)
	}
	if r.Decision != Defer && w.overdueTime(o.Due) {
		return w.expired(&o)
	}
	return w.decideOffer(&o, &r)
}

// unanswered lets an approval go on waiting. Under a virtual clock the time
// until it expires passes.
func (w *work) unanswered(o *Offer) error {
	o.Asked++
	o.Approval = o.Approval.again(o.Asked)
	w.d.Queue = push(w.d.Queue, *o)
	if w.p.Virtual.IsZero() || o.Due.IsZero() {
		return w.pass(w.now)
	}
	return w.pass(o.Due)
}

func (w *work) decideOffer(o *Offer, r *Ruling) error {
	f := w.frame(o.Source)
	g := &given{step: o.stepOf(), x: &Execution{ID: o.Frame.Reply, Reply: o.Frame.Reply != "" && o.Record.Kind == Call}, command: commandOf(o)}
	switch r.Decision {
	case Defer:
		o.Asked++
		o.Approval = o.Approval.again(o.Asked)
		if p := w.approvalPolicy(o); p.Expires > 0 {
			o.Due = w.now.Add(p.Expires)
			o.Approval.Expires = o.Due
		}
		w.d.Queue = push(w.d.Queue, *o)
		return nil
	case Disapprove:
		return w.disapproved(f, g, o, CodeApproval, r)
	case Redirect:
		return w.redirect(f, g, o, r)
	case Edit:
		w.edit(o, r)
	}
	e := w.stage(o.Record, o.To)
	e.Why = append(e.Why, approvedBy(r))
	o.Approval, o.Due, o.Since = nil, o.Next, w.now
	return w.admit(f, g, o)
}

// edit changes what an offer's target will be asked to do. The log's record is
// what the source has asked for: the entry of the decision has the change.
func (w *work) edit(o *Offer, r *Ruling) {
	o.Frame.Task = cmp.Or(r.Task, o.Frame.Task)
	if r.Payload != nil {
		o.Frame.Payload = copyPayload(o.Frame.Payload, r.Payload)
	}
	told := Record{Task: r.Task, Payload: r.Payload}
	redactRecord(&told, w.p.Secrets)
	changes := map[string]any{}
	if told.Task != "" {
		changes["task"] = told.Task
	}
	if told.Payload != nil {
		changes["payload"] = told.Payload
	}
	w.stage(o.Record, o.To).detail(detailEdit, changes)
	o.Record = o.Record.edited(changes)
}

func approvedBy(r *Ruling) string {
	text := string(r.Decision)
	if r.By != "" {
		text += " by " + r.By
	}
	if r.Reason != "" {
		text += ": " + r.Reason
	}
	return text
}

// commandOf makes an offer's command anew.
func commandOf(o *Offer) Command {
	r := o.Record
	c := NewCommand(o.To, r.Reason, r.Explanation)
	c.Kind, c.Task, c.Payload, c.Intent, c.Priority, c.Actor = r.Kind, o.Frame.Task, o.Frame.Payload, r.Intent, r.Priority, r.Actor
	c.PlanStep, c.Capability, c.Trigger, c.State, c.Class, c.Budget = r.PlanStep, r.Capability, r.Trigger, o.State, o.Class, o.Frame.Limits
	return c
}

// expired decides an approval that nobody gave in time.
func (w *work) expired(o *Offer) error {
	p := w.approvalPolicy(o)
	if p.Default == Approve {
		return w.decideOffer(o, &Ruling{Decision: Approve, Reason: "expired"})
	}
	f := w.frame(o.Source)
	g := &given{step: o.stepOf(), x: &Execution{ID: o.Frame.Reply, Reply: o.Frame.Reply != "" && o.Record.Kind == Call}, command: commandOf(o)}
	return w.disapproved(f, g, o, CodeExpired, &Ruling{})
}

// disapproved ends an offer that a person did not approve.
func (w *work) disapproved(f *Frame, g *given, o *Offer, code Code, r *Ruling) error {
	if o.To == "" { // the person stood at the ladder's end
		code = CodeLadder
	}
	text := w.p.text(code, "source", o.Record.From, "target", o.To, "reason", r.Reason)
	if r.Reason != "" && !strings.Contains(text, r.Reason) {
		text += ": " + r.Reason
	}
	e := w.stage(o.Record, o.To, Rejected)
	e.Code, e.Codes, e.Message = code, []Code{code}, text
	ref := &Refusal{Handoff: o.Record.ID, Target: o.To, Code: code, Codes: e.Codes, Message: text}
	w.out.Notices = append(w.out.Notices, &RejectedNotice{Handoff: ref.Handoff, From: o.Record.From, To: o.To, Code: code, Codes: ref.Codes, Message: text})
	if o.loose() {
		w.say(&o.Frame, &Outcome{Status: Rejected, Code: code, Error: text})
		return nil
	}
	if f == nil {
		return nil
	}
	why := &Failure{Code: code, Action: w.approvalPolicy(o).OnReject}
	if o.Frame.Group != "" && o.Record.Kind == Spawn {
		return w.branchLost(o, &Outcome{Status: Rejected, Code: code, Error: text})
	}
	if o.To == "" {
		return w.act(f, Action{Do: FailRun}, ref, g)
	}
	return w.rejected(f, g, o.Record, ref, why)
}

// branchLost notes that a branch of a spawn never began.
func (w *work) branchLost(o *Offer, out *Outcome) error {
	g := w.group(o.Frame.Group)
	if g == nil {
		return nil
	}
	for i := range g.Parts {
		if p := &g.Parts[i]; p.Branch == o.Frame.Branch && !p.Done {
			p.Done, p.Outcome = true, *out
		}
	}
	return w.join(g.ID)
}

// redirect sends an offer to another agent, which must be allowed.
func (w *work) redirect(f *Frame, g *given, o *Offer, r *Ruling) error {
	g.command.Target = w.properName(r.Target)
	if f == nil {
		return nil
	}
	cs, d := w.decide(f, g, o.Record)
	d.Failures = slices.DeleteFunc(d.Failures, func(x Failure) bool { return x.Code == CodeApproval })
	if d.Verdict == Reject && len(d.Failures) > 0 {
		e := w.stage(o.Record, g.command.Target, Rejected)
		e.Code, e.Message = d.Failures[0].Code, w.why(o.Record, g.command.Target, &d)
		ref := &Refusal{Handoff: o.Record.ID, Target: g.command.Target, Code: e.Code, Message: e.Message}
		return w.rejected(f, g, o.Record, ref, &d.Failures[0])
	}
	next := w.offer(f, g, o.Record, cs, &d)
	next.Frame.Group, next.Frame.Branch = o.Frame.Group, o.Frame.Branch
	next.Frame.Call, next.Frame.Origin, next.Frame.Caller, next.Frame.Reply = o.Frame.Call, o.Frame.Origin, o.Frame.Caller, o.Frame.Reply
	w.stage(o.Record, next.To).Why = append(w.stage(o.Record, next.To).Why, approvedBy(r))
	return w.admit(f, g, next)
}

// approvalOf finds the policy that an approval was asked by.
func (m *Manager) approvalOf(a *Approval) *ApprovalPolicy {
	if e := m.edges[a.Edge]; e != nil && e.Approval != nil {
		return e.Approval
	}
	if m.p.Approve != nil {
		return m.p.Approve
	}
	return &ApprovalPolicy{}
}
