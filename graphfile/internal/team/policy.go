package team

import (
	"math"
	"slices"
	"time"

	"github.com/graphrun/graphrun/graphfile/internal/source"
	"github.com/graphrun/graphrun/graphfile/internal/task"
	"github.com/graphrun/graphrun/handoffs"
	"github.com/graphrun/graphrun/handoffs/rules"
	"github.com/graphrun/graphrun/state"
)

// policy reads the sections handoffs, rules and workflow. What the file does
// not say is as the preset has it.
func (r *reader) policy(t *Team) *handoffs.Policy {
	n := orEmpty(r.Handoffs)
	f := r.Rep.Fields(n, `"handoffs"`)
	p := r.preset(f)
	if name, ok := f.Text("name"); ok {
		p.Name = name
	}
	r.people(f, p)
	r.checks(f, p)
	r.bounds(f, p)
	r.behaviour(f, p)
	r.rejections(f, p)
	r.texts(f, p)
	r.clock(f, p)
	r.passing(f, t, p)
	if f.Has("edges") {
		p.Edges = r.edges(f)
	}
	if n != nil {
		f.Done()
	}
	if r.Workflow != nil {
		p.Machine = r.machine()
	}
	if r.Rules != nil {
		p.Rules = r.rules()
		if r.led(f) {
			rules.Complete(p.Rules, p.OnFailure.Target)
		}
	}
	return p
}

// people reads who has a place of its own in the policy.
func (r *reader) people(f *source.Fields, p *handoffs.Policy) {
	r.supervisor(f, p)
	if f.Has("entry") {
		p.Entry = r.agentAt(f, "entry")
	}
	if p.Entry == "" && p.Supervisor == "" && len(r.ids) > 0 {
		p.Entry = r.ids[0]
	}
	if f.Has("ladder") {
		p.Ladder = r.agentNames(f, "ladder")
	}
	set(&p.LadderAsks, f.Bool, "ladder_asks")
	if d, ok := f.Duration("ladder_time", 1, task.Longest); ok {
		p.LadderTime = d
	}
}

// set reads the value of a key, if it is there.
func set[T any](to *T, read func(string) (T, bool), key string) {
	if v, ok := read(key); ok {
		*to = v
	}
}

// bounds reads what bounds the handoffs of a run.
func (r *reader) bounds(f *source.Fields, p *handoffs.Policy) {
	if f.Has("limits") {
		p.Limits = r.limitsAt(f, "limits")
	}
	for _, e := range f.Entries("classes") {
		if p.Classes == nil {
			p.Classes = map[string]handoffs.Limits{}
		}
		p.Classes[e.Key] = r.limits(r.Rep.Fields(e.Value, "a class"))
	}
	r.classes = sortedKeys(p.Classes)
	if f.Has("class") {
		p.Class = r.classAt(f)
	}
	if f.Has("loops") {
		p.Loops = r.loops(f)
	}
	if f.Has("breaker") {
		p.Breaker = r.breaker(f.Fields("breaker", `"breaker"`))
	}
	if n := count(f, "depth", 1); n > 0 {
		p.Depth = n
	}
	if n := count(f, "misses", 1); n > 0 {
		p.Misses = n
	}
	if n := count(f, "most_payload", 1); n > 0 {
		p.MostPayload = n
	}
	set(&p.CountReturns, f.Bool, "count_returns")
	set(&p.PerMessage, f.Bool, "per_message")
	if d, ok := f.Duration("accept_timeout", 1, task.Longest); ok {
		p.Accept = d
	}
}

// classAt reads the name of an economic class; "" if it is not there.
func (r *reader) classAt(f *source.Fields) string {
	class, ok := f.Text("class")
	if ok && !slices.Contains(r.classes, class) {
		r.Rep.Unknown(f.Take("class").Pos, "class", class, r.classes)
	}
	return class
}

