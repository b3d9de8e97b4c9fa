package handoffs

import (
	"cmp"
	"errors"
	"maps"
	"slices"
)

// hand decides a handoff of a frame and carries it out.
func (w *work) hand(f *Frame, g *given, id string) error {
	r := w.recordAs(f, g, id)
	if err := w.choose(f, g, r); err != nil {
		return err
	}
	if g.holds(f) {
		return w.keep(f, g)
	}
	c, d := w.decide(f, g, r)
	if g.err != nil {
		d = Decision{Verdict: Reject, Failures: []Failure{failureOf(g.err)}}
	}
	if d.Verdict == Reject {
		return w.reject(f, g, r, &d)
	}
	o := w.offer(f, g, r, c, &d)
	return w.accept(f, g, o, &d)
}

// record makes the record of a command.
func (w *work) record(f *Frame, g *given) *Record { return w.recordAs(f, g, w.id()) }

func (w *work) recordAs(f *Frame, g *given, id string) *Record {
	r := CommandToRecord(&g.command, id, f.Agent, w.in.Session, w.now)
	r.Caller = f.ID
	r.PlanStep = cmp.Or(r.PlanStep, w.in.PlanStep, f.Step)
	r.Intent = cmp.Or(r.Intent, f.Intent)
	if g.rule != nil {
		r.Rule = g.rule.Name
	}
	r.Hash, w.room.text = hashContext(w.room.text, &g.command, f.Agent, g.command.Target, w.p.Volatile)
	redactRecord(&r, w.p.Secrets)
	return &r
}

// choose lets the router choose a target where the command names none, and
// the ladder that of an escalation.
func (w *work) choose(f *Frame, g *given, r *Record) error {
	c := &g.command
	switch {
	case w.off():
	case c.kind() == Escalate && c.Target != "" && slices.Contains(f.Visited, c.Target):
		g.err = CodeLadder
	case c.kind() == Escalate && c.Target == "":
		c.Target = w.rung(f)
		if c.Target == "" && !w.p.LadderAsks {
			g.err = CodeLadder
		}
	case c.Target == "" && c.Capability != "":
		target, err := w.route(f, r.ID, c)
		if err != nil {
			return err
		}
		if c.Target = target; target == "" {
			g.err = CodeNoProvider
		}
	default:
		c.Target = w.properName(c.Target)
	}
	return nil
}

// properName returns the id of a registered agent whose name was written a
// little otherwise; other names are left as they are.
func (w *work) properName(name string) string {
	if _, ok := w.p.Registry.Get(name); ok {
		return name
	}
	if p, _, ok := w.p.Registry.Lookup(name); ok {
		return p.ID
	}
	return name
}

// off tells that there are no handoffs: agents go on alone.
func (w *work) off() bool { return w.p.Disabled || w.d.Degraded }

// route asks the router for an agent that has a capability. It is another than
// the source, unless a plan's step is to begin.
func (w *work) route(f *Frame, id string, cmd *Command) (string, error) {
	capability := cmd.Capability
	q := Request{Session: w.in.Session, Handoff: id, From: f.Agent, Capability: capability, Needs: cmd.Needs, Task: cmd.Task}
	for _, c := range candidates(w.p, w.view(), w.now, capability, cmd.Needs) {
		if c.ID == f.Agent && cmd.Actor != ByPlan || c.System && f.Agent != w.p.Supervisor {
			continue
		}
		if w.p.Breaker != nil && w.p.Breaker.Key != BreakAll {
			_, ok := w.p.Breaker.admit(w.d.Breakers[w.p.Breaker.key(f.Agent, c.ID, capability)], w.now)
			c.Broken = !ok
		}
		q.Candidates = append(q.Candidates, c)
	}
	if len(q.Candidates) == 0 {
		return "", nil
	}
	router := w.p.Router
	if router == nil {
		router = FirstMatch{}
	}
	target, err := router.Route(w.ctx, q)
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(q.Candidates, func(c Candidate) bool { return c.ID == target }) {
		return "", nil
	}
	return target, nil
}

// view returns the desk with its frames as they are now, for those that read it
// before the next view is made: that is in the same place.
func (w *work) view() *Desk {
	w.room.seen = w.room.seen[:0]
	for _, f := range w.frames {
		w.room.seen = append(w.room.seen, *f)
	}
	w.seen = *w.d
	w.seen.Frames = w.room.seen
	return &w.seen
}

// rung returns the next agent of the ladder; "" if every one was tried.
func (w *work) rung(f *Frame) string {
	from := slices.Index(w.p.Ladder, f.Agent) + 1
	for _, id := range w.p.Ladder[from:] {
		if id != f.Agent && !slices.Contains(f.Visited, id) {
			return id
		}
	}
	return ""
}

// failureOf makes the failure of something that was found before the checks.
func failureOf(err error) Failure {
	if code, ok := err.(Code); ok {
		return Failure{Code: code}
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return Failure{Code: e.Code, Message: e.Message}
	}
	return Failure{Code: CodeSyntax, Message: err.Error()}
}

// decide runs the pipeline on a handoff.
func (w *work) decide(f *Frame, g *given, r *Record) (*Case, Decision) {
	c := &Case{
		Policy: w.p, Desk: w.view(), Log: w.log(), Command: &g.command, Now: w.now, Session: w.in.Session,
		From: f.Agent, Frame: f, Hash: r.Hash, Digest: w.in.Digest, Depth: f.Depth,
	}
	if k := g.command.kind(); k == Call || k == Spawn {
		c.Depth++
	}
	c.Source, _ = w.p.Registry.Get(f.Agent)
	c.Target, _ = w.p.Registry.Get(g.command.Target)
	c.Facts = w.facts(f, g)
	w.findEdge(c, g)
	checks := w.m.checks
	switch {
	case g.command.Actor == ByUser:
		checks = w.m.user
	case g.step != nil:
		checks = w.m.plan
	}
	if w.off() {
		return c, Decision{Verdict: Reject, Failures: []Failure{{Code: CodeDisabled, Message: w.p.text(CodeDisabled, "source", f.Agent, "target", g.command.Target)}}}
	}
	d := decide(c, checks)
	d.Why = append(d.Why, g.why()...)
	return c, d
}

// log is the session's log with what this step has added.
func (w *work) log() Log {
	if len(w.out.Entries) == 0 {
		return w.in.Log
	}
	old, more := w.in.Log, w.out.Entries
	return Log{n: old.n + len(more), at: func(i int) *Entry {
		if i < old.n {
			return old.At(i)
		}
		return &more[i-old.n]
	}}
}

// offer makes the handoff ready to begin.
func (w *work) offer(f *Frame, g *given, r *Record, c *Case, d *Decision) *Offer {
	k := g.command.kind()
	child := Frame{
		Agent: g.command.Target, Handoff: r.ID, Task: g.command.Task, Payload: g.command.Payload, Reason: r.Reason, Intent: r.Intent,
		Why: g.command.Explanation, Needs: g.command.Needs,
		Step: r.PlanStep, From: f.Agent, Kind: k, Capability: r.Capability, Rule: r.Rule != "", Depth: c.Depth, Limits: c.grant(), Grants: narrow(f.Grants, c.Target),
	}
	if c.Target != nil {
		child.Stays = c.Target.Conversational
	}
	o := w.newOffer()
	*o = Offer{Record: r, To: g.command.Target, Status: Validated, Level: w.p.Queue.Level(r.Priority), Since: w.now, Source: f.ID, Attempt: 1, State: g.command.State, Class: g.command.Class}
	if e := d.Edge; e != nil {
		o.Edge, child.Edge = e.Name, e.Name
		child.Stays = e.Returns == "explicit" || child.Stays && e.Returns != "auto"
	}
	if child.Owes = f.Owes; k == Call || k == Spawn {
		child.Owes = resultOf(d.Edge, c.Target)
	}
	if k == Call {
		child.Call, child.Origin, child.Caller = r.ID, r.ID, f.ID
		if g.x != nil && g.x.Reply {
			child.Reply = g.x.ID
		}
	} else if k != Spawn {
		child.Call, child.Origin, child.Caller, child.Group, child.Branch = f.Call, f.Origin, f.Caller, f.Group, f.Branch
		child.Reply, child.Detached, child.Misses = f.Reply, f.Detached, f.Misses
		child.Results, child.Visited = f.Results, with(f.Visited, f.Agent)
		child.Root = f.Root.handedOn(k, d.Edge, child.Agent)
	}
	if g.step != nil {
		child.Root = g.root(child.Agent)
		child.Results, child.Visited, child.Misses = nil, nil, 0 // those of another step
	}
	if g.after > 0 {
		o.Next = w.now.Add(g.after)
	}
	o.Frame = child
	return o
}

// newOffer returns memory for an offer.
func (w *work) newOffer() *Offer {
	if w.room.lent {
		return &Offer{}
	}
	w.room.lent = true
	return &w.room.offer
}

// narrow returns what a target may do: what its source may and it itself may.
func narrow(grants []string, target *Profile) []string {
	if target == nil || target.Grants == nil {
		return grants
	}
	if grants == nil {
		return target.Grants
	}
	return slices.DeleteFunc(slices.Clone(grants), func(g string) bool { return !slices.Contains(target.Grants, g) })
}

// copyPayload returns the payload with further keys.
func copyPayload(p, more map[string]any) map[string]any {
	out := maps.Clone(p)
	if out == nil {
		out = map[string]any{}
	}
	maps.Copy(out, more)
	return out
}