// behaviour reads how handoffs go.
func (r *reader) behaviour(f *source.Fields, p *handoffs.Policy) {
	if f.Has("router") {
		p.Router = r.router(f)
	}
	if f.Has("queue") {
		p.Queue = r.queue(f.Fields("queue", `"queue"`))
	}
	if f.Has("approve") {
		p.Approve = r.approval(f, "approve")
	}
	if f.Has("on_multiple") {
		p.OnMultiple = defaultOf(f, "on_multiple", "first", handoffs.TakeNone, handoffs.FanOut)
	}
	if f.Has("on_switch") {
		p.OnSwitch = defaultOf(f, "on_switch", "suspend", handoffs.AbandonWork, handoffs.BranchOff)
	}
	if f.Has("on_siblings") {
		p.OnSiblings = defaultOf(f, "on_siblings", "wait", handoffs.DetachThem, handoffs.CancelThem)
	}
	if c := r.contextAt(f, "context"); c != nil {
		p.Context = *c
	}
	set(&p.Disabled, f.Bool, "disabled")
	set(&p.Degrade, f.Bool, "degrade")
	set(&p.Upper, f.Bool, "upper")
	set(&p.KeepActive, f.Bool, "keep_active")
}

// rejections reads what becomes of handoffs that are not accepted or fail.
func (r *reader) rejections(f *source.Fields, p *handoffs.Policy) {
	p.OnReject = r.onReject(f, "on_reject", p.OnReject)
	if f.Has("on_failure") {
		p.OnFailure = r.actionAt(f, "on_failure")
	}
	if f.Has("need") {
		p.Need = wordsOf(r, f, "need", "reason", "explanation", "task", "intent")
	}
}

// texts reads what is told and kept.
func (r *reader) texts(f *source.Fields, p *handoffs.Policy) {
	for _, e := range f.Entries("texts") {
		code, ok := r.codeOf(e, false)
		text, good := r.Rep.Text(e.Value, quote(e.Key))
		if !ok || !good {
			continue
		}
		if p.Texts == nil {
			p.Texts = handoffs.Texts{}
		}
		p.Texts[code] = text
	}
	if f.Has("volatile") {
		p.Volatile = texts(f, "volatile")
	}
	if f.Has("redact") {
		p.Secrets = r.redact(f)
	}
}

// clock reads the virtual clock and the signals that come under it.
func (r *reader) clock(f *source.Fields, p *handoffs.Policy) {
	if text, ok := f.Text("clock"); ok {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil || at.IsZero() {
			r.Rep.Errorf(f.Take("clock").Pos, "\"clock\": %q is no time", text).Hint = "write it like 2026-01-31T09:00:00Z"
		}
		p.Virtual = at.UTC()
	}
	if !f.Has("signals") {
		return
	}
	if p.Virtual.IsZero() {
		r.Rep.Errorf(f.KeyPos("signals"), `"signals" come by a virtual clock, and there is none`).Hint = `write the clock's start under "clock", like 2026-01-31T09:00:00Z`
	}
	items, _ := f.Items("signals")
	for _, n := range items {
		p.Script = append(p.Script, r.scheduled(n))
	}
	slices.SortStableFunc(p.Script, func(a, b handoffs.Scheduled) int { return int(a.After - b.After) })
}

// passing reads what the run itself does as time and handoffs pass.
func (r *reader) passing(f *source.Fields, t *Team, p *handoffs.Policy) {
	t.Block, _ = f.Bool("block")
	if progress := r.value(f.Take("progress"), "progress", r.Scope); progress != nil {
		t.Digest = func(rec state.Record) string {
			text, err := progress.text(facts(rec.Get))
			if err != nil {
				return err.Error()
			}
			return text
		}
	}
	for _, l := range p.Loops {
		if l.Key == handoffs.LoopProgress && !f.Has("progress") {
			r.Rep.Errorf(f.KeyPos("loops"), "the loop rule by progress needs \"progress\", a value that changes when the work gets on").Hint =
				`write for example progress: "${len(done)}"`
		}
	}
}

// scheduled reads {after, when, type, agent, payload, handoff, id, reason}.
func (r *reader) scheduled(n *source.Node) handoffs.Scheduled {
	f := r.Rep.Fields(n, "a signal")
	var s handoffs.Scheduled
	f.Need("after")
	s.After, _ = f.Duration("after", 0, math.MaxInt64)
	s.When = r.guard(f.Take("when"), r.Scope)
	if f.Need("type") != nil {
		s.Signal.Type, _ = f.Text("type")
	}
	s.Signal.Agent = r.agentAt(f, "agent")
	s.Signal.ID, _ = f.Text("id")
	s.Signal.Handoff, _ = f.Text("handoff")
	s.Signal.Reason, _ = f.Text("reason")
	s.Signal.Payload = r.constantMap(f, "payload")
	f.Done()
	return s
}
